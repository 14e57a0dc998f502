package main

import (
	"slices"
	"time"
)

// account is what an incident has cost under a policy.
type account struct {
	requests int
	errors   int // answers that were none
	broken   int // answers that broke after they had begun
	wasted   int // calls of the target that fails, from the fault on, that came to nothing
	added    time.Duration
	stopped  time.Duration // from the fault to OPEN; never: not while it lasted
	back     time.Duration // from health to the first answer of the target; never: not within the run
}

// never stands for what did not happen.
const never = -1

// account sums up the records of requests that were due from the fault on; opened is when the breaker first opened after
// that, since the load began.
func (l *lane) account(fault, health, opened time.Duration) account {
	a := account{stopped: never, back: never}
	if opened >= fault && opened < health && !l.policy.observes {
		a.stopped = opened - fault
	}
	var before, during []time.Duration
	for _, r := range l.records {
		switch {
		case r.at < fault && r.whole:
			before = append(before, r.took)
		case r.at >= fault && r.at < health && r.whole:
			during = append(during, r.took)
		}
		if r.at < fault {
			continue
		}
		a.requests++
		a.wasted += r.wasted()
		switch {
		case r.began:
			a.broken++
		case !r.whole:
			a.errors++
		}
		if answered := r.at + r.took - health; r.first && r.at >= health && (a.back == never || answered < a.back) {
			a.back = answered
		}
	}
	a.added = p99(during) - p99(before)
	return a
}

func p99(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)-1, len(times)*99/100)]
}
