package circuitbreaker_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

func scopeOf(name string) circuitbreaker.Scope {
	word, _, _ := strings.Cut(name, ":")
	return map[string]circuitbreaker.Scope{
		"provider": circuitbreaker.ScopeProvider, "key": circuitbreaker.ScopeKey, "target": circuitbreaker.ScopeTarget,
	}[word]
}

// disagree ends the test with the last steps and both sides' views.
func (w *world) disagree(format string, args ...any) {
	w.t.Helper()
	var b strings.Builder
	for _, s := range w.recent {
		fmt.Fprintf(&b, "%12s  "+s.format+"\n", append([]any{s.now}, s.args...)...)
	}
	for _, name := range w.names {
		m := w.machines[name]
		s, _ := w.registry.Status(name, w.clock())
		fmt.Fprintf(&b, "%s\n  settings %+v\n  model    %s\n  package  %+v\n", name, m.settings, m, s)
	}
	w.t.Fatalf("%s\nafter %d steps, the last of them:\n%s", fmt.Sprintf(format, args...), w.steps, b.String())
}

func (m *machine) String() string {
	return fmt.Sprintf("%s failures %d kinds %v lastAt %v buckets %v cycle %d why %q deadline %v parked %+v probes %d succeeded %d",
		m.state, m.failures, m.kinds, m.lastAt, m.buckets, m.cycle, m.why, m.deadline, m.parked, len(m.probes), m.succeeded)
}

// sameRefusal compares an answer with those that the model allows: none if it admits, several if they are equally long.
func (w *world) sameRefusal(got *circuitbreaker.OpenError, want []*refusal) {
	if got == nil && len(want) == 0 {
		return
	}
	if got == nil {
		w.disagree("admitted, the model refuses: %s %s until %v", want[0].machine.name, want[0].reason, want[0].retryAt)
		return
	}
	for _, r := range want {
		if r.machine.name == got.Name {
			w.sameOpenError(got, r)
			return
		}
	}
	w.disagree("refused by %v, the model allows %d refusals by others", got, len(want))
}

func (w *world) sameOpenError(got *circuitbreaker.OpenError, r *refusal) {
	wait := time.Duration(0)
	if r.retryAt != never {
		wait = r.retryAt - w.now
	}
	if got.Reason != r.reason || got.State != r.state || got.Scope != scopeOf(got.Name) ||
		got.RetryAt.IsZero() != (r.retryAt == never) || got.RetryAfter(w.clock()) != wait {
		w.disagree("refused: %+v (retry after %v), the model: %s in %s, retry after %v", got, got.RetryAfter(w.clock()), r.reason, r.state, wait)
	}
	if hinted := slices.ContainsFunc(r.machine.parked, func(p park) bool { return w.now < p.end && p.hinted }); len(r.ignored) == 0 &&
		got.Reason == circuitbreaker.ReasonCooldown && got.Hinted != hinted {
		w.disagree("hinted: %t, the model: %t", got.Hinted, hinted)
	}
}

func (w *world) samePermit(what string, got bool, ts []*ticket, has func(*ticket) bool) {
	if got != slices.ContainsFunc(ts, has) {
		w.disagree("permit is a %s: %t, the model disagrees", what, got)
	}
}

func (w *world) samePark(walk int, got uint64, of *machine, number int) {
	if (got != 0) != (number != 0) {
		w.disagree("the failure began park %d, in the model %d", got, number)
	}
	if got != 0 && walk != noWalk {
		w.walks[walk] = append(w.walks[walk], begun{of: of, number: number, real: got})
	}
}

// compare holds everything that can be seen of each breaker, and what the paths would answer, against the model.
func (w *world) compare() {
	for i, name := range w.names {
		if (i+w.steps)%2 == 0 || len(w.names) == 1 {
			w.compareStatus(w.machines[name])
		}
		w.compareMoves(w.machines[name])
	}
	if len(w.paths) == 0 {
		return
	}
	names := w.paths[w.steps%len(w.paths)]
	none := func(*machine) []int { return nil }
	path, ms := w.path(names), w.machinesOf(names[2], names[1], names[0])
	w.sameRefusal(path.Peek(circuitbreaker.Ask{Now: w.clock()}), peekAll(ms, w.now, none))
	if got, want := path.State(w.clock()), worst(ms, w.now); got != want {
		w.disagree("the path's state is %s, in the model %s", got, want)
	}
	if w.steps%128 == 0 {
		w.compareList()
	}
}

// worst is the worst state that requests on a path meet.
func worst(ms []*machine, now time.Duration) circuitbreaker.State {
	order := []circuitbreaker.State{
		circuitbreaker.Closed, circuitbreaker.Degraded, circuitbreaker.HalfOpen, circuitbreaker.Open, circuitbreaker.Isolated,
	}
	found := circuitbreaker.Closed
	for _, m := range ms {
		if s := m.seen(now).visible(); slices.Index(order, s) > slices.Index(order, found) {
			found = s
		}
	}
	return found
}

