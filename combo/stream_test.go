package combo

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

func TestNothingReachesTheClientBeforeTheFirstMeaningfulEvent(t *testing.T) {
	cases := map[string]struct {
		dies beat
		kind providers.Kind
	}{
		"an error event":                 {dies(providers.Overloaded), providers.Overloaded},
		"a closed connection":            {dies(providers.Malformed), providers.Malformed},
		"a first token that never comes": {said("late").later(time.Hour), providers.Timeout},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m")
				r.plays("a/m", stream(role(), role(), test.dies))
				r.plays("b/m", stream(role(), said("hello"), done()))
				res := r.stream("c")
				if want := "data: role\n\ndata: hello\n\ndata: [DONE]\n\n"; res.text != want {
					t.Errorf("got %q, want %q: held bytes are replayed byte for byte, and only b's", res.text, want)
				}
				wantAttempts(t, res.answer.Attempts, "a/m failed:"+string(test.kind), "b/m ok")
				r.counts(map[string]int{"provider:a": 1})
			})
		})
	}
}

func TestAStreamThatEndsUncommittedAndPassesIsReplayedWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		finish := beat{chunk: providers.Chunk{Data: []byte("data: length\n\n"), FinishReason: "length"}}
		r.plays("a/m", stream(role(), finish, done()))
		res := r.stream("c")
		if res.text != "data: role\n\ndata: length\n\ndata: [DONE]\n\n" || res.report().Outcome != OutcomeOK {
			t.Errorf("got %q %+v", res.text, res.err)
		}
	})
}

func TestAnEmptyStreamMovesOnAndIsReplayedIfNothingBetterIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		empty := beat{err: &providers.Failure{
			Kind: providers.ModelFault, Status: 200, Message: "the model's answer was empty", Stream: true, Body: []byte("data: role\n\ndata: [DONE]\n\n"),
		}}
		r.plays("a/m", stream(role(), empty))
		if res := r.stream("c"); res.answer.Target != "b/m" {
			t.Errorf("got %+v", res)
		}
		r.plays("b/m", stream(role(), empty))
		if res := r.stream("c"); res.text != "data: role\n\ndata: [DONE]\n\n" || !res.answer.Stream || res.answer.Status != 200 {
			t.Errorf("got %q %+v", res.text, res.err)
		}
	})
}

func TestABrokenCallInAStreamIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.plays("a/m", stream(role(), beat{err: &providers.Failure{Kind: providers.ModelFault, Status: 200, Code: "tool_use_failed"}}))
		if res := r.stream("c"); res.err == nil || res.err.Status != 502 || res.err.Code != "model_fault" {
			t.Errorf("got %+v", res)
		}
	})
}

func TestWhatIsHeldBackIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		flood := beat{chunk: providers.Chunk{Data: bytes.Repeat([]byte(": x\n"), 32<<10)}}
		r.plays("a/m", stream(flood, flood, flood, said("late"), done()))
		res := r.stream("c")
		wantAttempts(t, res.answer.Attempts, "a/m failed:malformed", "b/m ok")
	})
}

func TestTheHoldWindow(t *testing.T) {
	cases := map[string]struct {
		hold  Hold
		beats []beat
		want  string // the target that answers
		after time.Duration
	}{
		"holds nothing by default": {Hold{}, []beat{said("1"), dies(providers.Truncated)}, "a/m", 0},
		"holds the first events back": {
			Hold{Events: 2}, []beat{said("1"), said("2"), dies(providers.Truncated)}, "b/m", 0,
		},
		"and not more than those": {
			Hold{Events: 2}, []beat{said("1"), said("2"), said("3"), dies(providers.Truncated)}, "a/m", 0,
		},
		"counts every event of a read": {
			Hold{Events: 2}, []beat{three("123"), dies(providers.Truncated)}, "a/m", 0,
		},
		"holds for a time": {
			Hold{Time: time.Second}, []beat{said("1"), said("2"), dies(providers.Truncated).later(900 * time.Millisecond)}, "b/m", 900 * time.Millisecond,
		},
		"and not longer": {
			Hold{Time: time.Second}, []beat{said("1"), dies(providers.Truncated).later(1100 * time.Millisecond)}, "a/m", time.Second,
		},
		"whichever comes first: events": {
			Hold{Events: 1, Time: time.Second}, []beat{said("1"), said("2"), dies(providers.Truncated).later(100 * time.Millisecond)}, "a/m", 0,
		},
		"whichever comes first: time": {
			Hold{Events: 9, Time: time.Second}, []beat{said("1"), dies(providers.Truncated).later(1100 * time.Millisecond)}, "a/m", time.Second,
		},
		"ends with the stream": {Hold{Events: 9}, []beat{said("1"), done()}, "a/m", 0},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Hold = test.hold }))
				r.plays("a/m", stream(test.beats...))
				req := r.request("c")
				req.Stream = true
				begin := time.Now()
				a, err := r.router.Route(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				if a.Target != test.want || time.Since(begin) != test.after {
					t.Errorf("%s after %v, want %s after %v", a.Target, time.Since(begin), test.want, test.after)
				}
				var text strings.Builder
				for err == nil {
					var data []byte
					data, err = a.Next()
					text.Write(data)
				}
				if test.want == "a/m" && !strings.HasPrefix(text.String(), "data: 1") {
					t.Errorf("the held bytes are missing: %q", text.String())
				}
				if test.want == "b/m" && strings.Contains(text.String(), "1") {
					t.Errorf("bytes of a: %q", text.String())
				}
			})
		})
	}
}

func TestAClientThatLeavesDuringTheHoldWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Hold.Time = time.Minute }))
		r.plays("a/m", stream(said("1"), said("2").later(time.Hour)))
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		req := r.request("c")
		req.Stream = true
		if res := r.send(ctx, req); res.err == nil || res.err.Status != 499 || r.asked() != "a/m" {
			t.Errorf("got %+v", res)
		}
		r.counts(map[string]int{})
	})
}

func TestACloseWhileAReadOfTheHoldWindowIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", with(func(c *Combo) { c.Hold.Time = time.Second }))
		r.plays("a/m", stream(said("1"), said("2").later(time.Hour)))
		req := r.request("c")
		req.Stream = true
		ctx, leave := context.WithCancel(t.Context())
		a, err := r.router.Route(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		leave()
		a.Close()
	})
}

func TestAfterTheCommitNoOtherTargetIsTried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m")
		r.plays("a/m", stream(said("1"), dies(providers.ServerError)))
		res := r.stream("c")
		if res.text != "data: 1\n\n" || r.asked() != "a/m" {
			t.Errorf("got %q", res.text)
		}
		if res.err == nil || res.err.Kind != providers.Truncated || res.err.Code != "truncated" {
			t.Errorf("got %+v", res.err)
		}
		r.counts(map[string]int{"provider:a": 1}) // the breaker counts it
		wantAttempts(t, res.answer.Attempts, "a/m failed:truncated")
		if rep := res.report(); rep.Outcome != OutcomeTruncated || rep.Kind != providers.Truncated || rep.Status != 200 {
			t.Errorf("report %+v", rep)
		}
	})
}

func TestAReadErrorAfterTheProtocolsEndIsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.plays("a/m", stream(said("1"), done(), dies(providers.Connection)))
		if res := r.stream("c"); res.err != nil || res.report().Outcome != OutcomeOK {
			t.Errorf("got %+v", res.err)
		}
		r.counts(map[string]int{})
	})
}

func TestAnAnswerThatIsWholeCountsAlthoughTheClientLeavesBeforeItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.park("provider:a", 0)
		r.wait(6 * time.Second)
		a, err := r.router.Route(t.Context(), r.request("c"))
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		r.counts(map[string]int{})
		if rep := a.Report(); rep.Outcome != OutcomeOK {
			t.Errorf("report %+v", rep)
		}
	})
}

func TestTotalBoundsTheStreamToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", with(func(c *Combo) { c.Total = 3 * time.Second }))
		r.plays("a/m", stream(said("1"), said("2").later(time.Hour)))
		res := r.stream("c")
		if res.err == nil || res.err.Kind != providers.Timeout || res.took != 3*time.Second {
			t.Errorf("got %+v after %v", res.err, res.took)
		}
		r.counts(map[string]int{})
	})
}

func TestTheClientLeavesInMidStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.plays("a/m", stream(said("1"), said("2").later(time.Hour)))
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		req := r.request("c")
		req.Stream = true
		res := r.send(ctx, req)
		if res.err == nil || res.err.Kind != providers.Canceled || res.took != time.Second {
			t.Errorf("got %+v after %v", res.err, res.took)
		}
		r.counts(map[string]int{})
		if rep := res.report(); rep.Status != 499 || rep.Outcome != OutcomeCanceled {
			t.Errorf("report %+v", rep)
		}
	})
}

func TestAStreamedProbeFreesItsSlotAtTheFirstEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", does(Exhausted{Do: Reject}))
		r.trip("provider:a")
		r.wait(30 * time.Second)
		r.plays("a/m", stream(role(), said("1").later(time.Second), said("2").later(time.Hour), done()))
		finished := make(chan result)
		go func() { finished <- r.stream("c") }()
		r.wait(500 * time.Millisecond)
		if res := r.stream("c"); res.err == nil || res.err.Attempts[0].SkipReason != SkipProbing {
			t.Error("a second probe before the first token")
		}
		r.wait(time.Second)
		second := make(chan result)
		r.plays("a/m", stream(said("1"), done()))
		go func() { second <- r.stream("c") }()
		if res := <-second; res.err != nil || !res.report().Attempts[0].Probe {
			t.Errorf("after the first token: %+v", res.err)
		}
		r.state("provider:a", circuitbreaker.Closed)
		<-finished
	})
}

func TestAnAttemptThatFallsSilentWhileItIsHeldBackLeavesTimeForAnother(t *testing.T) {
	holds := map[string]Hold{"by events": {Events: 3}, "by time": {Time: time.Hour}, "by both": {Events: 3, Time: time.Hour}}
	for name, hold := range holds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Total, c.Hold = 9*time.Second, hold }))
				r.plays("a/m", stream(said("one").later(time.Second), said("two").later(time.Hour)))
				r.plays("b/m", stream(said("b"), done()))
				res := r.stream("c")
				if res.err != nil || res.answer.Target != "b/m" || res.took != 5*time.Second {
					t.Fatalf("got %+v after %v, want b's answer 1 s + half of 8 s later", res.err, res.took)
				}
				wantAttempts(t, res.answer.Attempts, "a/m failed:timeout", "b/m ok")
				r.counts(map[string]int{"provider:a": 1})
			})
		})
	}
}

func TestAnAttemptThatIsNotSilentMayBeHeldBackForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m", with(func(c *Combo) { c.Total, c.Hold = 20*time.Second, Hold{Events: 4} }))
		second := time.Second
		r.plays("a/m", stream(said("1").later(4*second), said("2").later(4*second), said("3").later(3*second),
			said("4").later(2*second), said("5").later(second), said("6").later(5*second), done()))
		if res := r.stream("c"); res.err != nil || res.answer.Target != "a/m" || res.took != 19*second {
			t.Errorf("got %+v after %v: after the commit the idle limit alone counts", res.err, res.took)
		}
	})
}
