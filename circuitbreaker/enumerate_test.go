package circuitbreaker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// The small state space, breadth first, on the package itself: counts to 3, three permits with their generations, every instant
// just before, at and just after each deadline. A node is the shortest sequence of events that leads to it; events are played
// on a fresh breaker each time, beside the model, which says when two sequences have led to the same place.

// events of the enumeration. Those with a permit are made for each of the three.
type event struct {
	word   string
	permit int           // of "acquire", "force", "success", ...
	tick   time.Duration // of "tick", from the next instant
}

func (e event) String() string { return fmt.Sprintf("%s %d%v", e.word, e.permit, e.tick) }

func smallEvents(permits int) []event {
	all := []event{
		{word: "tick", tick: -time.Millisecond},
		{word: "tick"},
		{word: "tick", tick: time.Millisecond},
		{word: "isolate"},
		{word: "release"},
		{word: "reset"},
	}
	for i := range permits {
		for _, word := range []string{"acquire", "force", "success", "failure", "none", "progress"} {
			all = append(all, event{word: word, permit: i})
		}
	}
	return all
}

// small is a world of one breaker and three places for permits.
type small struct {
	*world
	m       *machine
	breaker *circuitbreaker.Breaker
	permits []*holding
}

func newSmall(t *testing.T, permits int, s circuitbreaker.Settings) *small {
	w := &world{t: t, src: &script{}, names: []string{modelA}, entered: map[circuitbreaker.State]int{}, machines: map[string]*machine{modelA: newMachine(modelA, s)}}
	w.begin()
	return &small{world: w, m: w.machines[modelA], breaker: w.registry.Get(modelA), permits: make([]*holding, permits)}
}

func smallSettings() circuitbreaker.Settings {
	s := circuitbreaker.DefaultSettings()
	s.FailureThreshold, s.Jitter, s.Cooldown = 3, 0, 0
	s.ResetTimeout, s.MaxBackoffMultiplier = time.Second, 2
	s.ForgetAfter = time.Hour
	return s
}

// play makes one event on both sides; it tells whether the event means anything here.
func (s *small) play(e event) bool {
	s.steps++
	s.note("%v", e)
	h := s.permits[e.permit]
	switch e.word {
	case "tick":
		at := s.instants()
		if len(at) == 0 || slices.Min(at)+e.tick <= s.now {
			return false
		}
		s.now = slices.Min(at) + e.tick
	case "isolate":
		s.m.isolate(s.now, "ana", "", s.clock())
		_, _ = s.registry.Isolate(s.m.name, "ana", "")
	case "release":
		s.m.release(s.now)
		_, _ = s.registry.Release(s.m.name)
	case "reset":
		s.m.reset(s.now, circuitbreaker.ReasonManualReset)
		_, _ = s.registry.Reset(s.m.name)
		s.breaker = s.registry.Get(s.m.name)
	case "acquire", "force":
		return h == nil && s.acquire(e)
	default:
		if h == nil {
			return false
		}
		if e.word == "progress" {
			h.tickets[0].progress(s.now)
			h.one.Progress(s.clock())
			break
		}
		s.settleOne(h, verdict{word: e.word, kind: "server_error"})
		s.permits[e.permit] = nil
	}
	return true
}

func (s *small) acquire(e event) bool {
	for i := range e.permit { // permits are alike: the first free place takes it
		if s.permits[i] == nil {
			return false
		}
	}
	h, a := &holding{one: new(circuitbreaker.Permit), walk: noWalk}, circuitbreaker.Ask{Now: s.clock()}
	var t *ticket
	var r *refusal
	var got *circuitbreaker.OpenError
	if e.word == "force" {
		t, r = s.m.force(s.now, 0, nil)
		got = s.breaker.AcquireForced(h.one, a, "fail_open")
	} else {
		t, r = s.m.ask(s.now, 0, nil)
		got = s.breaker.Acquire(h.one, a)
	}
	if r != nil {
		s.sameRefusal(got, []*refusal{r})
		return true
	}
	s.sameRefusal(got, nil)
	h.tickets = []*ticket{t}
	s.permits[e.permit] = h
	return true
}

