package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

func scrape(g *gateway) string {
	g.t.Helper()
	re := g.ask(http.MethodGet, "/metrics", "")
	if re.Code != 200 {
		g.t.Fatalf("status %d", re.Code)
	}
	return re.Body.String()
}

func TestMetrics(t *testing.T) {
	g := newGateway(t, true)
	report := combo.Report{
		Combo: "demo", Outcome: combo.OutcomeOK, Total: time.Second, Upstream: 999 * time.Millisecond, Listed: true,
		Attempts: []combo.Attempt{
			{Provider: "p", Model: "m", Outcome: combo.Skipped, SkipReason: combo.SkipOpen, Listed: true},
			{Provider: "p", Model: "a", Outcome: combo.Failed, Kind: providers.ServerError, Listed: true},
			{Provider: "p", Model: "b", Outcome: combo.OK, Listed: true, FirstToken: 300 * time.Millisecond},
		},
	}
	g.server.metrics.observe(&report)
	page := scrape(g)
	for _, line := range []string{
		`ohmroute_requests_total{combo="demo",outcome="ok"} 1`,
		`ohmroute_attempts_total{kind="server_error",model="a",provider="p"} 1`,
		`ohmroute_attempts_total{kind="ok",model="b",provider="p"} 1`,
		`ohmroute_failovers_total{combo="demo",kind="server_error"} 1`,
		`ohmroute_gateway_overhead_seconds_bucket{le="0.001"} 1`,
		`ohmroute_first_token_seconds_bucket{model="b",provider="p",le="0.5"} 1`,
		`ohmroute_streams_in_flight 0`,
		`ohmroute_persistence_oldest_unsaved_seconds 0`,
		`ohmroute_breaker_state{name="target:demo/flaky",state="CLOSED"} 1`,
		`ohmroute_breaker_state{name="target:demo/flaky",state="ISOLATED"} 0`,
		`ohmroute_build_info{version="test"} 1`,
		`go_goroutines `,
	} {
		if !strings.Contains(page, line) {
			t.Errorf("%s is missing", line)
		}
	}
	if strings.Contains(page, `model="m"`) {
		t.Error("a skip counts as an attempt")
	}
}

func TestNoTextOfAClientBecomesALabel(t *testing.T) {
	g := newGateway(t, true)
	for _, model := range []string{"nobody", "demo/nobody", "x\\ny"} {
		g.ask(http.MethodPost, "/v1/chat/completions", `{"model":"`+model+`","messages":[]}`)
	}
	g.server.metrics.observe(&combo.Report{
		Combo: "open/whatever", Direct: true, Outcome: combo.OutcomeOK,
		Attempts: []combo.Attempt{{Provider: "open", Model: "whatever", Outcome: combo.OK}},
	})
	page := scrape(g)
	for _, text := range []string{"nobody", "whatever", "x\\ny"} {
		if strings.Contains(page, text) {
			t.Errorf("%q is a label", text)
		}
	}
	if !strings.Contains(page, `ohmroute_attempts_total{kind="ok",model="other",provider="open"} 1`) {
		t.Error("an unlisted model is not counted as other")
	}
}

func TestTransitionsAreCountedAndPublished(t *testing.T) {
	g := newGateway(t, true)
	name := circuitbreaker.TargetName("demo", "steady")
	g.must(http.MethodPost, "/api/v1/breakers/target%3Ademo%2Fsteady/isolate", `{"by":"me","reason":"test"}`)
	want := `ohmroute_breaker_transitions_total{from="CLOSED",name="` + name + `",reason="isolated",to="ISOLATED"} 1`
	if page := scrape(g); !strings.Contains(page, want) {
		t.Errorf("%s is missing in %s", want, page)
	}
}
