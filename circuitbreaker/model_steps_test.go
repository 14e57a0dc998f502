package circuitbreaker_test

import (
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// deeds are what a step can be, each as often as it is likely, the likely ones first: sources favour small numbers.
var deeds = slices.Concat(
	slices.Repeat([]func(*world){
		(*world).storm, (*world).pass, (*world).acquirePath, (*world).settleFailure, (*world).settleSuccess, (*world).calm, (*world).pass,
		(*world).storm,
	}, 6),
	[]func(*world){
		(*world).acquirePath, (*world).acquireOne, (*world).settleNone, (*world).streams, (*world).progress, (*world).reconfigure,
		(*world).acquirePath, (*world).acquireOne, (*world).settleNone, (*world).streams, (*world).progress, (*world).release,
		(*world).isolate, (*world).reset, (*world).resetAll, (*world).restart, (*world).rekey, (*world).leave,
	},
)

// step does one deed on both sides and compares everything that can be seen afterwards.
func (w *world) step() {
	w.steps++
	deeds[w.src.pick(len(deeds))](w)
	w.compare()
}

// note remembers a step for the report of a disagreement.
func (w *world) note(format string, args ...any) {
	if len(w.recent) == 60 {
		w.recent = append(w.recent[:0], w.recent[30:]...)
	}
	w.recent = append(w.recent, step{w.now, format, args})
}

func (w *world) pass() {
	d := w.drawTime()
	w.note("%v pass", d)
	w.now += d
}

// drawAsk draws what a caller says beside the path. One that is a walk ignores the parks that it began itself; now and then
// another walk takes its place.
func (w *world) drawAsk() (a circuitbreaker.Ask, walk int, ignore func(*machine) []int) {
	a.Lease = one(w.src, 0, 10*time.Second, 45*time.Second)
	if w.src.pick(4) > 0 {
		a.Now = w.clock() // else the package reads the clock itself
	}
	walk = one(w.src, noWalk, 0, 1, 2)
	if walk == noWalk {
		return a, noWalk, func(*machine) []int { return nil }
	}
	if w.src.pick(32) == 31 {
		w.endWalk(walk)
	}
	ignored := w.walks[walk]
	for _, p := range ignored {
		a.IgnoreParks = append(a.IgnoreParks, p.real)
	}
	return a, walk, func(m *machine) (numbers []int) {
		for _, p := range ignored {
			if p.of == m {
				numbers = append(numbers, p.number)
			}
		}
		return numbers
	}
}

// endWalk lets nobody ask again for a walk; what it has under way goes on.
func (w *world) endWalk(walk int) {
	w.walks[walk] = nil
	for _, h := range w.held {
		if h.walk == walk {
			h.walk = noWalk
		}
	}
}

func (w *world) acquirePath() {
	h, refused := w.ask(w.paths[w.src.pick(len(w.paths))], w.src.pick(6) == 5)
	if !refused {
		w.hold(h)
	}
}

func (w *world) ask(names [3]string, forced bool) (h *holding, refused bool) {
	a, walk, ignore := w.drawAsk()
	w.note("acquire %q forced=%t %+v", names, forced, a)
	path, h := w.path(names), &holding{path: new(circuitbreaker.Permits), walk: walk}
	if n := len(w.spare); n > 0 {
		h.path, w.spare = w.spare[n-1], w.spare[:n-1]
	}
	ms := w.machinesOf(names[2], names[1], names[0])
	var got *circuitbreaker.OpenError
	var want []*refusal
	if forced {
		h.tickets, want = forceAll(ms, w.now, a.Lease, ignore)
		got = path.AcquireForced(h.path, a, "fail_open")
	} else {
		h.tickets, want = askAll(ms, w.now, a.Lease, ignore)
		got = path.Acquire(h.path, a)
	}
	w.sameRefusal(got, want)
	if got == nil {
		w.samePermit("probe", h.path.Probe(), h.tickets, func(t *ticket) bool { return t.probe })
		w.samePermit("forced", h.path.Forced(), h.tickets, func(t *ticket) bool { return t.forced })
	}
	return h, got != nil
}

func (w *world) acquireOne() {
	name, forced := one(w.src, w.names...), w.src.pick(4) == 3
	a, walk, ignore := w.drawAsk()
	w.note("acquire %s forced=%t %+v", name, forced, a)
	m, b, h := w.machines[name], w.breaker(name), &holding{one: new(circuitbreaker.Permit), walk: walk}
	var got *circuitbreaker.OpenError
	var t *ticket
	var r *refusal
	if forced {
		t, r = m.force(w.now, a.Lease, ignore(m))
		got = b.AcquireForced(h.one, a, "fail_open")
	} else {
		t, r = m.ask(w.now, a.Lease, ignore(m))
		got = b.Acquire(h.one, a)
	}
	if r != nil {
		w.sameRefusal(got, []*refusal{r})
		return
	}
	w.sameRefusal(got, nil)
	h.tickets = []*ticket{t}
	w.samePermit("probe", h.one.Probe(), h.tickets, func(t *ticket) bool { return t.probe })
	w.samePermit("forced", h.one.Forced(), h.tickets, func(t *ticket) bool { return t.forced })
	w.hold(h)
}

// hold keeps a permit for later; there are never more than a few dozen.
func (w *world) hold(h *holding) {
	w.held = append(w.held, h)
	if len(w.held) > 30 {
		w.settle(w.held[0], drawVerdict(w.src, "none"))
		w.held = w.held[1:]
	}
}

func (w *world) settleSuccess() { w.settleSome("success") }
func (w *world) settleFailure() { w.settleSome("failure") }
func (w *world) settleNone()    { w.settleSome("none") }

// settleSome settles one of the permits held, mostly one of the latest, and now and then twice (2.6).
func (w *world) settleSome(word string) {
	n := len(w.held)
	if n == 0 {
		return
	}
	i := n - 1 - w.src.pick(min(n, one(w.src, 2, 30)))
	h := w.held[i]
	w.settle(h, drawVerdict(w.src, word))
	if w.src.pick(8) == 7 {
		w.settle(h, drawVerdict(w.src, one(w.src, "failure", "success", "none")))
	}
	if h.path != nil && len(w.spare) < 4 {
		w.spare = append(w.spare, h.path)
	}
	w.held = slices.Delete(w.held, i, i+1)
}

// storm is a few requests on one path that fail one after the other: the shortest way to a trip, and to parks upon parks.
func (w *world) storm() {
	names := w.paths[w.src.pick(len(w.paths))]
	forced := w.src.pick(2) == 1
	first := drawVerdict(w.src, "failure")
	for range 1 + w.src.pick(7) {
		h, refused := w.ask(names, forced)
		if refused {
			return
		}
		v := drawVerdict(w.src, "failure")
		v.kind, v.charged = first.kind, first.charged
		w.settle(h, v)
		w.now += one(w.src, 0, time.Millisecond, 20*time.Millisecond)
	}
}

// calm is a few requests on one path that succeed.
func (w *world) calm() {
	names := w.paths[w.src.pick(len(w.paths))]
	for range 1 + w.src.pick(4) {
		h, refused := w.ask(names, false)
		if refused {
			return
		}
		w.settle(h, verdict{word: "success"})
	}
}

// streams are requests whose first event has come: their verdicts stay open while others go on.
func (w *world) streams() {
	names := w.paths[w.src.pick(len(w.paths))]
	for range 1 + w.src.pick(5) {
		h, refused := w.ask(names, false)
		if refused {
			return
		}
		w.goesOn(h)
		w.hold(h)
	}
}

func (w *world) settle(h *holding, v verdict) {
	if h.one != nil {
		w.note("settle %s alone %+v", h.tickets[0].of.name, v)
		w.settleOne(h, v)
		return
	}
	w.note("settle path of %s %+v", h.tickets[0].of.name, v)
	var number int
	var of *machine
	for _, t := range h.tickets {
		its := v
		if v.word == "failure" && scopeOf(t.of.name) != v.charged {
			its = verdict{word: "none"}
		}
		if n := t.settle(w.now, its); n != 0 {
			number, of = n, t.of
		}
	}
	var got uint64
	switch v.word {
	case "success":
		h.path.Success(w.clock())
	case "failure":
		got = h.path.Fail(w.clock(), v.charged, v.kind, v.hint)
	default:
		h.path.NoVerdict(w.clock())
	}
	w.samePark(h.walk, got, of, number)
}

func (w *world) settleOne(h *holding, v verdict) {
	number := h.tickets[0].settle(w.now, v)
	var got uint64
	switch v.word {
	case "success":
		h.one.Success(w.clock())
	case "failure":
		got = h.one.Failure(w.clock(), v.kind, v.hint)
	default:
		h.one.NoVerdict(w.clock())
	}
	w.samePark(h.walk, got, h.tickets[0].of, number)
}

func (w *world) progress() {
	if len(w.held) == 0 {
		return
	}
	h := w.held[len(w.held)-1-w.src.pick(min(len(w.held), 4))]
	w.goesOn(h)
}

func (w *world) goesOn(h *holding) {
	w.note("progress of %s", h.tickets[0].of.name)
	for _, t := range h.tickets {
		t.progress(w.now)
	}
	if h.one != nil {
		h.one.Progress(w.clock())
		return
	}
	h.path.Progress(w.clock())
}

func (w *world) reconfigure() {
	m := w.machines[one(w.src, w.names...)]
	s := drawSettings(w.src)
	if w.src.pick(2) == 0 { // a change that leaves the measure what it is
		s.Measure, s.Window = m.settings.Measure, m.settings.Window
	}
	w.note("configure %s: %+v", m.name, s)
	m.configure(w.now, s)
	w.configure()
}

// configure gives the registry the whole configuration, but for the names that have left it.
func (w *world) configure(left ...string) {
	names := map[string]circuitbreaker.Configured{}
	for name, m := range w.machines {
		if slices.Contains(left, name) {
			continue
		}
		c := circuitbreaker.Configured{Settings: m.settings}
		if name == theKey {
			c.Fingerprint = w.secret
		}
		names[name] = c
	}
	w.registry.Configure(w.t.Context(), names)
}