// place names where a sequence has led: all that can make a difference from here on. Of the instants ahead only their order
// counts, and whether the next one is a tick away.
func (s *small) place() string {
	m := s.m.seen(s.now)
	ahead := s.instants()
	slices.Sort(ahead)
	ahead = slices.Compact(ahead)
	left := func(at time.Duration) int { return slices.Index(ahead, at) }
	var key strings.Builder
	key.WriteString(fmt.Sprint(m.state, min(m.cycle, 1), m.succeeded, left(m.deadline), len(ahead) > 0 && ahead[0]-s.now <= time.Millisecond))
	if m.state == circuitbreaker.Closed || m.state == circuitbreaker.Degraded {
		key.WriteString(fmt.Sprint(" counts ", m.failures))
		for _, b := range m.buckets {
			key.WriteString(fmt.Sprint(" bucket ", b.total, b.failed, left(b.start+m.settings.Window)))
		}
	}
	var parks []int
	for _, p := range m.parked {
		if s.now < p.end {
			key.WriteString(fmt.Sprint(" park ", left(p.end)))
			parks = append(parks, p.number)
		}
	}
	var permits []string
	for _, h := range s.permits {
		if h == nil {
			continue
		}
		t := h.tickets[0]
		p := "old"
		if t.generation == s.m.generation {
			p = fmt.Sprint(t.forced, t.probe, t.progressed, left(t.leaseEnd), slices.IndexFunc(parks, func(n int) bool { return n > t.parks }))
		}
		permits = append(permits, p)
	}
	slices.Sort(permits)
	return key.String() + fmt.Sprint(permits)
}

// proves plays one event and holds what is seen before and after it against the invariants and the model.
func (s *small) proves(e event) bool {
	before, late := s.status(), s.breaker.Late()
	old := s.permits[e.permit] != nil && s.permits[e.permit].tickets[0].generation != s.m.generation
	if !s.play(e) {
		return false
	}
	after := s.status()
	s.compare()
	if s.outstanding() > after.HalfOpenRequests || after.ProbesInFlight > after.HalfOpenRequests {
		s.disagree("more probes outstanding than slots: %d, listed %d", s.outstanding(), after.ProbesInFlight)
	}
	if after.State == circuitbreaker.Open {
		s.hasDeadline(after)
	}
	if before.State == circuitbreaker.Isolated && after.State != circuitbreaker.Isolated && e.word != "release" && e.word != "reset" {
		s.disagree("%s has ended the isolation", e.word)
	}
	if verdicts := []string{"success", "failure", "none", "progress"}; old && slices.Contains(verdicts, e.word) {
		if fmt.Sprint(before) != fmt.Sprint(after) {
			s.disagree("a permit of an old generation changed %+v to %+v", before, after)
		}
		if counts := e.word == "success" || e.word == "failure"; counts && s.breaker.Late() != late+1 {
			s.disagree("a late verdict was not counted as late: %d, before it %d", s.breaker.Late(), late)
		}
	}
	return true
}

func (s *small) status() circuitbreaker.Status {
	st, _ := s.registry.Status(s.m.name, s.clock())
	return st
}

// outstanding counts the probes whose holder still has the slot, as the holders themselves know it.
func (s *small) outstanding() int {
	n := 0
	for _, h := range s.permits {
		if h != nil && h.one.Probe() && h.tickets[0].generation == s.m.generation && !h.tickets[0].progressed && s.now < h.tickets[0].leaseEnd {
			n++
		}
	}
	return n
}

