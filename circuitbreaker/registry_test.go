package circuitbreaker_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 6, by number.

// 1
func TestGetReturnsTheSameBreakerToEverybody(t *testing.T) {
	r := newRig(t)
	if first := r.reg.Get("target:p/x"); r.reg.Get("target:p/x") != first {
		t.Error("two breakers of one name")
	}
	if testing.AllocsPerRun(100, func() { r.reg.Get("target:p/x") }) != 0 {
		t.Error("Get of a known name allocates")
	}
}

// 2
func TestNamesTellTheirScope(t *testing.T) {
	for name, want := range map[string]circuitbreaker.Scope{
		circuitbreaker.ProviderName("openai"):         circuitbreaker.ScopeProvider,
		circuitbreaker.KeyName("openai", "main"):      circuitbreaker.ScopeKey,
		circuitbreaker.TargetName("openai", "gpt:4o"): circuitbreaker.ScopeTarget,
		"anything": circuitbreaker.ScopeNone,
	} {
		b := circuitbreaker.New(name, rigSettings(), circuitbreaker.Options{})
		if got := b.Status(time.Time{}); got.Scope != want || got.Name != name {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// 3
func TestASettingsChangeMakesNoTransitionAndActsAtTheNextVerdict(t *testing.T) {
	r := newRig(t)
	r.fail(2, "timeout")
	r.configure(rigSettings(func(s *circuitbreaker.Settings) { s.FailureThreshold = 2 }))
	r.want(circuitbreaker.Closed)
	r.acquire().NoVerdict(r.now)
	r.want(circuitbreaker.Closed)
	r.fail(1, "timeout")
	r.want(circuitbreaker.Open)
}

// 3
func TestAnotherMeasureZeroesMeasureAndKindsAndNotTheState(t *testing.T) {
	for name, test := range map[string]struct{ before, after with }{
		"another measure": {measure(circuitbreaker.Decay), measure(circuitbreaker.Consecutive)},
		"another window": {measure(circuitbreaker.Window), func(s *circuitbreaker.Settings) {
			s.Measure, s.Window = circuitbreaker.Window, 20*time.Second
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, test.before)
			r.succeed(6)
			r.fail(4, "timeout")
			r.want(circuitbreaker.Degraded)
			r.configure(rigSettings(test.after))
			if s := r.status(); s.State != circuitbreaker.Degraded || s.FailureCount != 0 || len(s.KindCounts) != 0 {
				t.Errorf("after the change: %+v", s)
			}
		})
	}
}

// 3
func TestARunningDeadlineIsOnlyClampedToTheNewMaximumWait(t *testing.T) {
	r := newRig(t)
	r.trip()
	before := r.status().RetryAt
	r.configure(rigSettings(func(s *circuitbreaker.Settings) { s.ResetTimeout = time.Hour }))
	if got := r.status().RetryAt; got != before {
		t.Errorf("a longer wait moved the deadline to %v", got)
	}
	r.configure(rigSettings(func(s *circuitbreaker.Settings) {
		s.ResetTimeout, s.MaxBackoffMultiplier, s.RetryAfterMax = 10*time.Second, 1, 10*time.Second
	}))
	if got := r.wait(); got != 10*time.Second {
		t.Errorf("wait %v, want 10s", got)
	}
	if got := r.refused(circuitbreaker.ReasonOpen).RetryAfter(r.now); got != 10*time.Second {
		t.Errorf("refused for %v, want 10s", got)
	}
}

// 3
func TestARestoreBringsLearnedStateAndNeverOldSettings(t *testing.T) {
	r := newRig(t)
	r.fail(4, "timeout")
	r.restart(func(s *circuitbreaker.Settings) { s.FailureThreshold = 10 })
	if s := r.status(); s.FailureThreshold != 10 || s.FailureCount != 4 || s.State != circuitbreaker.Degraded {
		t.Errorf("restored %+v", s)
	}
}

// 3
func TestANameThatLeavesTheConfigurationIsDeletedWithItsRow(t *testing.T) {
	r := newRig(t)
	r.trip()
	r.flush()
	r.reg.Configure(t.Context(), nil)
	if _, known := r.reg.Status(r.name, r.now); known || len(r.reg.List(r.now)) != 0 || len(r.reg.Transitions(r.name)) != 0 {
		t.Error("the name is still there")
	}
	r.flush()
	if loaded, _ := r.store.Load(t.Context()); len(loaded.Breakers)+len(loaded.Transitions) != 0 {
		t.Errorf("stored: %+v", loaded)
	}
	r.acquire().Failure(r.now, "timeout", 0) // somebody kept the breaker
	if all := r.reg.List(r.now); len(all) != 0 {
		t.Errorf("it came back: %+v", all)
	}
}

// 3
func TestAnIsolatedNameThatLeavesTheConfigurationStaysListedUntilReleased(t *testing.T) {
	r := newRig(t)
	_, _ = r.reg.Isolate(r.name, "ana", "")
	r.reg.Configure(t.Context(), nil)
	if s, known := r.reg.Status(r.name, r.now); !known || s.State != circuitbreaker.Isolated {
		t.Fatalf("%+v, %t", s, known)
	}
	if s, err := r.reg.Release(r.name); err != nil || s.State != circuitbreaker.HalfOpen {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, known := r.reg.Status(r.name, r.now); known {
		t.Error("it is still there")
	}
}

// 3
func TestAKeyWhoseSecretChangedIsReset(t *testing.T) {
	const name = "key:p/k"
	key := func(fingerprint string) map[string]circuitbreaker.Configured {
		return map[string]circuitbreaker.Configured{name: {Settings: rigSettings(), Fingerprint: fingerprint}}
	}
	for how, restart := range map[string]bool{"while it runs": false, "over a restart": true} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			r.name = name
			r.reg.Configure(t.Context(), key("old"))
			r.breaker = r.reg.Get(name)
			r.trip()
			r.reg.Configure(t.Context(), key("old"))
			r.want(circuitbreaker.Open)
			if restart {
				r.flush()
				r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{
					Store: r.store, Now: func() time.Time { return r.now }, Logger: slog.New(slog.DiscardHandler),
				})
				if err := r.reg.Restore(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			r.reg.Configure(t.Context(), key("new"))
			r.breaker = r.reg.Get(name)
			r.want(circuitbreaker.Closed)
			if got := r.reasons(); got[len(got)-1] != circuitbreaker.ReasonKeyChanged {
				t.Errorf("reasons %v", got)
			}
		})
	}
}

// 3
func TestAnotherSecretDoesNotEndAnOperatorsHold(t *testing.T) {
	r := newRig(t)
	r.reg.Configure(t.Context(), map[string]circuitbreaker.Configured{r.name: {Settings: rigSettings(), Fingerprint: "old"}})
	r.fail(2, "timeout")
	_, _ = r.reg.Isolate(r.name, "ana", "")
	r.reg.Configure(t.Context(), map[string]circuitbreaker.Configured{r.name: {Settings: rigSettings(), Fingerprint: "new"}})
	r.want(circuitbreaker.Isolated)
	r.wantCount(0)
	r.flush()
	r.pass(time.Hour)
	r.reg.Configure(t.Context(), map[string]circuitbreaker.Configured{r.name: {Settings: rigSettings(), Fingerprint: "newest"}})
	r.flush()
	loaded, err := r.store.Load(t.Context())
	if err != nil || len(loaded.Breakers) != 1 || loaded.Breakers[0].Failures != 0 || !loaded.Breakers[0].UpdatedAt.Equal(r.now) {
		t.Errorf("stored %+v, %v: what was forgotten is not", loaded.Breakers, err)
	}
}

// 4
func TestASweepEvictsWhatIsClosedZeroAndNotAskedForAWhile(t *testing.T) {
	r := newRig(t)
	r.fail(1, "timeout")
	r.succeed(1)
	r.flush()
	busy, sick := r.reg.Get("target:p/busy"), r.reg.Get("target:p/sick")
	var p circuitbreaker.Permit
	_ = sick.Acquire(&p, r.ask())
	p.Failure(r.now, "timeout", 0)
	if n := r.reg.Sweep(r.now); n != 0 {
		t.Fatalf("the first sweep evicted %d", n)
	}
	r.pass(30*time.Minute - time.Nanosecond)
	if n := r.reg.Sweep(r.now); n != 0 {
		t.Fatalf("a sweep too early evicted %d", n)
	}
	_ = busy.Acquire(&p, r.ask())
	p.Success(r.now)
	r.now = r.now.Add(time.Nanosecond) // the failure of sick is forgotten by now
	if n := r.reg.Sweep(r.now); n != 2 {
		t.Fatalf("evicted %d, want 2", n)
	}
	r.flush()
	if loaded, _ := r.store.Load(t.Context()); len(loaded.Breakers) != 0 {
		t.Errorf("rows left: %+v", loaded.Breakers)
	}
	if r.reg.Get("target:p/busy") != busy {
		t.Error("the one that was asked is gone")
	}
	if s, known := r.reg.Status(r.name, r.now); !known || s.State != circuitbreaker.Closed {
		t.Error("a configured name is not known after its eviction")
	}
}

// 4
func TestMaxBreakersEvictsTheColdestOfTheSameSortAndNeverOneThatHasSomethingToTell(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{
		Now: func() time.Time { return r.now }, MaxBreakers: 4, Logger: slog.New(slog.NewTextHandler(&log, nil)), Default: rigSettings(),
	})
	names := func() (all []string) {
		for _, s := range r.reg.List(r.now) {
			all = append(all, s.Name)
		}
		return all
	}
	r.reg.Get("provider:p")
	for i := range 3 {
		r.reg.Get(fmt.Sprintf("target:p/%d", i))
		r.pass(time.Second)
	}
	r.breaker = r.reg.Get("target:p/0") // the oldest, but asked since
	r.fail(1, "timeout")
	r.breaker = r.reg.Get("target:p/3")
	if want := []string{"provider:p", "target:p/0", "target:p/2", "target:p/3"}; !slices.Equal(names(), want) {
		t.Fatalf("%v, want %v", names(), want)
	}
	for i := 2; i < 8; i++ {
		r.breaker = r.reg.Get(fmt.Sprintf("target:p/%d", i))
		r.fail(3, "timeout")
	}
	if got := len(names()); got != 7 {
		t.Errorf("%d breakers, want 7: the provider is cold, of the targets none may be evicted", got)
	}
	if got := strings.Count(log.String(), "none of them idle"); got != 1 {
		t.Errorf("it said so %d times, want once:\n%s", got, log.String())
	}
}

