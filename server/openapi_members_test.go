package server

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/providers"
)

var localAddr = netip.MustParseAddr("127.0.0.1")

func asJSON(v any) string {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // what JSON was read into can be written
	}
	return string(body)
}

const (
	allTimeouts = `"connect":"1s","first_token":"1m","idle":"2m","response":"3m"`
	allBreaker  = `"measure":"window","failure_threshold":4,"degraded_at":0.5,"recovers_at":0.2,"forget_after":"5m","reset_timeout":"10s",
		"max_backoff_multiplier":8,"backoff_after":1,"half_open_requests":2,"half_open_successes":3,"probe_timeout":"20s","cooldown":"1s",
		"retry_after_max":"1m","jitter":0.25,"enforce":true,"window":"30s","error_threshold":0.75,"volume_threshold":20`
	kindOfProvider = `{"threshold":2,"immediate_open":true,"cooldown":"1m","park":"3s","counts":true,"scope":"provider","failover":"next"}`
	fullProvider   = `{"id":"full","kind":"azure","preset":"","base_url":"https://example.openai.azure.com","api_version":"2024-10-21",
		"dialects":["chat","embeddings"],"strict":true,"forward_headers":["x-tenant"],"inject_usage":true,
		"models":["small",{"name":"large","context_window":1000,"max_output_tokens":100,"price":{"input":1.5,"output":2},"capabilities":["vision"],
			"timeouts":{` + allTimeouts + `},"breaker":{` + allBreaker + `,"kinds":{"timeout":{"threshold":1}}}}],
		"keys":[{"name":"a","env":"A_KEY","weight":2},{"name":"b","value":"sk-b"}],"headers":{"x-team":"a"},
		"breaker":{` + allBreaker + `,"kinds":{"server_error":` + kindOfProvider + `}},"breaker_scope":"target",
		"timeouts":{` + allTimeouts + `},"max_concurrency":3,"queue_timeout":"1s","allow_private_network":true,"enabled":false}`
	playingProvider = `{"id":"play","kind":"demo","models":[{"name":"m","script":"ok words=3"}]}`
	innerCombo      = `{"name":"inner","targets":[{"provider":"play","model":"m"}]}`
	fullCombo       = `{"name":"full","aliases":["whole"],"strategy":"weighted",
		"targets":[{"provider":"play","model":"m","weight":3,"disabled":true},{"combo":"inner"},{"provider":"full","model":"small","only_on":["content_policy"]}],
		"retry":{"max_retries":2,"base":"200ms","max":"1s","same_target":1,"pause_on_failover":true},
		"timeouts":{` + allTimeouts + `,"total":"4m"},"keepalive":"5s","hold":{"events":2,"time":"100ms"},"failover_on_content_policy":true,
		"when_exhausted":{"do":"wait","probe_wait":"1s","max_wait":"2s"}}`
	fullKey = `{"name":"full","combos":["full"],"expires_at":"2099-01-01T00:00:00Z","requests_per_minute":10,"parallel":2,
		"managed_by":"file","created_at":"2020-01-01T00:00:00.000Z","updated_at":"2020-01-01T00:00:00.000Z","version":7}`
)

func fullDocuments(t *testing.T, all *contract) {
	synctest.Test(t, func(t *testing.T) {
		c := all.with(newGateway(t, false))
		for _, document := range [][3]string{
			{"/api/v1/providers", "full", fullProvider},
			{"/api/v1/providers", "play", playingProvider},
			{"/api/v1/combos", "inner", innerCombo},
			{"/api/v1/combos", "full", fullCombo},
		} {
			made := c.must(http.MethodPost, document[0], document[2]).Body.String()
			path := document[0] + "/" + document[1]
			shown := c.must(http.MethodGet, path, "").Body.String()
			if again := c.must(http.MethodPut, path, shown).Body.String(); made != shown || again != shown {
				t.Errorf("made  %s\nshown %s\nagain %s", made, shown, again)
			}
		}
		c.must(http.MethodPost, "/api/v1/keys", fullKey)
		c.must(http.MethodGet, "/api/v1/keys", "")
	})
}

