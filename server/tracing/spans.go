package tracing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// Parent is the span of a client that a request belongs to.
type Parent = trace.SpanContext

// ParentOf reads a client's traceparent and tracestate; nil if there is none, or none that can be read.
func ParentOf(traceparent, tracestate string) *Parent {
	if traceparent == "" {
		return nil
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{
		"traceparent": traceparent, "tracestate": tracestate,
	})
	parent := trace.SpanContextFromContext(ctx)
	if !parent.IsValid() {
		return nil
	}
	return &parent
}

// Upstream is what spans say of a provider beyond its id.
type Upstream struct {
	Name    string // gen_ai.provider.name
	Address string // host; empty: in this process
	Port    int
}

// Add makes the spans of a finished request. parent may be nil, and of a provider that upstreams doesn't have only the
// id is told.
func (t *Tracer) Add(r *combo.Report, parent *Parent, upstreams map[string]Upstream) {
	ctx := context.Background()
	if parent != nil {
		ctx = trace.ContextWithRemoteSpanContext(ctx, *parent)
	}
	operation := operationOf(r.Endpoint)
	ctx, span := t.tracer.Start(ctx, title(operation, r.Model), trace.WithTimestamp(r.Start),
		trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(ofRequest(r, operation)...))
	defer span.End(trace.WithTimestamp(r.Start.Add(r.Total)))
	if !span.IsRecording() {
		return
	}
	if failed(r) {
		span.SetStatus(codes.Error, "")
	}
	last := lastSent(r.Attempts)
	at := r.Start
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.Outcome == combo.Skipped {
			span.AddEvent(eventSkip, trace.WithTimestamp(at), trace.WithAttributes(
				providerID.String(a.Provider), modelName.String(a.Model), skipReason.String(string(a.SkipReason))))
			continue
		}
		var answer *combo.Report
		if i == last {
			answer = r
		}
		t.attempt(ctx, a, operation, upstreams[a.Provider], answer)
		at = a.Start.Add(a.Duration)
	}
}

// attempt makes the span of one attempt; answer is the request's report if this is its last one.
func (t *Tracer) attempt(ctx context.Context, a *combo.Attempt, operation string, up Upstream, answer *combo.Report) {
	attrs := []attribute.KeyValue{
		operationName.String(operation), providerName.String(cmp.Or(up.Name, a.Provider)), requestModel.String(a.Model),
		providerID.String(a.Provider),
	}
	if up.Address != "" {
		attrs = append(attrs, serverAddress.String(up.Address), serverPort.Int(up.Port))
	}
	if a.Status != 0 {
		attrs = append(attrs, httpStatus.Int(a.Status))
	}
	if a.Forced {
		attrs = append(attrs, forced.Bool(true))
	}
	if a.Probe {
		attrs = append(attrs, probe.Bool(true))
	}
	if a.Kind != "" {
		attrs = append(attrs, errorType.String(string(a.Kind)))
	}
	if answer != nil {
		attrs = append(attrs, ofAnswer(answer)...)
	}
	_, span := t.tracer.Start(ctx, title(operation, a.Model), trace.WithTimestamp(a.Start),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	if a.Outcome == combo.Failed && a.Kind != providers.Canceled {
		span.SetStatus(codes.Error, "")
	}
	if a.FirstToken > 0 {
		span.AddEvent(eventTokens, trace.WithTimestamp(a.Start.Add(a.FirstToken)))
	}
	span.End(trace.WithTimestamp(a.Start.Add(a.Duration)))
}

func ofRequest(r *combo.Report, operation string) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		operationName.String(operation), requestID.String(r.RequestID), outcome.String(r.Outcome),
		attempts.Int(combo.Sent(r.Attempts)), streamed.Bool(r.Stream), httpStatus.Int(r.Status),
		queueMS.Float64(milliseconds(r.Queue)), gatewayMS.Float64(milliseconds(max(0, r.Total-r.Upstream-r.Queue))),
	}
	for _, name := range [...]attribute.KeyValue{requestModel.String(r.Model), comboName.String(r.Combo), targetName.String(r.Target)} {
		if name.Value.AsString() != "" {
			attrs = append(attrs, name)
		}
	}
	if r.Outcome != combo.OutcomeOK {
		attrs = append(attrs, errorType.String(cmp.Or(string(r.Kind), r.Outcome)))
	}
	return append(attrs, ofAnswer(r)...)
}

func ofAnswer(r *combo.Report) []attribute.KeyValue {
	var attrs []attribute.KeyValue
	if u := r.Usage; u != nil {
		attrs = append(attrs, inputTokens.Int64(u.InputTokens), outputTokens.Int64(u.OutputTokens))
		if u.CachedTokens > 0 {
			attrs = append(attrs, cachedTokens.Int64(u.CachedTokens))
		}
		if u.ReasoningTokens > 0 {
			attrs = append(attrs, reasoningTokens.Int64(u.ReasoningTokens))
		}
	}
	if r.FinishReason != "" {
		attrs = append(attrs, finishReasons.StringSlice([]string{r.FinishReason}))
	}
	if r.UpstreamID != "" {
		attrs = append(attrs, upstreamID.String(r.UpstreamID))
	}
	return attrs
}

// failed tells whether the gateway's answer was no good; a client's own mistake and a client that left are not errors
// of the server (OpenTelemetry's conventions for HTTP).
func failed(r *combo.Report) bool {
	return r.Outcome == combo.OutcomeTruncated || r.Outcome != combo.OutcomeCanceled && r.Status >= serverErrors
}

func lastSent(list []combo.Attempt) int {
	for i, a := range slices.Backward(list) {
		if a.Outcome != combo.Skipped {
			return i
		}
	}
	return -1
}

func title(operation, model string) string {
	if model == "" {
		return operation
	}
	return operation + " " + model
}

// serverErrors are the statuses of a server that failed, from here on.
const serverErrors = 500

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
