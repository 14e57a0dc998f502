package combo

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/ohmroute/ohmroute/providers"
)

func TestTheLastFailureDecidesWhatTheClientIsTold(t *testing.T) {
	cases := map[string]struct {
		fails   act
		status  int
		code    string
		after   time.Duration
		noRetry bool
	}{
		"rate_limit":      {failsWith(providers.RateLimit, 7*time.Second), 429, "rate_limit_exceeded", 7 * time.Second, true},
		"quota_exhausted": {failsWith(providers.QuotaExhausted, 20*time.Minute), 429, "insufficient_quota", time.Minute, true},
		"billing":         {fails(providers.Billing), 429, "insufficient_quota", time.Minute, true},
		"auth":            {fails(providers.Auth), 502, "upstream_auth", time.Minute, true},
		"permission":      {fails(providers.Permission), 502, "upstream_permission", time.Minute, true},
		"model_not_found": {fails(providers.ModelNotFound), 404, "model_not_found", 0, true},
		"overloaded":      {fails(providers.Overloaded), 503, "overloaded", 10 * time.Second, true},
		"server_error":    {fails(providers.ServerError), 503, "server_error", 5 * time.Second, true},
		"timeout":         {fails(providers.Timeout), 504, "timeout", 5 * time.Second, true},
		"connection":      {fails(providers.Connection), 502, "connection", 5 * time.Second, true},
		"malformed":       {fails(providers.Malformed), 502, "malformed", 5 * time.Second, true},
		"local":           {fails(providers.Local), 500, "local", 0, true},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			for _, streamed := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, "a/m", provider("a", func(p *Provider) { p.Keys = keys("k") }))
					r.plays("a/m", test.fails)
					req := r.request("c")
					req.Stream = streamed
					e := r.send(t.Context(), req).err
					if e.Status != test.status || e.Code != test.code || e.RetryAfter != test.after || e.Body != nil {
						t.Errorf("got %d %s Retry-After %v, want %d %s %v", e.Status, e.Code, e.RetryAfter, test.status, test.code, test.after)
					}
					if no := e.ShouldRetry != nil && !*e.ShouldRetry; no != test.noRetry {
						t.Errorf("x-should-retry: %v", e.ShouldRetry)
					}
					if e.Type != providers.ErrorType(e.Status) || e.Kind != test.fails.fail.Kind || e.Target != "a/m" || e.Combo != "c" {
						t.Errorf("got %+v", e)
					}
					if want := "a/m: upstream says " + string(e.Kind); e.Message != want {
						t.Errorf("message %q, want %q", e.Message, want)
					}
				})
			}
		})
	}
}

func TestRetryAfterIsCappedAndTheTrueTimeTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.plays("a/m", failsWith(providers.RateLimit, 5*time.Second))
		r.plays("b/m", failsWith(providers.RateLimit, 10*time.Hour))
		e := r.ask("c").err
		if e.RetryAfter != time.Minute || time.Until(e.RetryAt) != 10*time.Hour {
			t.Errorf("Retry-After %v, retry_at in %v", e.RetryAfter, time.Until(e.RetryAt))
		}
	})
}

func TestRetryAfterWithoutAHintIsWhenTheFirstTargetMayBeAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.plays("a/m", act{fail: failure(providers.ServerError)})
		r.plays("b/m", act{after: 2500 * time.Millisecond, fail: failure(providers.ServerError)})
		e := r.ask("c").err
		if e.RetryAfter != 3*time.Second || time.Until(e.RetryAt) != 2500*time.Millisecond {
			t.Errorf("Retry-After %v, retry_at in %v", e.RetryAfter, time.Until(e.RetryAt))
		}
	})
}

func TestAnAnswerThatIsPassedOnIsUntouched(t *testing.T) {
	for _, kind := range []providers.Kind{providers.ClientError, providers.ContentPolicy, providers.Unsupported} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m")
				r.plays("a/m", fails(kind))
				e := r.ask("c").err
				if want := `{"error":"` + string(kind) + `"}`; string(e.Body) != want || e.Status != upstreamStatus[kind] || e.ContentType != "application/json" {
					t.Errorf("got %d %q %s", e.Status, e.Body, e.ContentType)
				}
				if e.ShouldRetry != nil || e.RetryAfter != 0 {
					t.Errorf("got %+v", e)
				}
			})
		})
	}
}