// 4
func TestTheRegistryGrowsOnlyIfNothingOfAnyScopeMayBeEvicted(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{
		Now: func() time.Time { return r.now }, MaxBreakers: 3, Logger: slog.New(slog.NewTextHandler(&log, nil)), Default: rigSettings(),
	})
	r.reg.Get("provider:p")
	r.pass(time.Second)
	r.reg.Get("key:p/k")
	for i := range 3 { // each has something to tell before the next one comes
		r.breaker = r.reg.Get(fmt.Sprintf("target:p/%d", i))
		r.fail(3, "timeout")
	}
	var left []string
	for _, s := range r.reg.List(r.now) {
		left = append(left, s.Name)
	}
	if want := []string{"target:p/0", "target:p/1", "target:p/2"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	if log.Len() != 0 {
		t.Errorf("something could be evicted, but it logged %s", log.String())
	}
	r.reg.Get("target:p/3")
	if got := log.String(); !strings.Contains(got, "none of them idle") || strings.Contains(got, "scope") {
		t.Errorf("it logged %q", got)
	}
}

// 4
func TestTheColdestIsWhatWasNotAskedSinceTheLastSweep(t *testing.T) {
	r := newRig(t)
	r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{Now: func() time.Time { return r.now }, MaxBreakers: 2, Default: rigSettings()})
	for _, name := range []string{"target:p/older", "target:p/younger"} {
		r.breaker = r.reg.Get(name)
		r.succeed(1)
		r.reg.Sweep(r.now)
		r.pass(time.Second)
		r.reg.Sweep(r.now)
	}
	r.breaker = r.reg.Get("target:p/older")
	r.succeed(1)
	r.reg.Get("target:p/new")
	if all := r.reg.List(r.now); len(all) != 2 || all[0].Name != "target:p/new" || all[1].Name != "target:p/older" {
		t.Errorf("left are %+v", all)
	}
}

