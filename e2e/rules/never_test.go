package rules

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Routing.md 4: what must never happen. That no permit is left unsettled is looked at when each of these worlds ends;
// that a broken stream is never retried, in TestATruncatedStreamIsChargedByScopeAndToldAndNeverReplaced.

func TestAStatusReadChangesNoState(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, _ := w.pair()
		w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "one/m two/m", `"strategy":"round_robin"`))
		w.combo("fast", "one/m two/m", `"strategy":"fastest"`)
		w.open(one, "one", "m")
		one.Script("", "chat from one")
		after(10 * time.Minute) // whoever asks to send is the probe
		look := func() string {
			for range 5 {
				for _, path := range []string{"/api/v1/breakers", "/metrics", "/healthz", "/readyz", "/api/v1/stats", "/api/v1/requests", "/api/v1/breaker-state", "/v1/models", "/api/v1/combos"} {
					w.must(http.MethodGet, path, "")
				}
				w.explain("c", "")
				w.explain("fast", asking("fast", streamed))
			}
			return w.must(http.MethodGet, "/api/v1/breakers/"+escaped("target:one/m"), "").body
		}
		before := look()
		if after := look(); after != before {
			w.t.Errorf("before\n%s\nafter\n%s", before, after)
		}
		if n := len(one.Requests()); n != 0 {
			w.t.Errorf("a look asked the target %d times", n)
		}
		for i, want := range []string{"from one", "from two", "from one"} { // no cursor moved, no probe was taken
			if got := w.ask("c", streamed).says(); got != want {
				w.t.Errorf("request %d was answered by %q, want %q", i, got, want)
			}
		}
	})
}

func TestAFailureIsNeverChargedToATargetThatWasNotReached(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", `"models":["m","n"]`, keys(2), `"breaker_scope":"target"`)
		one.connection(refuses)
		w.ask("one/m", streamed).failed(http.StatusBadGateway, "connection")
		if got := w.charged(); got != "provider:one" {
			w.t.Errorf("charged is %q", got)
		}
		w.reset()
		one.connection(connects)
		w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:one/m")+"/isolate", `{"by":"me","reason":"test"}`)
		w.ask("one/m", streamed)
		w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:one/m")+"/reset", "")
		if got := w.charged(); got != "" {
			w.t.Errorf("a refusal charged %q", got)
		}
	})
}

func TestAComboIsNeverLeftForAModelThatIsNotInIt(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", `"models":["m","n"]`, calm)
		two := w.provider("two", models)
		two.Script("", "chat from two")
		one.Script("m", "error 500 - x")
		one.Script("n", "chat from n")
		w.combo("c", "one/m", `"retry":{"same_target":2}`)
		for _, do := range []string{`{"do":"fail_open"}`, `{"do":"reject"}`} {
			w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "one/m", whenExhausted(do)))
			w.ask("c", streamed).failed(http.StatusServiceUnavailable, "server_error")
		}
		if n := one.Count("n") + len(two.Requests()); n != 0 {
			w.t.Errorf("models outside of the combo were asked %d times", n)
		}
	})
}

