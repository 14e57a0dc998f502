package simulate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
)

// Result is what a simulation has shown. As JSON, times are milliseconds since its begin.
type Result struct {
	Name     string    `json:"name"`
	Seed     uint64    `json:"seed"`
	Requests int       `json:"requests"`
	Duration ms        `json:"duration_ms"`
	Replayed bool      `json:"replayed"`
	Faults   []Fault   `json:"faults"`
	Policies []Outcome `json:"policies"`
}

// Fault is one element of the script's faults.
type Fault struct {
	Target string `json:"target"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	From   ms     `json:"from_ms"`
	To     ms     `json:"to_ms"`
}

// Outcome is what one policy made of it.
type Outcome struct {
	Policy      string       `json:"policy"`
	Combo       string       `json:"combo"`
	Strategy    string       `json:"strategy"`
	Clients     Clients      `json:"clients"`
	Faults      []FaultSeen  `json:"faults"`
	Targets     []TargetSeen `json:"targets"`
	Transitions []Transition `json:"transitions"`
	Timeline    []Slice      `json:"timeline"`
	Known       *knowledge   `json:"replay,omitempty"`
}

// Clients is what clients saw.
type Clients struct {
	Answered   int            `json:"answered"`
	FirstTry   int            `json:"first_try"` // of those answered, by the first call
	Errors     map[string]int `json:"errors"`    // by error.code
	BrokenOff  int            `json:"broken_off"`
	Unfinished int            `json:"unfinished"` // when the simulation ended
	Added      Spread         `json:"added_latency"`
	ErrorAfter Spread         `json:"error_after"`
}

// Spread is how durations are distributed.
type Spread struct {
	P50 ms `json:"p50_ms"`
	P99 ms `json:"p99_ms"`
	Max ms `json:"max_ms"`
}

// FaultSeen is what a fault did: Calls of its targets while it was there, and Wasted those that it was played to and
// that failed.
type FaultSeen struct {
	Calls     int `json:"calls"`
	Wasted    int `json:"wasted"`
	Stopped   *ms `json:"stopped_after_ms"`   // from the fault's begin until a breaker opened; null: none did
	Recovered *ms `json:"recovered_after_ms"` // from the fault's end until requests flow again; null: not in this script
}

// TargetSeen is what a target had to do.
type TargetSeen struct {
	Target   string `json:"target"`
	Calls    int    `json:"calls"`
	Answered int    `json:"answered"`
	Wasted   int    `json:"wasted"`
	Probes   int    `json:"probes"`
	Forced   int    `json:"forced"`
	Lost     ms     `json:"wasted_ms"` // what its failed calls lasted, in all
}

// Transition is one change of a breaker's state.
type Transition struct {
	Name    string  `json:"name"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Reason  string  `json:"reason"`
	Kind    string  `json:"kind"`
	Measure float64 `json:"measure"`
	Wait    ms      `json:"wait_ms"`
	At      ms      `json:"at_ms"`
}

// Slice is what became of the requests that came in a part of the time.
type Slice struct {
	From    ms  `json:"from_ms"`
	Clean   int `json:"clean"`   // answered by the first call
	Rescued int `json:"rescued"` // answered by a later one
	Failed  int `json:"failed"`
}

// slices of the time that a result shows.
const timelineSlices = 80

// begun is the part of a result that no policy changes.
func (p *Plan) begun() *Result {
	r := &Result{
		Name: cmp.Or(p.script.name, "simulation"), Seed: p.script.seed, Requests: len(p.requests), Duration: ms(p.end),
		Replayed: p.log != nil, Faults: []Fault{},
	}
	for i := range p.script.faults {
		f := &p.script.faults[i]
		r.Faults = append(r.Faults, Fault{Target: f.target, Kind: f.kind, Text: f.describe(), From: ms(f.from), To: ms(f.to)})
	}
	return r
}

// result sums up.
func (w *world) result() Outcome {
	o := Outcome{
		Policy: w.policy.name, Combo: w.policy.combo, Clients: Clients{Errors: map[string]int{}},
		Transitions: []Transition{}, Faults: make([]FaultSeen, len(w.plan.script.faults)), Timeline: make([]Slice, timelineSlices),
	}
	if c := w.policy.routing.Combos[cmp.Or(w.policy.routing.Aliases[o.Combo], o.Combo)]; c != nil {
		o.Strategy = c.Strategy
	}
	if w.plan.log != nil {
		o.Known = &w.known
	}
	for _, t := range w.policy.targets {
		o.Targets = append(o.Targets, TargetSeen{Target: t})
	}
	for i := range o.Timeline {
		o.Timeline[i].From = ms(w.plan.end * time.Duration(i) / timelineSlices)
	}
	var added, late []time.Duration
	for i := range w.records {
		w.count(&o, i, &added, &late)
	}
	o.Clients.Added, o.Clients.ErrorAfter = spreadOf(added), spreadOf(late)
	for i := range w.transitions {
		t := &w.transitions[i]
		o.Transitions = append(o.Transitions, Transition{
			Name: t.Name, From: t.From.String(), To: t.To.String(), Reason: t.Reason, Kind: string(t.Kind),
			Measure: t.Measure, Wait: ms(t.Wait), At: ms(t.At.Sub(w.begun)),
		})
	}
	for i := range o.Faults {
		w.judge(i, &o.Faults[i])
	}
	return o
}