// hasDeadline holds that an OPEN breaker has a deadline, refuses before it, and admits when it has come.
func (s *small) hasDeadline(st circuitbreaker.Status) {
	if st.RetryAt.IsZero() {
		s.disagree("OPEN without a deadline")
	}
	if r := s.breaker.Peek(circuitbreaker.Ask{Now: st.RetryAt}); r != nil {
		s.disagree("refused at its own deadline: %v", r)
	}
	if before := st.RetryAt.Add(-time.Millisecond); !before.Before(s.clock()) && s.breaker.Peek(circuitbreaker.Ask{Now: before}) == nil {
		s.disagree("admitted before its deadline")
	}
}

// recovers holds that health for long enough leads to CLOSED, whatever was before and whatever permits are never settled.
func (s *small) recovers() {
	if s.m.state == circuitbreaker.Isolated {
		s.play(event{word: "release"})
	}
	for range 20 {
		var p circuitbreaker.Permit
		r := s.breaker.Acquire(&p, circuitbreaker.Ask{Now: s.clock()})
		if r != nil {
			s.now += r.RetryAfter(s.clock())
			continue
		}
		p.Success(s.clock())
		s.now += s.m.settings.Window / 10
	}
	if st := s.status(); st.State != circuitbreaker.Closed || st.FailureCount != 0 {
		s.disagree("still %s with %d failures after health for long", st.State, st.FailureCount)
	}
}

func TestTheSmallStateSpaceHoldsItsInvariants(t *testing.T) {
	t.Parallel()
	for name, space := range map[string]struct {
		permits int
		change  func(*circuitbreaker.Settings)
	}{
		"decay":                {3, func(*circuitbreaker.Settings) {}},
		"two probes at a time": {3, func(s *circuitbreaker.Settings) { s.HalfOpenRequests = 2 }},
		"two successes needed": {2, func(s *circuitbreaker.Settings) { s.HalfOpenRequests, s.HalfOpenSuccesses = 1, 2 }},
		"consecutive":          {2, func(s *circuitbreaker.Settings) { s.Measure = circuitbreaker.Consecutive }},
		"parks":                {2, func(s *circuitbreaker.Settings) { s.Cooldown = 400 * time.Millisecond }},
		"a kind of its own": {2, func(s *circuitbreaker.Settings) {
			s.FailureThreshold = 0
			s.Kinds = map[circuitbreaker.Kind]circuitbreaker.KindSettings{
				"server_error": {Threshold: 3, ImmediateOpen: true, Cooldown: new(2 * time.Second), Park: new(time.Duration)},
			}
		}},
		"window": {2, func(s *circuitbreaker.Settings) {
			s.Measure, s.Window, s.VolumeThreshold, s.ErrorThreshold = circuitbreaker.Window, time.Second, 3, 1_000_000
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := smallSettings()
			space.change(&s)
			enumerate(t, space.permits, s)
		})
	}
}

// enumerate visits every place that the events lead to.
func enumerate(t *testing.T, permits int, settings circuitbreaker.Settings) {
	seen, states, edges := map[string]bool{}, map[circuitbreaker.State]int{}, 0
	for queue := [][]event{nil}; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		var s *small
		for _, e := range smallEvents(permits) {
			if s == nil {
				s = newSmall(t, permits, settings)
				for _, before := range path {
					s.play(before)
				}
			}
			here := s.place()
			if !s.proves(e) {
				continue
			}
			edges++
			key := s.place()
			if key == here {
				continue // still there: no need to go the whole way again
			}
			if !seen[key] {
				seen[key] = true
				states[s.m.state]++
				if s.m.tally().total > 3 {
					continue // counts to 3
				}
				queue = append(queue, append(slices.Clone(path), e))
				s.recovers()
			}
			s = nil
		}
	}
	t.Logf("%d places, %d events, by state %v", len(seen), edges, states)
	for state := circuitbreaker.Closed; state <= circuitbreaker.Isolated; state++ {
		if degraded := state == circuitbreaker.Degraded && settings.FailureThreshold == 0; states[state] == 0 && !degraded {
			t.Errorf("no place in state %s", state)
		}
	}
}
