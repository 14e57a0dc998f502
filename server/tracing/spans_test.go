package tracing

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func after(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

// failover is a request whose first target was skipped, whose second failed and whose third answered.
func failover() *combo.Report {
	return &combo.Report{
		RequestID: "req_1", Endpoint: "messages", Combo: "fast", Model: "quick", Target: "two/m2", Outcome: combo.OutcomeOK,
		Status: 200, Stream: true, Start: noon, Total: 900 * time.Millisecond, Upstream: 700 * time.Millisecond,
		Queue: 150 * time.Millisecond,
		Usage: &providers.Usage{InputTokens: 12, OutputTokens: 34, CachedTokens: 5}, FinishReason: "stop", UpstreamID: "up_9",
		Attempts: []combo.Attempt{
			{Provider: "zero", Model: "m0", Outcome: combo.Skipped, SkipReason: combo.SkipOpen},
			{Provider: "one", Model: "m1", Outcome: combo.Failed, Kind: providers.ServerError, Status: 503, Start: after(10), Duration: 200 * time.Millisecond},
			{Provider: "two", Model: "m2", Outcome: combo.OK, Status: 200, Start: after(300), Duration: 500 * time.Millisecond, FirstToken: 80 * time.Millisecond, Probe: true},
		},
	}
}

// spansOf are the spans of a request as the collector gets them, the request's own last.
func spansOf(t *testing.T, r *combo.Report, parent *Parent) tracetest.SpanStubs {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	tracer, err := New(t.Context(), exporter, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	tracer.Add(r, parent, map[string]Upstream{"two": {Name: "openai", Address: "api.example.com", Port: 443}})
	if err := tracer.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	return exporter.GetSpans()
}

func attributesOf(s *tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

func TestARequestIsASpanWithOneBelowItForEachAttempt(t *testing.T) {
	spans := spansOf(t, failover(), nil)
	if len(spans) != 3 {
		t.Fatalf("%d spans, want 3", len(spans))
	}
	request := &spans[2]
	for i, want := range []struct {
		name       string
		kind       trace.SpanKind
		begin, end int
		status     codes.Code
		attributes map[string]string
	}{
		{"chat m1", trace.SpanKindClient, 10, 210, codes.Error, map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "one", "gen_ai.request.model": "m1", "ohmroute.provider": "one",
			"http.response.status_code": "503", "error.type": "server_error",
		}},
		{"chat m2", trace.SpanKindClient, 300, 800, codes.Unset, map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "m2", "ohmroute.provider": "two",
			"server.address": "api.example.com", "server.port": "443", "http.response.status_code": "200", "ohmroute.probe": "true",
			"gen_ai.usage.input_tokens": "12", "gen_ai.usage.output_tokens": "34", "gen_ai.usage.cache_read.input_tokens": "5",
			"gen_ai.response.finish_reasons": `["stop"]`, "ohmroute.upstream_request_id": "up_9",
		}},
		{"chat quick", trace.SpanKindServer, 0, 900, codes.Unset, map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.request.model": "quick", "ohmroute.combo": "fast", "ohmroute.target": "two/m2",
			"ohmroute.request.id": "req_1", "ohmroute.outcome": "ok", "ohmroute.attempts": "2", "ohmroute.stream": "true",
			"http.response.status_code": "200", "ohmroute.queue_ms": "150", "ohmroute.overhead_ms": "50",
			"gen_ai.usage.input_tokens": "12", "gen_ai.usage.output_tokens": "34", "gen_ai.usage.cache_read.input_tokens": "5",
			"gen_ai.response.finish_reasons": `["stop"]`, "ohmroute.upstream_request_id": "up_9",
		}},
	} {
		got := &spans[i]
		if got.Name != want.name || got.SpanKind != want.kind || !got.StartTime.Equal(after(want.begin)) || !got.EndTime.Equal(after(want.end)) || got.Status.Code != want.status {
			t.Errorf("%s (%s) from %s to %s, %v", got.Name, got.SpanKind, got.StartTime, got.EndTime, got.Status)
		}
		if has, wants := fmt.Sprint(attributesOf(got)), fmt.Sprint(want.attributes); has != wants {
			t.Errorf("%s has\n%s\nwant\n%s", got.Name, has, wants)
		}
		if i < 2 && got.Parent.SpanID() != request.SpanContext.SpanID() {
			t.Errorf("%s is not below the request", got.Name)
		}
	}
	if e := request.Events; len(e) != 1 || e[0].Name != "ohmroute.skip" || fmt.Sprint(e[0].Attributes[2].Value.AsString()) != "open" {
		t.Errorf("events %v, want the skip", e)
	}
	if e := spans[1].Events; len(e) != 1 || e[0].Name != "ohmroute.first_token" || !e[0].Time.Equal(after(380)) {
		t.Errorf("events %v, want the first token", e)
	}
}

