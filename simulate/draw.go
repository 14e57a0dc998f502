package simulate

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// generator draws for one purpose: what is drawn for one thing doesn't move what is drawn for another, so that policies
// meet the same luck.
func generator(seed uint64, purpose string, request int) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose)) // it never fails
	return rand.New(rand.NewPCG(seed, h.Sum64()^uint64(request)*0x9e3779b97f4a7c15))
}

// shared is a generator for whoever has the turn.
func shared(seed uint64, purpose string) func() float64 {
	var mu sync.Mutex
	r := generator(seed, purpose, 0)
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return r.Float64()
	}
}

// draw makes the requests of the script's arrivals. Each comes at a whole millisecond and as many nanoseconds later as
// there were requests before it, and everything else lasts whole milliseconds: so no request's wait ends by chance at
// the instant at which another's does.
func (s *script) draw() []arrival {
	var all []arrival
	for i := range s.arrivals {
		a := &s.arrivals[i]
		r := generator(s.seed, "arrivals", i)
		distance := float64(time.Second) / a.rate
		for next, n := float64(a.from), uint64(0); ; n++ {
			if a.distribution == poisson {
				next += r.ExpFloat64() * distance
			} else if n > 0 {
				next = float64(a.from) + float64(n)*distance
			}
			when := time.Duration(next).Truncate(time.Millisecond)
			if when >= a.to || len(all) >= maxRequests {
				break
			}
			one := arrival{at: when, streamed: r.Float64() < a.streamed, session: uint64(len(all)), endpoint: string(providers.Chat)}
			if a.sessions > 0 {
				one.session = n % a.sessions
			}
			all = append(all, one)
		}
	}
	return apart(all)
}

// apart brings requests into order, none at the instant of another.
func apart(all []arrival) []arrival {
	slices.SortStableFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	for i := range all {
		all[i].at += time.Duration(i)
	}
	return all
}

// vary draws a duration from within spread around d, in whole milliseconds.
func vary(r *rand.Rand, d time.Duration, spread float64) time.Duration {
	if spread == 0 {
		return d
	}
	return time.Duration(float64(d) * (1 + spread*(2*r.Float64()-1))).Round(time.Millisecond)
}
