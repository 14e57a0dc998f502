package circuitbreaker_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// 3
func TestAWalkOfAnyLengthIsNotRefusedByItsOwnParks(t *testing.T) {
	for name, atOnce := range map[string]int{"one attempt after the other": 1, "three attempts at a time": 3} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, cooldown(5*time.Second), func(s *circuitbreaker.Settings) { s.FailureThreshold = 1000 })
			before, ask := r.acquire(), circuitbreaker.Ask{}
			for round := range 100 {
				ask.Now = r.now
				attempts := make([]circuitbreaker.Permit, atOnce)
				for i := range attempts {
					if refused := r.breaker.Acquire(&attempts[i], ask); refused != nil {
						t.Fatalf("after %d failures the walk's own parks refuse it: %v", round*atOnce+i, refused)
					}
				}
				for i := range attempts {
					r.pass(10 * time.Millisecond)
					ask.IgnoreParks = append(ask.IgnoreParks, attempts[i].Failure(r.now, "server_error", 0))
				}
			}
			ask.Now = r.now
			before.Failure(r.now, "server_error", time.Minute)
			var p circuitbreaker.Permit
			if refused := r.breaker.Acquire(&p, ask); refused == nil || refused.RetryAfter(r.now) != time.Minute {
				t.Errorf("somebody else's park does not hold: %v", refused)
			}
		})
	}
}

// walker is one walk: the parks that its failures began, all of which it ignores.
type walker struct{ own []uint64 }

// sent is a request under way of a walk.
type sent struct {
	by     *walker
	permit *circuitbreaker.Permit
	begun  int // how many parks had begun when it was admitted
}

// listedPark is a park as the reference keeps it: every one that ever began, on its own.
type listedPark struct {
	number uint64
	end    time.Duration
	hinted bool
	ended  bool // by a success
}

// walking drives many walks through one breaker that never opens, and a reference that forgets nothing.
type walking struct {
	t       *rapid.T
	breaker *circuitbreaker.Breaker
	now     time.Duration
	parks   []listedPark
	walks   []*walker
	sent    []sent
}

const (
	walkingCooldown = 2 * time.Second
	walkingHintMax  = 20 * time.Second
)

func (w *walking) clock() time.Time { return epoch.Add(w.now) }

// refuses is what the spec says: the last park that holds and is not the walk's own refuses it.
func (w *walking) refuses(by *walker) (until time.Duration, hinted bool) {
	for _, p := range w.parks {
		if !p.ended && w.now < p.end && !slices.Contains(by.own, p.number) {
			until, hinted = max(until, p.end), hinted || p.hinted
		}
	}
	return until, hinted
}

func (w *walking) ask(by *walker) circuitbreaker.Ask {
	return circuitbreaker.Ask{Now: w.clock(), IgnoreParks: by.own}
}

func (w *walking) sameRefusal(what string, by *walker, got *circuitbreaker.OpenError) {
	until, hinted := w.refuses(by)
	switch {
	case got == nil && until == 0:
	case got == nil:
		w.t.Fatalf("%s admits a walk with parks %v, the reference refuses until %v: %+v", what, by.own, until, w.parks)
	case until == 0:
		w.t.Fatalf("%s refuses a walk with parks %v: %v, the reference admits at %v: %+v", what, by.own, got, w.now, w.parks)
	case !got.RetryAt.Equal(epoch.Add(until)) || got.Hinted != hinted:
		w.t.Fatalf("%s refuses until %v, hinted %t; the reference until %v, hinted %t", what, got.RetryAt.Sub(epoch), got.Hinted, until, hinted)
	}
}

