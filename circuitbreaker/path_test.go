package circuitbreaker_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: breaker.md 2, "Three breakers for one request", by number.

// three is a path of three breakers, and a rig on one of them.
type three struct {
	*rig
	path *circuitbreaker.Path
}

func newThree(t *testing.T, changes ...with) *three {
	t.Helper()
	r := newRig(t, changes...)
	names := map[string]circuitbreaker.Configured{}
	for _, name := range []string{"provider:p", "key:p/k", r.name} {
		names[name] = circuitbreaker.Configured{Settings: rigSettings(changes...)}
	}
	r.reg.Configure(t.Context(), names)
	return &three{rig: r, path: r.reg.Path("provider:p", "key:p/k", r.name)}
}

// on is a rig on another breaker of the path.
func (h *three) on(name string) *rig {
	other := *h.rig
	other.name, other.breaker = name, h.reg.Get(name)
	return &other
}

func (h *three) send() *circuitbreaker.Permits {
	h.Helper()
	ps := new(circuitbreaker.Permits)
	if refused := h.path.Acquire(ps, h.ask()); refused != nil {
		h.Fatalf("refused: %v", refused)
	}
	return ps
}

// 1
func TestARefusalByOneBreakerTakesNothingFromTheOthers(t *testing.T) {
	h := newThree(t)
	h.probing() // the target would let a probe through
	h.on("key:p/k").trip()
	var ps circuitbreaker.Permits
	if refused := h.path.Acquire(&ps, h.ask()); refused == nil || refused.Name != "key:p/k" {
		t.Fatalf("refused by %v, want the key's breaker", refused)
	}
	h.want(circuitbreaker.Open)
	h.settled()
}

// 1
func TestTheRefusalReportedIsTheOneWithTheLongestRetryAfter(t *testing.T) {
	h := newThree(t, func(s *circuitbreaker.Settings) { s.FailureThreshold = 1 })
	for name, hint := range map[string]time.Duration{"provider:p": time.Minute, "key:p/k": 3 * time.Minute, h.name: 2 * time.Minute} {
		h.on(name).acquire().Failure(h.now, "timeout", hint)
	}
	refused := h.path.Peek(h.ask())
	if refused == nil || refused.Name != "key:p/k" || refused.Scope != circuitbreaker.ScopeKey || refused.RetryAfter(h.now) != 3*time.Minute {
		t.Errorf("refusal %v", refused)
	}
	if _, err := h.reg.Isolate("provider:p", "ana", ""); err != nil {
		t.Fatal(err)
	}
	if refused := h.path.Acquire(new(circuitbreaker.Permits), h.ask()); refused == nil || refused.Name != "provider:p" {
		t.Errorf("refusal %v, want that without an end", refused)
	}
}

// 2
func TestEachHalfOpenBreakersPermitIsAProbeOfThatBreakerOnly(t *testing.T) {
	h := newThree(t)
	h.on("provider:p").fail(2, "timeout")
	h.probing()
	ps := h.send()
	if !ps.Probe() {
		t.Fatal("not a probe")
	}
	ps.Success(h.now)
	h.want(circuitbreaker.Closed)
	h.on("provider:p").wantCount(1)
}

// 2
func TestAFailureChargedToTheProviderIsNoVerdictForTheTarget(t *testing.T) {
	h := newThree(t)
	h.probing()
	h.send().Fail(h.now, circuitbreaker.ScopeProvider, "connection", 0)
	h.want(circuitbreaker.HalfOpen)
	if s := h.status(); s.ProbesInFlight != 0 {
		t.Errorf("the slot was not given back: %+v", s)
	}
	h.on("provider:p").wantCount(1)
	h.on("key:p/k").wantCount(0)
}

// 3
func TestPermitsThatAreNotChargedAreSettledAsNoVerdictAndASuccessSettlesAll(t *testing.T) {
	names := []string{"provider:p", "key:p/k", "target:p/m"}
	for charged, counts := range map[circuitbreaker.Scope][]int{
		circuitbreaker.ScopeNone:     {2, 2, 2},
		circuitbreaker.ScopeProvider: {3, 2, 2},
		circuitbreaker.ScopeKey:      {2, 3, 2},
		circuitbreaker.ScopeTarget:   {2, 2, 3},
	} {
		h := newThree(t)
		for _, name := range names {
			h.on(name).fail(2, "timeout")
		}
		h.send().Fail(h.now, charged, "timeout", 0)
		for i, name := range names {
			h.on(name).wantCount(counts[i])
		}
		h.send().Success(h.now)
		for i, name := range names {
			h.on(name).wantCount(counts[i] - 1)
		}
		h.settled()
	}
}

func TestAPathMayLeaveBreakersOut(t *testing.T) {
	h := newThree(t)
	path := h.reg.Path("provider:p", "key:p/k", "")
	var ps circuitbreaker.Permits
	if refused := path.Acquire(&ps, h.ask()); refused != nil {
		t.Fatal(refused)
	}
	ps.Fail(h.now, circuitbreaker.ScopeTarget, "permission", 0)
	for _, s := range h.reg.List(h.now) {
		if s.FailureCount != 0 {
			t.Errorf("%s was charged", s.Name)
		}
	}
}

