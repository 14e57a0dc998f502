package rules

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Routing.md 2, "What the client is told when all failed".

func TestTheLastUpstreamFailureDecides(t *testing.T) {
	for name, test := range map[string]struct {
		one, two string
		status   int
		code     string
	}{
		"a rate limit, then an error":  {"error 429 rate_limit_exceeded x", "error 500 - x", 503, "server_error"},
		"an error, then a rate limit":  {"error 500 - x", "error 429 rate_limit_exceeded x", 429, "rate_limit_exceeded"},
		"an error, then a bad key":     {"error 500 - x", "error 401 invalid_api_key x", 502, "upstream_auth"},
		"an error, then a bad request": {"error 500 - x", "error 400 context_length_exceeded x", 400, "context_length_exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(w *world, streamed bool) {
				one, two := w.pair()
				one.Script("", test.one)
				two.Script("", test.two)
				r := w.ask("c", streamed)
				r.failed(test.status, test.code)
				r.from("two/m", 2)
			})
		})
	}
}

func TestEveryErrorOfOursListsEachCandidateWithAllMembers(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one, two := w.pair()
		w.provider("three", models, keys(2)).Script("", "delay 40ms; error 401 invalid_api_key x")
		w.must(http.MethodPut, "/api/v1/combos/c", comboDocument("c", "one/m two/m three/m"))
		w.open(one, "one", "m")
		two.Script("", "delay 25ms; error 500 - x")
		r := w.ask("c", streamed)
		r.failed(http.StatusBadGateway, "upstream_auth")
		var v struct {
			Error struct{ Attempts []map[string]any }
		}
		if err := json.Unmarshal([]byte(r.body), &v); err != nil {
			w.t.Fatal(err)
		}
		want := []map[string]any{
			{"provider": "one", "model": "m", "key": nil, "outcome": "skipped", "kind": nil, "skip_reason": "open", "status": nil, "ms": 0.0, "forced": false},
			{"provider": "two", "model": "m", "key": "k", "outcome": "failed", "kind": "server_error", "skip_reason": nil, "status": 500.0, "ms": 25.0, "forced": false},
			{"provider": "three", "model": "m", "key": "a", "outcome": "failed", "kind": "auth", "skip_reason": nil, "status": 401.0, "ms": 40.0, "forced": false},
			{"provider": "three", "model": "m", "key": "b", "outcome": "failed", "kind": "auth", "skip_reason": nil, "status": 401.0, "ms": 40.0, "forced": false},
		}
		if len(v.Error.Attempts) != len(want) {
			w.t.Fatalf("attempts %v", v.Error.Attempts)
		}
		for i := range want {
			for member, value := range want[i] {
				if got, ok := v.Error.Attempts[i][member]; !ok || got != value {
					w.t.Errorf("attempt %d: %s is %v, want %v", i, member, got, value)
				}
			}
		}
	})
}

func TestTheUpstreamsTextIsCleanedAndMarkedWithTheTarget(t *testing.T) {
	const secret = "sk-secret-of-one"
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, oneKey("one"), `"headers":{"X-Token":"token-of-a-fixed-header"}`)
		for _, script := range []string{
			"error 500 - can't reach http://10.1.2.3:8080/internal/v1 with " + secret,
			"error 500 " + secret + " it says token-of-a-fixed-header",
			`json {"error":{"message":"Incorrect API key provided: ` + secret + `","type":"` + secret + `","param":"` + secret + `","code":"invalid_api_key"}}`,
			"status 401; echo",
			"status 502; header Content-Type: text/html; body <html>" + secret + " at http://10.1.2.3/</html>",
			"header X-Request-Id: " + secret + "; error 503 - busy",
			"status 500; json {\"error\":{\"message\":\"a\\u0000b\\nc\\u001b[31m \xff\xfe\",\"code\":\"x\"}}",
		} {
			w.reset()
			one.Script("", script)
			r := w.ask("one/m", streamed)
			f := r.fault()
			if !strings.HasPrefix(f.Message, "one/m: ") {
				w.t.Errorf("%q: not marked: %q", script, f.Message)
			}
			var all strings.Builder
			if err := r.header.Write(&all); err != nil {
				w.t.Fatal(err)
			}
			all.WriteString(r.body)
			all.WriteString(w.must(http.MethodGet, "/api/v1/requests", "").body)
			for _, hidden := range []string{secret, "10.1.2.3", "token-of-a-fixed-header", "one.test", "\\u0000", "\\u001b", "\xff"} {
				if strings.Contains(all.String(), hidden) {
					w.t.Errorf("%q tells %q: %s", script, hidden, all.String())
				}
			}
		}
	})
}

func TestAnswersThatPassAsTheyCameStillHideOurKey(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models, oneKey("one"))
		for _, script := range []string{"status 400; echo", `status 422; json {"error":{"message":"you sent sk-secret-of-one"}}`} {
			one.Script("", script)
			if r := w.ask("one/m", streamed); strings.Contains(r.body, "sk-secret-of-one") || r.status/100 != 4 {
				w.t.Errorf("%q: status %d: %s", script, r.status, r.body)
			}
		}
	})
}

func TestResponseHeadersNameRequestComboTargetAndAttempts(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("eins", `"models":["größe/x y"]`).Script("", "header X-Request-Id: up-1; header Set-Cookie: a=b; header X-RateLimit-Remaining-Requests: 1; header Server: x; chat hello")
		w.must(http.MethodPost, "/api/v1/combos", `{"name":"kombi ü%","targets":[{"provider":"eins","model":"größe/x y"}]}`)
		seen := map[string]bool{}
		for range 3 {
			r := w.ask("kombi ü%", streamed)
			r.ok("hello")
			for name, want := range map[string]string{
				"X-Ohmroute-Combo": "kombi %C3%BC%25", "X-Ohmroute-Target": "eins/gr%C3%B6%C3%9Fe/x y", "X-Ohmroute-Attempts": "1",
				"X-Upstream-Request-Id": "up-1", "Set-Cookie": "", "X-Ratelimit-Remaining-Requests": "", "Server": "",
			} {
				if got := r.header.Get(name); got != want {
					w.t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			seen[r.header.Get("X-Request-Id")] = true
			var entry struct{ ID string }
			w.log()
			w.read("/api/v1/requests/"+r.header.Get("X-Request-Id"), &entry)
		}
		if len(seen) != 3 || seen[""] {
			w.t.Errorf("request ids %v", seen)
		}
	})
}

func TestRetryAfterTowardsClientsIsAtMostAMinute(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		one := w.provider("one", models)
		one.Script("", "header Retry-After: 86400; error 429 rate_limit_exceeded x")
		r := w.ask("one/m", streamed)
		f := r.failed(http.StatusTooManyRequests, "rate_limit_exceeded")
		at, err := time.Parse(time.RFC3339, f.RetryAt)
		if r.header.Get("Retry-After") != "60" || err != nil || time.Until(at) != 24*time.Hour {
			w.t.Errorf("Retry-After %q, retry_at %q", r.header.Get("Retry-After"), f.RetryAt)
		}
	})
}

func TestTheRequestLogShowsWhichTryOfAClientItIs(t *testing.T) {
	both(t, func(w *world, streamed bool) {
		w.provider("one", models).Script("", "chat hello")
		w.chat(asking("one/m", streamed), "X-Stainless-Retry-Count", "2").ok("hello")
		if l := w.last(); l.Retries != 2 {
			w.t.Errorf("the log says %+v", l)
		}
	})
}