// 5
func TestAPermitThatOutlivesItsBreakersEvictionSettlesAsLateAndDoesNotResurrectIt(t *testing.T) {
	r := newRig(t)
	old := r.breaker
	p, q := r.acquire(), r.acquire()
	r.reg.Sweep(r.now)
	r.pass(time.Hour)
	if n := r.reg.Sweep(r.now); n != 1 {
		t.Fatalf("evicted %d, want 1", n)
	}
	p.Failure(r.now, "timeout", 0)
	q.Success(r.now)
	if r.wantCount(0); old.Late() != 2 {
		t.Errorf("%d late, want 2", old.Late())
	}
	r.acquire().Failure(r.now, "timeout", 0) // by the handle that was kept
	if s, _ := r.reg.Status(r.name, r.now); s.FailureCount != 1 || r.reg.Get(r.name) == old {
		t.Errorf("the handle that was kept does not lead to the new breaker: %+v", s)
	}
}

// 6
func TestASlowSubscriberLosesItsOldestEventsAndIsToldSo(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.FailureThreshold = 1 })
	slow, fast := r.reg.Subscribe(2), r.reg.Subscribe(100)
	for range 3 {
		r.probing()
		r.acquire().Success(r.now)
	}
	r.flush()
	var reasons []string
	for range 9 {
		ev, missed, err := fast.Next(t.Context())
		if err != nil || missed != 0 {
			t.Fatalf("missed %d, %v", missed, err)
		}
		reasons = append(reasons, ev.Transition.Reason)
	}
	if want := r.reasons(); !slices.Equal(reasons, want) {
		t.Errorf("events %v, want %v", reasons, want)
	}
	ev, missed, err := slow.Next(t.Context())
	if err != nil || missed != 7 || ev.Transition.Reason != circuitbreaker.ReasonProbe {
		t.Errorf("%+v, missed %d, %v", ev.Transition, missed, err)
	}
	slow.Close()
	fast.Close()
}

// 7
func TestGenerationsAndVersionsGoOnAboveTheHighestStored(t *testing.T) {
	r := newRig(t)
	r.trip()
	r.flush()
	r.store.Damage("target:p/broken", 1_000_000, fmt.Errorf("damaged"))
	r.restart()
	r.pass(time.Hour)
	r.acquire()
	ts := r.reg.Transitions(r.name)
	if last := ts[len(ts)-1]; last.Seq <= 1_000_000 {
		t.Errorf("number %d is not above what is stored", last.Seq)
	}
}