// productWords are the words of schemas that the product keeps in one place.
func productWords(t *testing.T) map[string][]string {
	t.Helper()
	words := map[string][]string{
		"ProviderKind": append(providers.HostKinds(), config.KindDemo), "Strategy": combo.StrategyNames(),
		"TransitionReason": constants(t, "../circuitbreaker/transition.go", "Reason"),
		"SkipReason":       constants(t, "../combo/attempt.go", "Skip"),
		"RequestOutcome":   constants(t, "../combo/report.go", "Outcome"),
		"ProviderScope":    constants(t, "../config/provider.go", "scope"),
	}
	for _, kind := range providers.Kinds() {
		words["FailureKind"] = append(words["FailureKind"], string(kind))
	}
	for state := circuitbreaker.Closed; state <= circuitbreaker.Isolated; state++ {
		words["BreakerState"] = append(words["BreakerState"], state.String())
	}
	for scope := circuitbreaker.ScopeProvider; scope <= circuitbreaker.ScopeTarget; scope++ {
		words["BreakerScope"] = append(words["BreakerScope"], scope.String())
	}
	for charge := providers.ChargeNone; charge <= providers.ChargeByScope; charge++ {
		words["Charge"] = append(words["Charge"], charge.String())
	}
	for way := providers.NextNone; way <= providers.NextBeforeCommit; way++ {
		words["Failover"] = append(words["Failover"], way.String())
	}
	return words
}

// constants are the texts of a file's constants whose names are prefix and a word.
func constants(t *testing.T, file, prefix string) (texts []string) {
	t.Helper()
	parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if rest, found := strings.CutPrefix(spec.Names[0].Name, prefix); !found || !ast.IsExported(rest) {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == gotoken.STRING {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Error(err)
			}
			texts = append(texts, text)
		}
		return true
	})
	return texts
}

// productDefaults are the defaults that hold where no layer of the configuration says anything, as documents show them.
func productDefaults() map[string]map[string]string {
	b, l, c := circuitbreaker.DefaultSettings(), combo.DefaultLimits(), combo.DefaultCombo()
	breaker := map[string]string{}
	for name, value := range map[string]any{
		"measure": b.Measure, "failure_threshold": b.FailureThreshold, "degraded_at": b.DegradedAt, "recovers_at": b.RecoversAt,
		"forget_after": b.ForgetAfter, "reset_timeout": b.ResetTimeout, "max_backoff_multiplier": b.MaxBackoffMultiplier,
		"backoff_after": b.BackoffAfter, "half_open_requests": b.HalfOpenRequests, "half_open_successes": b.HalfOpenSuccesses,
		"probe_timeout": b.ProbeTimeout, "cooldown": b.Cooldown, "retry_after_max": b.RetryAfterMax, "jitter": b.Jitter,
		"enforce": b.Enforce, "window": b.Window, "error_threshold": b.ErrorThreshold, "volume_threshold": b.VolumeThreshold,
	} {
		breaker[name] = fmt.Sprint(value)
	}
	timeouts := map[string]string{
		"connect": l.Connect.String(), "first_token": l.FirstToken.String(), "idle": l.Idle.String(), "response": l.Response.String(),
	}
	whole := maps.Clone(timeouts)
	whole["total"] = c.Total.String()
	return map[string]map[string]string{
		"BreakerSettings": breaker, "Timeouts": timeouts, "ComboTimeouts": whole,
		"ComboInput": {"keepalive": c.Keepalive.String()},
		"Retry": {
			"base": c.Retry.Base.String(), "max": c.Retry.Max.String(), "same_target": strconv.Itoa(c.Retry.SameTarget),
			"pause_on_failover": strconv.FormatBool(c.Retry.PauseOnFailover),
		},
		"WhenExhausted": {
			"do": c.Exhausted.Do, "probe_wait": c.Exhausted.ProbeWait.String(), "max_wait": c.Exhausted.MaxWait.String(),
		},
	}
}