func TestAnErrorThatClientsWouldSendAgainIsOurOwn(t *testing.T) {
	for _, kind := range []providers.Kind{providers.ContentPolicy, providers.Unsupported} {
		for _, status := range []int{408, 409, 429, 500, 503, 529, 599} {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m")
				r.plays("a/m", act{fail: &providers.Failure{Kind: kind, Status: status, Body: []byte(`{"error":{}}`), Message: "no"}})
				rule, _ := providers.RuleOf(kind)
				if e := r.ask("c").err; e.Status != 400 || e.Code != rule.Client.Code || e.Body != nil || e.Message != "a/m: no" || e.RetryAfter != 0 {
					t.Errorf("%s under %d: got %+v", kind, status, e)
				}
			})
		}
	}
}

func TestAnErrorUnder200IsNeverPassedOnAsItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.plays("a/m", act{fail: &providers.Failure{Kind: providers.ContentPolicy, Status: 200, Code: "content_filter", Message: "no"}})
		if e := r.ask("c").err; e.Status != 400 || e.Code != "content_filter" || e.Body != nil {
			t.Errorf("got %+v", e)
		}
	})
}

func TestAContextLengthIsToldInOpenAIsWording(t *testing.T) {
	cases := map[string]struct {
		named, declared int
		want            string
	}{
		"the window that the upstream named": {8192, 4096, "This model's maximum context length is 8192 tokens"},
		"the window that was declared":       {0, 4096, "This model's maximum context length is 4096 tokens"},
		"an unknown window":                  {0, 0, "This model's maximum context length is exceeded. a/m: "},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m")
				r.model("a", Model{ContextWindow: test.declared})
				f := failure(providers.ContextLength)
				f.ContextWindow = test.named
				r.plays("a/m", act{fail: f})
				e := r.ask("c").err
				if e.Status != 400 || e.Code != "context_length_exceeded" || e.Param != "messages" || !strings.HasPrefix(e.Message, test.want) {
					t.Errorf("got %+v", e)
				}
			})
		})
	}
}

func TestAfterAContextLengthOnlyLargerOrUnknownWindowsOfOtherModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m small/m2 same/m large/m3 unknown/m4")
		declare := func(id, model string, window int) {
			r.change(id, func(p *Provider) { p.Models = map[string]Model{model: {ContextWindow: window}} })
		}
		declare("a", "m", 8000)
		declare("small", "m2", 8000)
		declare("large", "m3", 8001)
		for _, target := range []string{"a/m", "large/m3", "unknown/m4"} {
			r.plays(target, fails(providers.ContextLength))
		}
		res := r.ask("c")
		if got := r.asked(); got != "a/m large/m3 unknown/m4" {
			t.Errorf("asked %q", got)
		}
		if !strings.Contains(sayAttempts(res.err.Attempts), "same/m skipped:context_window") {
			t.Errorf("attempts: %s", sayAttempts(res.err.Attempts))
		}
		r.counts(map[string]int{})
	})
}

func TestNoAttemptWasPossible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		if _, err := r.breakers.Isolate("provider:a", "me", "test"); err != nil {
			t.Fatal(err)
		}
		e := r.ask("c").err
		if e.Status != 503 || e.Code != "all_targets_unavailable" || e.RetryAfter != time.Minute || !e.RetryAt.IsZero() || *e.ShouldRetry {
			t.Errorf("got %+v", e)
		}
		if rep := e.Report(); rep.Outcome != OutcomeUnavailable || rep.Status != 503 || rep.Combo != "c" || len(rep.Attempts) != 1 {
			t.Errorf("report %+v", rep)
		}
	})
}