// visible is the state that requests meet: one that only observes shows CLOSED.
func (m *machine) visible() circuitbreaker.State {
	if !m.settings.Enforce && m.state != circuitbreaker.Isolated {
		return circuitbreaker.Closed
	}
	return m.state
}

// compareList holds the listing against the statuses one by one: every name, sorted.
func (w *world) compareList() {
	var names []string
	for _, s := range w.registry.List(w.clock()) {
		names = append(names, s.Name)
		if one, _ := w.registry.Status(s.Name, w.clock()); fmt.Sprint(one) != fmt.Sprint(s) {
			w.disagree("listed as %+v, alone %+v", s, one)
		}
	}
	if !slices.Equal(names, w.names) {
		w.disagree("listed %v, want %v", names, w.names)
	}
}

func (w *world) compareStatus(m *machine) {
	got, ok := w.registry.Status(m.name, w.clock())
	if !ok {
		w.disagree("%s is configured but not known", m.name)
	}
	want := m.seen(w.now)
	same := func(what string, got, want any) {
		if got != want {
			w.disagree("%s: %s is %v, in the model %v", m.name, what, got, want)
		}
	}
	same("state", got.State, want.visible())
	same("would be", got.WouldBe, want.state)
	same("enforce", got.Enforce, m.settings.Enforce)
	same("failure count", got.FailureCount, want.tally().failed)
	same("measure", math.Round(got.MeasureValue*million), math.Round(want.value()*million))
	same("cycle", got.OpenCycle, want.cycle)
	holders, _ := want.underWay(w.now)
	same("probes in flight", got.ProbesInFlight, len(holders))
	same("retry at", got.RetryAt.UTC(), w.at(want.deadline))
	same("cooldown until", got.CooldownUntil.UTC(), w.at(want.parkedUntil(w.now, nil)))
	same("last failure", got.LastFailureAt.UTC(), w.at(want.lastAt))
	same("last failure's kind", got.LastFailureKind, want.lastKind)
	same("isolated", got.Isolated == nil, m.isolation == nil)
	if m.isolation != nil && got.Isolated != nil {
		same("isolation", *got.Isolated, *m.isolation)
	}
	if kinds := want.tally().kinds; !maps.Equal(counted(kinds), counted(got.KindCounts)) {
		w.disagree("%s: kinds %v, in the model %v", m.name, got.KindCounts, kinds)
	}
	w.compareSettings(m, got)
}

// counted are the kinds with a count.
func counted(kinds map[circuitbreaker.Kind]int) map[circuitbreaker.Kind]int {
	kinds = maps.Clone(kinds)
	maps.DeleteFunc(kinds, func(_ circuitbreaker.Kind, n int) bool { return n == 0 })
	return kinds
}

// compareSettings compares what a listing shows of the settings: the marks beside the measure.
func (w *world) compareSettings(m *machine, got circuitbreaker.Status) {
	s := m.settings
	if got.Measure != s.Measure || got.FailureThreshold != s.FailureThreshold || got.HalfOpenRequests != s.HalfOpenRequests {
		w.disagree("%s lists measure %s, threshold %d, probes %d, configured is %+v", m.name, got.Measure, got.FailureThreshold, got.HalfOpenRequests, s)
	}
	if mark := float64(m.degradedMark()); !m.windowed() && s.FailureThreshold > 1 && got.DegradedAt != mark {
		w.disagree("%s lists the mark %v, the model %v", m.name, got.DegradedAt, mark)
	}
}

// compareMoves compares the transitions; of the words that the spec leaves free, it takes the package's.
func (w *world) compareMoves(m *machine) {
	if len(m.moves) == w.checked[m.name] && w.steps%16 != 0 {
		return
	}
	for _, mv := range m.moves[min(w.checked[m.name], len(m.moves)):] {
		w.entered[mv.to]++
	}
	w.checked[m.name] = len(m.moves)
	got := w.registry.Transitions(m.name)
	want := m.moves[max(0, len(m.moves)-50):]
	if len(got) != len(want) {
		w.disagree("%s: %d transitions, in the model %d: %+v, %+v", m.name, len(got), len(want), got, want)
		return
	}
	for i, mv := range want {
		t := got[i]
		if t.Name != m.name || t.From != mv.from || t.To != mv.to || t.Reason != mv.reason || !t.At.Equal(w.at(mv.at)) || t.Wait != mv.wait || t.Enforce != mv.enforce ||
			mv.kind != "" && t.Kind != mv.kind || math.Abs(t.Measure-mv.measure) > 1e-6 && mv.reason != circuitbreaker.ReasonRestored || i > 0 && t.Seq <= got[i-1].Seq {
			w.disagree("%s: transition %+v, in the model %+v", m.name, t, mv)
		}
	}
}