// count adds one request.
func (w *world) count(o *Outcome, i int, added, late *[]time.Duration) {
	r := &w.records[i].report
	calls := 0
	var last *combo.Attempt
	for j := range r.Attempts {
		a := &r.Attempts[j]
		if a.Outcome == combo.Skipped {
			continue
		}
		w.countCall(o, a, w.records[i].plays[calls])
		calls++
		last = a
	}
	slot := &o.Timeline[min(int(w.plan.requests[i].at*timelineSlices/w.plan.end), timelineSlices-1)]
	switch c := &o.Clients; r.Outcome {
	case combo.OutcomeOK:
		c.Answered++
		*added = append(*added, last.Start.Sub(r.Start))
		if calls == 1 {
			c.FirstTry++
			slot.Clean++
		} else {
			slot.Rescued++
		}
	case combo.OutcomeTruncated:
		c.BrokenOff++
		slot.Failed++
	case combo.OutcomeCanceled:
		c.Unfinished++
		slot.Failed++
	default:
		c.Errors[r.Code]++
		slot.Failed++
		*late = append(*late, r.Total)
	}
}

func (w *world) countCall(o *Outcome, a *combo.Attempt, play int) {
	name := a.Provider + "/" + a.Model
	at := a.Start.Sub(w.begun)
	failed := a.Outcome == combo.Failed
	for i := range w.plan.script.faults {
		if f := &w.plan.script.faults[i]; covers(f.target, name) && (f.key == "" || f.key == a.Key) && at >= f.from && at < f.to {
			o.Faults[i].Calls++
		}
	}
	if failed && play != none {
		o.Faults[play].Wasted++
	}
	i := slices.IndexFunc(o.Targets, func(t TargetSeen) bool { return t.Target == name })
	if i < 0 {
		return
	}
	t := &o.Targets[i]
	t.Calls++
	if failed {
		t.Wasted++
		t.Lost += ms(a.Duration)
	} else {
		t.Answered++
	}
	if a.Probe {
		t.Probes++
	}
	if a.Forced {
		t.Forced++
	}
}

// judge finds when breakers stopped a fault's target, and when they let requests through again. What they did after
// the next fault of the same target began is that fault's.
func (w *world) judge(i int, seen *FaultSeen) {
	f := &w.plan.script.faults[i]
	end := w.plan.end + patience
	for j := range w.plan.script.faults {
		if g := &w.plan.script.faults[j]; g.from > f.from && (covers(g.target, f.target) || covers(f.target, g.target)) {
			end = min(end, g.from)
		}
	}
	provider, _, _ := strings.Cut(f.target, "/")
	refusing, flowing := map[string]bool{}, time.Duration(0)
	for j := range w.transitions {
		t := &w.transitions[j]
		at := t.At.Sub(w.begun)
		if at >= end || !guards(t.Name, f.target) || isKey(t.Name) && f.key != "" && t.Name != circuitbreaker.KeyName(provider, f.key) {
			continue
		}
		if t.To == circuitbreaker.Open && at >= f.from && seen.Stopped == nil {
			seen.Stopped = new(ms(at - f.from))
		}
		if t.To == circuitbreaker.Closed || t.To == circuitbreaker.Degraded {
			if delete(refusing, t.Name); len(refusing) == 0 {
				flowing = at
			}
		} else {
			refusing[t.Name] = true
		}
	}
	if len(refusing) == 0 && f.to <= w.plan.end {
		seen.Recovered = new(ms(max(flowing-f.to, 0)))
	}
}

func isKey(breaker string) bool { return strings.HasPrefix(breaker, "key:") }

// guards tells whether a breaker stands before what a script's name stands for.
func guards(breaker, name string) bool {
	scope, full, _ := strings.Cut(breaker, ":")
	provider, _, model := strings.Cut(name, "/")
	switch scope {
	case "provider":
		return full == provider
	case "key":
		return strings.HasPrefix(full, provider+"/")
	default:
		return full == name || !model && strings.HasPrefix(full, provider+"/")
	}
}

// spreadOf takes percentiles as the smallest value that so many don't exceed.
func spreadOf(all []time.Duration) Spread {
	if len(all) == 0 {
		return Spread{}
	}
	slices.Sort(all)
	rank := func(percent int) ms { return ms(all[(len(all)*percent+99)/100-1]) }
	return Spread{P50: rank(50), P99: rank(99), Max: rank(100)}
}
