package simulate

import (
	"cmp"
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// knowledge tells how much of what targets did in a replay the log had seen.
type knowledge struct {
	Seen    int `json:"seen"`    // calls for which the log has one of that target within half a minute
	Guessed int `json:"guessed"` // its nearest call of that target was further away
	Unknown int `json:"unknown"` // it has none: the target answered as one that nothing is wrong with
}

// near is how old an observation may be to count as seen.
const near = 30 * time.Second

// recall plays the observation of a target that is nearest in time; of two, the earlier.
func (w *world) recall(target string, now time.Duration) (act, bool) {
	seen := w.seen[target]
	if len(seen) == 0 {
		w.known.Unknown++
		return act{}, false
	}
	i, _ := slices.BinarySearchFunc(seen, now, func(o observation, t time.Duration) int { return cmp.Compare(o.at, t) })
	if i == len(seen) || i > 0 && now-seen[i-1].at <= seen[i].at-now {
		i--
	}
	o := &seen[i]
	if distance := max(now-o.at, o.at-now); distance > near {
		w.known.Guessed++
	} else {
		w.known.Seen++
	}
	return o.act(), true
}

// act is what was observed, to be played again.
func (o *observation) act() act {
	next := act{fault: none, first: o.lasted}
	if o.first > 0 {
		next.first, next.rest = min(o.first, o.lasted), max(o.lasted-o.first, 0)
	}
	switch {
	case o.kind == "":
	case o.kind == providers.Timeout && o.status == 0:
		next.never = true // a limit of the gateway ended it: nobody knows how long it would have taken
	default:
		next.fails = failure(o.kind, 0)
		if o.status != 0 {
			next.fails.Status = o.status
		}
		if o.kind != providers.Truncated {
			next.first, next.rest = o.lasted, 0
		}
	}
	return next
}