func TestEveryCandidateIsListedWithItsFate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "off/m open/m a/m fall/m", with(func(c *Combo) {
			c.Targets[0].Drained = true
			c.Targets[3].OnlyOn = []providers.Kind{providers.RateLimit}
			c.Exhausted.Do = Reject
		}))
		r.trip("provider:open")
		r.plays("a/m", act{after: 1500 * time.Millisecond, fail: failure(providers.ServerError)})
		e := r.ask("c").err
		wantAttempts(t, e.Attempts, "off/m skipped:drained", "open/m skipped:open", "a/m failed:server_error", "fall/m skipped:only_on")
		got, err := json.Marshal(e.Attempts[2:])
		if err != nil {
			t.Fatal(err)
		}
		want := `[{"provider":"a","model":"m","key":null,"outcome":"failed","kind":"server_error","skip_reason":null,` +
			`"status":500,"ms":1500,"forced":false},{"provider":"fall","model":"m","key":null,"outcome":"skipped",` +
			`"kind":null,"skip_reason":"only_on","status":null,"ms":0,"forced":false}]`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestARefusalUnder200IsPassedOnAsItCame(t *testing.T) {
	refusal := func() act {
		return act{fail: &providers.Failure{
			Kind: providers.ContentPolicy, Status: 200, Code: "content_filter", Body: []byte(`{"choices":["no"]}`),
			ContentType: "application/json", Usage: &providers.Usage{OutputTokens: 3},
		}}
	}
	t.Run("and is a success", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "a/m b/m")
			r.park("provider:a", 0)
			r.wait(6 * time.Second)
			r.plays("a/m", refusal())
			res := r.ask("c")
			if res.text != `{"choices":["no"]}` || res.answer.Status != 200 || r.asked() != "a/m" {
				t.Errorf("got %+v", res)
			}
			r.counts(map[string]int{})
			wantAttempts(t, res.answer.Attempts, "a/m ok")
			if rep := res.report(); rep.Outcome != OutcomeOK || rep.Usage == nil || rep.Usage.OutputTokens != 3 || rep.Target != "a/m" {
				t.Errorf("report %+v", rep)
			}
		})
	})
	for _, streamed := range []bool{true, false} {
		t.Run("in the form that was asked for, and in no other", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m")
				refused := refusal()
				refused.fail.Stream = true
				r.plays("a/m", refused)
				req := r.request("c")
				req.Stream = streamed
				res := r.send(t.Context(), req)
				if streamed && (res.answer == nil || !res.answer.Stream || res.text != `{"choices":["no"]}`) || !streamed && (res.err == nil || res.err.Status != 400) {
					t.Errorf("streamed %v: got %+v", streamed, res)
				}
			})
		})
	}
	t.Run("unless somebody was put there for it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Targets[1].OnlyOn = []providers.Kind{providers.ContentPolicy} }))
			r.plays("a/m", refusal())
			if res := r.ask("c"); res.text != "hello" || res.answer.Target != "b/m" {
				t.Errorf("got %+v", res)
			}
		})
	})
}

func TestAnEmptyAnswerIsPassedOnIfNothingBetterIsFound(t *testing.T) {
	empty := act{fail: &providers.Failure{Kind: providers.ModelFault, Status: 200, Body: []byte(`{"choices":[""]}`)}}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.plays("a/m", empty)
		if res := r.ask("c"); res.text != "hello" || res.answer.Target != "b/m" {
			t.Errorf("got %+v", res)
		}
		r.plays("b/m", empty)
		res := r.ask("c")
		if res.text != `{"choices":[""]}` || res.answer.Status != 200 || res.answer.Target != "b/m" {
			t.Errorf("got %+v", res)
		}
		wantAttempts(t, res.answer.Attempts, "a/m failed:model_fault", "b/m failed:model_fault")
		r.counts(map[string]int{})
	})
}

func TestABrokenToolCallIsAModelFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.plays("a/m", act{fail: &providers.Failure{Kind: providers.ModelFault, Status: 200, Message: "broken call"}})
		if e := r.ask("c").err; e.Status != 502 || e.Code != "model_fault" || e.Message != "a/m: broken call" {
			t.Errorf("got %+v", e)
		}
	})
}

func TestTheReportTellsWhatTheRequestLogNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m a/n", with(func(c *Combo) { c.Aliases = []string{"quick"} }))
		r.cfg.Aliases["quick"] = "c"
		r.router.Swap(r.cfg)
		r.plays("a/m", act{after: time.Second, fail: failure(providers.ServerError)})
		r.plays("b/m", act{fail: failure(providers.ServerError)})
		beats := []beat{role().later(2 * time.Second), said("x"), done().later(4 * time.Second)}
		beats[2].chunk.Usage = &providers.Usage{InputTokens: 5, OutputTokens: 7}
		r.plays("a/n", stream(beats...))
		rep := r.stream("quick").report()
		if rep.Combo != "c" || rep.Model != "quick" || rep.Target != "a/n" || rep.Outcome != OutcomeOK || rep.Status != 200 ||
			!rep.Stream || rep.Direct || !rep.Listed || rep.RequestID != "req-1" || rep.Endpoint != "chat" ||
			rep.FinishReason != "stop" || rep.UpstreamID != "up-1" {
			t.Errorf("report %+v", rep)
		}
		if rep.Usage == nil || rep.Usage.OutputTokens != 7 {
			t.Errorf("usage %+v", rep.Usage)
		}
		if rep.FirstToken != 3*time.Second || rep.Upstream != 7*time.Second || rep.Total != 7*time.Second || rep.Queue != 0 {
			t.Errorf("first token %v, upstream %v, total %v, queue %v", rep.FirstToken, rep.Upstream, rep.Total, rep.Queue)
		}
		wantAttempts(t, rep.Attempts, "a/m failed:server_error", "b/m failed:server_error", "a/n ok")
	})
}

func TestAReportThatIsKeptDoesNotKeepTheRequest(t *testing.T) {
	r := newRig(t, "a/m")
	ask := func() (Report, weak.Pointer[providers.Request]) {
		req := r.request("c")
		return r.send(t.Context(), req).report(), weak.Make(req)
	}
	rep, body := ask()
	for range 5 {
		runtime.GC()
	}
	if body.Value() != nil {
		t.Error("the request is still there")
	}
	runtime.KeepAlive(rep)
}

func TestTheReportOfARefusedNameIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		rep := r.ask("nobody/x").report()
		if rep.Outcome != OutcomeRejected || rep.Combo != "" || rep.Status != 404 || rep.Model != "nobody/x" {
			t.Errorf("report %+v", rep)
		}
	})
}

func TestACloseBeforeTheEndIsAClientThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", limited(0))
		r.plays("a/m", stream(said("one"), said("two").later(time.Second), done()))
		req := r.request("c")
		req.Stream = true
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		a, err := r.router.Route(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := a.Next(); err != nil || string(data) != "data: one\n\n" {
			t.Errorf("%q %v", data, err)
		}
		a.Close()
		a.Close()
		if rep := a.Report(); rep.Outcome != OutcomeCanceled || rep.Status != 499 || rep.Kind != providers.Canceled {
			t.Errorf("report %+v", rep)
		}
		if _, err := a.Next(); err == nil {
			t.Error("Next goes on after Close")
		}
		r.counts(map[string]int{})
	})
}

func TestARequestThatFitsNobodyIsTooLong(t *testing.T) {
	long := func(r *rig) *providers.Request {
		req := r.request("c")
		req.Body = make([]byte, 10_000)
		return req
	}
	for _, streamed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "a/m b/m")
			r.model("a", Model{ContextWindow: 100})
			r.model("b", Model{ContextWindow: 200})
			req := long(r)
			req.Stream = streamed
			e := r.send(t.Context(), req).err
			if e == nil || e.Status != 400 || e.Code != "context_length_exceeded" || e.Type != "invalid_request_error" ||
				e.Param != "messages" || e.ContextWindow != 200 || e.RetryAfter != 0 || e.ShouldRetry != nil {
				t.Fatalf("got %+v", e)
			}
			if want := "This model's maximum context length is 200 tokens, and the request does not fit. Please reduce the length of the messages."; e.Message != want {
				t.Errorf("message %q", e.Message)
			}
			wantAttempts(t, e.Attempts, "a/m skipped:context_window", "b/m skipped:context_window")
			if rep := e.Report(); rep.Outcome != OutcomeFailed || rep.Kind != providers.ContextLength || rep.Target != "" {
				t.Errorf("report %+v", rep)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", does(Exhausted{Do: Reject}))
		r.model("a", Model{ContextWindow: 100})
		r.trip("provider:b")
		if e := r.send(t.Context(), long(r)).err; e.Status != 503 || e.RetryAfter != 30*time.Second {
			t.Errorf("got %+v: another would take it", e)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", onlyOn(1, providers.ContextLength))
		r.model("a", Model{ContextWindow: 100})
		r.plays("b/m", act{body: "x"})
		if res := r.send(t.Context(), long(r)); res.text != "x" || r.asked() != "b/m" {
			t.Errorf("got %+v: who is there for that would take it", res.err)
		}
	})
}