func TestAClientsTraceGoesOnInItsRequests(t *testing.T) {
	const traceID, spanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for name, test := range map[string]struct {
		header string
		spans  int
		joined bool
	}{
		"sampled":                  {"00-" + traceID + "-" + spanID + "-01", 3, true},
		"not sampled":              {"00-" + traceID + "-" + spanID + "-00", 0, false},
		"none":                     {"", 3, false},
		"zeros":                    {"00-00000000000000000000000000000000-" + spanID + "-01", 3, false},
		"garbage":                  {"hello", 3, false},
		"cut short":                {"00-" + traceID, 3, false},
		"of a version to come":     {"01-" + traceID + "-" + spanID + "-01-more", 3, true},
		"of a version there isn't": {"ff-" + traceID + "-" + spanID + "-01", 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			spans := spansOf(t, failover(), ParentOf(test.header, "vendor=1"))
			if len(spans) != test.spans {
				t.Fatalf("%d spans, want %d", len(spans), test.spans)
			}
			if test.spans == 0 {
				return
			}
			root := &spans[2]
			if joined := root.SpanContext.TraceID().String() == traceID && root.Parent.SpanID().String() == spanID; joined != test.joined {
				t.Errorf("joined %v: %s below %s", joined, root.SpanContext.TraceID(), root.Parent.SpanID())
			}
			if test.joined && spans[0].SpanContext.TraceState().String() != "vendor=1" {
				t.Error("the trace state was lost")
			}
		})
	}
}

func TestASpanIsAnErrorWhenTheGatewayFailed(t *testing.T) {
	for name, test := range map[string]struct {
		report    combo.Report
		status    codes.Code
		errorType string
	}{
		"answered":              {combo.Report{Outcome: combo.OutcomeOK, Status: 200}, codes.Unset, ""},
		"the client's mistake":  {combo.Report{Outcome: combo.OutcomeFailed, Status: 400, Kind: providers.ClientError}, codes.Unset, "client_error"},
		"a client that left":    {combo.Report{Outcome: combo.OutcomeCanceled, Status: 499, Kind: providers.Canceled}, codes.Unset, "canceled"},
		"no target":             {combo.Report{Outcome: combo.OutcomeUnavailable, Status: 503}, codes.Error, "unavailable"},
		"cut after the headers": {combo.Report{Outcome: combo.OutcomeTruncated, Status: 200, Kind: providers.Truncated}, codes.Error, "truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			test.report.Start, test.report.Endpoint = noon, "embeddings"
			spans := spansOf(t, &test.report, nil)
			if len(spans) != 1 || spans[0].Name != "embeddings" {
				t.Fatalf("spans %v", spans)
			}
			if got := attributesOf(&spans[0])["error.type"]; spans[0].Status.Code != test.status || got != test.errorType {
				t.Errorf("status %v, error.type %q", spans[0].Status, got)
			}
		})
	}
}

func TestProvidersGoByTheNamesOfTheConvention(t *testing.T) {
	for _, test := range [][4]string{ // id, kind, preset, name
		{"a", "openai", "groq", "groq"},
		{"a", "openai", "mistral-ai", "mistral_ai"},
		{"a", "openai", "grok", "x_ai"},
		{"a", "openai", "ollama", "ollama"},
		{"a", "openai", "openai", "openai"},
		{"house", "openai", "", "house"},
		{"a", "anthropic", "", "anthropic"},
		{"a", "gemini", "", "gcp.gemini"},
		{"a", "azure", "", "azure.ai.openai"},
		{"demo", "demo", "", "demo"},
	} {
		if got := ProviderName(test[0], test[1], test[2]); got != test[3] {
			t.Errorf("%v: got %q", test, got)
		}
	}
	for name := range wellKnown {
		if _, ok := providers.PresetOf(name); !ok && !slices.Contains([]string{"anthropic", "gemini", "azure"}, name) {
			t.Errorf("%s is neither a kind nor a preset", name)
		}
	}
}