// send asks for one more request of a walk and says whether it may go.
func (w *walking) send(by *walker, forced bool) bool {
	p := new(circuitbreaker.Permit)
	if forced {
		if refused := w.breaker.AcquireForced(p, w.ask(by), "fail_open"); refused != nil {
			w.t.Fatalf("a forced request is refused: %v", refused)
		}
		if until, _ := w.refuses(by); p.Forced() != (until > 0) {
			w.t.Fatalf("forced: %t, the reference refuses until %v", p.Forced(), until)
		}
	} else if refused := w.breaker.Acquire(p, w.ask(by)); refused != nil {
		w.sameRefusal("Acquire", by, refused)
		return false
	} else {
		w.sameRefusal("Acquire", by, nil)
	}
	w.sent = append(w.sent, sent{by: by, permit: p, begun: len(w.parks)})
	return true
}

func (w *walking) take(i int) sent {
	s := w.sent[i]
	w.sent = slices.Delete(w.sent, i, i+1)
	return s
}

func (w *walking) fail(s sent, hint time.Duration) {
	length := min(max(hint, walkingCooldown), walkingHintMax)
	number := s.permit.Failure(w.clock(), "server_error", hint)
	last, _ := w.refuses(new(walker))
	if begins := w.now+length > last; begins != (number != 0) {
		w.t.Fatalf("park %d began, the reference says %t", number, begins)
	}
	if number != 0 {
		w.parks = append(w.parks, listedPark{number: number, end: w.now + length, hinted: hint > 0})
		s.by.own = append(s.by.own, number)
	}
}

func (w *walking) succeed(s sent) {
	s.permit.Success(w.clock())
	for i := range w.parks[:s.begun] {
		w.parks[i].ended = true
	}
}

func (w *walking) hint() time.Duration {
	return rapid.SampledFrom([]time.Duration{0, 0, 0, 3 * time.Second, time.Minute}).Draw(w.t, "hint")
}

func (w *walking) pass(most time.Duration) {
	w.now += time.Duration(rapid.IntRange(0, int(most/time.Millisecond)).Draw(w.t, "ms")) * time.Millisecond
}

// step does one thing with one walk: it sends, it sends and fails again and again, one of its requests ends, or another takes its place.
func (w *walking) step() {
	by := rapid.SampledFrom(w.walks).Draw(w.t, "walk")
	forced := rapid.IntRange(0, 3).Draw(w.t, "forced") == 3
	switch rapid.IntRange(0, 9).Draw(w.t, "deed") {
	case 0, 1, 2:
		if len(w.sent) < 40 {
			w.send(by, forced)
		}
	case 3, 4, 5:
		if n := len(w.sent); n > 0 {
			w.fail(w.take(rapid.IntRange(0, n-1).Draw(w.t, "which")), w.hint())
		}
	case 6:
		for range rapid.IntRange(1, 80).Draw(w.t, "attempts") {
			if !w.send(by, forced) {
				break
			}
			w.pass(50 * time.Millisecond)
			w.fail(w.take(len(w.sent)-1), w.hint())
		}
	case 7:
		if n := len(w.sent); n > 0 && rapid.IntRange(0, 2).Draw(w.t, "well") == 2 {
			w.succeed(w.take(rapid.IntRange(0, n-1).Draw(w.t, "which")))
		}
	case 8:
		w.pass(3 * time.Second)
	case 9:
		*by = walker{}
		for i := range w.sent {
			if w.sent[i].by == by {
				w.sent[i].by = new(walker)
			}
		}
	}
	w.pass(10 * time.Millisecond)
}

// 3, 1
func TestAWalkHeedsExactlyTheParksThatItsOwnAttemptsDidNotBegin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &walking{t: t}
		s := rigSettings(cooldown(walkingCooldown))
		s.FailureThreshold, s.RetryAfterMax = 0, walkingHintMax
		w.breaker = circuitbreaker.New(modelA, s, circuitbreaker.Options{Now: w.clock, Logger: slog.New(slog.DiscardHandler)})
		for range 4 {
			w.walks = append(w.walks, new(walker))
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.step()
			for _, by := range append(w.walks, new(walker)) {
				w.sameRefusal("Peek", by, w.breaker.Peek(w.ask(by)))
			}
		}
	})
}