func TestAForcedPathIsForcedOnlyWhereABreakerRefusesAndNotAtAllWhereOneIsIsolated(t *testing.T) {
	h := newThree(t)
	h.trip()
	var ps circuitbreaker.Permits
	if refused := h.path.AcquireForced(&ps, h.ask(), "fail_open"); refused != nil || !ps.Forced() {
		t.Fatalf("refused %v, forced %t", refused, ps.Forced())
	}
	ps.Fail(h.now, circuitbreaker.ScopeProvider, "connection", 0)
	h.on("provider:p").wantCount(1)
	if _, err := h.reg.Isolate("key:p/k", "ana", ""); err != nil {
		t.Fatal(err)
	}
	if refused := h.path.AcquireForced(&ps, h.ask(), "fail_open"); refused == nil || refused.Reason != circuitbreaker.ReasonHeld {
		t.Errorf("refusal %v", refused)
	}
	h.settled()
}

func TestAPathTellsTheWorstOfItsStates(t *testing.T) {
	h := newThree(t)
	want := func(s circuitbreaker.State) {
		t.Helper()
		if got := h.path.State(h.now); got != s {
			t.Errorf("state %s, want %s", got, s)
		}
	}
	want(circuitbreaker.Closed)
	h.on("key:p/k").fail(3, "timeout")
	want(circuitbreaker.Degraded)
	h.probing()
	h.acquire()
	want(circuitbreaker.HalfOpen)
	h.on("provider:p").trip()
	want(circuitbreaker.Open)
	_, _ = h.reg.Isolate(h.name, "ana", "")
	want(circuitbreaker.Isolated)
}

// 6.3: a configured name that was never used is CLOSED, and stays untouched however often it is looked at.
func TestALookAtAPathMakesNoBreakers(t *testing.T) {
	r := newRig(t)
	r.reg.Configure(t.Context(), map[string]circuitbreaker.Configured{"provider:q": {Settings: rigSettings()}, "target:q/m": {Settings: rigSettings()}})
	p := r.reg.Path("provider:q", "", "target:q/m")
	if e, parked, s := p.Peek(r.ask()), p.MerelyParked(r.ask()), p.State(r.now); e != nil || !parked || s != circuitbreaker.Closed {
		t.Errorf("refusal %v, parked %t, state %s", e, parked, s)
	}
	for _, name := range []string{"provider:q", "target:q/m"} {
		s, ok := r.reg.Status(name, r.now)
		if !ok || !s.UpdatedAt.IsZero() {
			t.Errorf("%s: %t, updated at %s", name, ok, s.UpdatedAt)
		}
	}
}

func TestPermitsAreReadyAgainOnceSettledAndReleaseWhatWasForgotten(t *testing.T) {
	h := newThree(t)
	h.probing()
	var ps circuitbreaker.Permits
	if refused := h.path.Acquire(&ps, h.ask()); refused != nil {
		t.Fatal(refused)
	}
	if refused := h.path.Acquire(&ps, h.ask()); refused != nil { // the first was never settled
		t.Fatalf("the forgotten probe still holds its slot: %v", refused)
	}
	ps.Success(h.now)
	h.want(circuitbreaker.Closed)
	h.settled()
}

func TestAPathHeedsItsOwnParksOnlyIfItIsNotToldToIgnoreThem(t *testing.T) {
	h := newThree(t, cooldown(5*time.Second))
	park := h.send().Fail(h.now, circuitbreaker.ScopeTarget, "timeout", 0)
	var ps circuitbreaker.Permits
	if refused := h.path.Acquire(&ps, h.ask()); refused == nil || refused.Reason != circuitbreaker.ReasonCooldown {
		t.Fatalf("refusal %v", refused)
	}
	a := h.ask()
	a.IgnoreParks = []uint64{park}
	if refused := h.path.Acquire(&ps, a); refused != nil {
		t.Fatalf("refused: %v", refused)
	}
	ps.NoVerdict(h.now)
	if !slices.Equal(h.reasons(), nil) {
		t.Errorf("reasons %v", h.reasons())
	}
}

func TestAPathIsMerelyParkedIfNothingButCooldownsWithoutAHintRefuse(t *testing.T) {
	fails := func(name string, hint time.Duration) func(h *three) {
		return func(h *three) { h.on(name).acquire().Failure(h.now, "timeout", hint) }
	}
	for name, test := range map[string]struct {
		arrange []func(h *three)
		want    bool
	}{
		"where nobody refuses":                   {want: true},
		"where one is parked":                    {[]func(h *three){fails("provider:p", 0)}, true},
		"where all are":                          {[]func(h *three){fails("provider:p", 0), fails("key:p/k", 0), fails("target:p/m", 0)}, true},
		"not behind a hint":                      {[]func(h *three){fails("key:p/k", time.Minute)}, false},
		"not behind a hint shorter than a park":  {[]func(h *three){fails("key:p/k", time.Second)}, false},
		"not where a hint is behind a long park": {[]func(h *three){fails("key:p/k", 6*time.Second), func(h *three) { h.pass(2 * time.Second) }, fails("provider:p", 0)}, false},
		"not behind an open breaker":             {[]func(h *three){fails("provider:p", 0), func(h *three) { h.trip() }}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newThree(t, func(s *circuitbreaker.Settings) { s.Cooldown = 5 * time.Second })
			for _, f := range test.arrange {
				f(h)
			}
			for _, a := range []circuitbreaker.Ask{h.ask(), {}} {
				if got := h.path.MerelyParked(a); got != test.want {
					t.Errorf("merely parked: %t", got)
				}
			}
		})
	}
}