func TestNothingIsInventedThatNoUpstreamSent(t *testing.T) {
	virtual(t, func(w *world) {
		one := w.provider("one", models, calm)
		sent := []string{
			roleEvent, helloEvent, worldEvent,
			`data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n", ": comment\n\n",
		}
		for n := 1; n <= len(sent); n++ {
			text := strings.Join(sent[:n], "")
			for _, ending := range []string{"cut", "end"} {
				one.Script("", script(raw(text), ending))
				r := w.ask("one/m", true)
				if n < 2 { // not committed
					r.failed(http.StatusBadGateway, "malformed")
					continue
				}
				r.broke(r.says(), "truncated")
				if rest, ok := strings.CutPrefix(r.body, text); !ok || strings.Count(rest, "data:") != 1 || strings.Contains(rest, "finish_reason") || strings.Contains(rest, "usage") {
					w.t.Errorf("%d events, %s: %q", n, ending, r.body)
				}
			}
		}
	})
}

func TestOneClientsBadRequestsBenchNobody(t *testing.T) {
	bad := []string{
		"error 400 - bad", "error 422 - bad", "error 413 - too large", "error 400 context_length_exceeded x",
		"error 400 content_filter x", "error 400 unsupported_parameter x", "error 405 - x", "error 418 - x",
	}
	both(t, func(w *world, streamed bool) {
		one, _ := w.pair()
		for _, answer := range bad {
			one.Script("", answer)
			for range 30 {
				w.ask("c", streamed)
			}
		}
		if got := w.charged(); got != "" {
			w.t.Errorf("charged is %q", got)
		}
		one.Script("", "chat from one")
		w.ask("c", streamed).ok("from one")
	})
}

func TestABadRequestNeitherClosesNorReopensNorTakesTheProbe(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, _ := w.pair()
		w.open(one, "one", "m")
		after(10 * time.Minute)
		one.Script("", "error 422 - bad")
		for range 3 { // each is the probe, and gives its slot back
			w.ask("c", streamed)
			w.triedIs("one/m client_error")
			if b := w.breaker("target:one/m"); b.State != "HALF_OPEN" || b.ProbesInFlight != 0 || b.OpenCycle != 0 {
				w.t.Errorf("%s with %d probes in flight, cycle %d", b.State, b.ProbesInFlight, b.OpenCycle)
			}
		}
		one.Script("", "chat from one")
		w.ask("c", streamed).ok("from one")
		if b := w.breaker("target:one/m"); b.State != "CLOSED" {
			w.t.Errorf("after a success: %s", b.State)
		}
	})
}

func TestBrokenRequestsAreRefusedBeforeAnyTargetIsTouched(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	virtual(t, func(w *world) {
		one, two := w.pair()
		for body, status := range map[string]int{
			"": 400, "{": 400, "nonsense": 400, "null": 400, "[]": 400, `{"model":"c",}`: 400, `{"model":1}`: 400, `{"model":null}`: 400,
			`{"model":"c","stream":"yes"}`: 400, `{"model":"c","model":"c"}`: 400, `{"model":"c","Model":"d"}`: 400,
			`{"model":"c","STREAM":true}`: 400, `{"model":"c","x":` + deep + `}`: 400, `{"model":"c"} trailing`: 400,
			`{"model":"c","messages":"no"}`: 400, "{\"model\":\"c\",\"x\":\"\x01\"}": 400, `{"messages":[]}`: 400,
			`{"model":"c","x":"` + strings.Repeat("x", 33<<20) + `"}`: 413,
		} {
			r := w.call(w.t.Context(), http.MethodPost, "/v1/chat/completions", body)
			if r.status != status {
				w.t.Errorf("%.60q: status %d, want %d", body, r.status, status)
				continue
			}
			if f := r.fault(); f.Message == "" || f.Type == "" {
				w.t.Errorf("%.60q: %s", body, r.body)
			}
		}
		if n := len(one.Requests()) + len(two.Requests()); n != 0 {
			w.t.Errorf("targets were asked %d times", n)
		}
	})
}

func TestACrowdOnAHangingTargetIsBoundedAndEnds(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, _ := w.pair(`"timeouts":{"first_token":"5s","response":"5s"}`, `"keepalive":"0s"`)
		one.Script("", "hang")
		var all []*pending
		for range 200 {
			all = append(all, w.begin("c", streamed))
		}
		begun := time.Now()
		for _, p := range all {
			p.end().ok("from two")
		}
		if took := time.Since(begun); took != 5*time.Second {
			w.t.Errorf("it took %s", took)
		}
		synctest.Wait()
		if b := w.breaker("provider:one"); b.State != "OPEN" {
			w.t.Errorf("it is %s", b.State)
		}
	})
}
