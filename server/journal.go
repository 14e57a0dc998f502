package server

import (
	"sync"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/server/tracing"
)

// finished is a request that is over, with what only the server knows of it.
type finished struct {
	report  combo.Report
	seq     int64           // the order in which requests ended; about the time of it in Unix ns
	key     string          // name of the client's key, empty for none
	parent  *tracing.Parent // the client's span, nil for none
	retries int             // which try of the client's SDK it was, 0 for the first or unknown
}

// journal keeps the newest finished requests, for those who follow it each at its own pace and for whoever looks. The
// request path hands them over and never waits: a follower that lags too far behind misses the oldest. It is safe
// for concurrent use.
type journal struct {
	mu        sync.Mutex
	ring      []finished // the n-th request is in ring[n%len(ring)]
	next      uint64     // number of the next request, from 0
	last      int64      // seq of the newest
	many      uint64     // after how many requests followers don't wait for more
	followers []*follower
}

// journalSize is how many requests a journal keeps at most.
const journalSize = 4096

// batchSize is how many requests a follower that waits for more should get at once.
const batchSize = 128

// newJournal makes a journal that keeps up to size requests, at least 1.
func newJournal(size int) *journal {
	return &journal{ring: make([]finished, size), many: uint64(max(min(batchSize, size/2), 1))}
}

// add takes over a copy of a finished request and numbers it.
func (j *journal) add(f *finished) {
	ended := f.report.Start.Add(f.report.Total).UnixNano()
	j.mu.Lock()
	defer j.mu.Unlock()
	slot := j.at(j.next)
	*slot = *f
	j.last = max(j.last+1, ended)
	slot.seq = j.last
	j.next++
	many := j.next%j.many == 0
	for _, fl := range j.followers {
		if fl.asleep {
			fl.asleep = false
			signal(fl.woken)
		}
		if many {
			signal(fl.hurried)
		}
	}
}

// continueAfter numbers later requests behind one of an earlier process, also if the clock was set back meanwhile.
func (j *journal) continueAfter(seq int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = max(j.last, seq)
}

// first is the number of the oldest request that is kept. The caller holds mu.
func (j *journal) first() uint64 { return j.next - min(j.next, uint64(len(j.ring))) }

// at is the place of the n-th request. The caller holds mu.
func (j *journal) at(n uint64) *finished { return &j.ring[n%uint64(len(j.ring))] }

// newest gives the requests that q asks for, newest first. oldest is the seq of the oldest request that is kept, 0
// while none was given up.
func (j *journal) newest(q *RequestQuery) (found []finished, oldest int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := j.first()
	for n := j.next; n > first && len(found) < q.Limit; n-- {
		if f := j.at(n - 1); f.matches(q) {
			found = append(found, *f)
		}
	}
	if first > 0 {
		oldest = j.at(first).seq
	}
	return found, oldest
}

func (f *finished) matches(q *RequestQuery) bool {
	r := &f.report
	return (q.Before == 0 || f.seq < q.Before) && (q.Combo == "" || r.Combo == q.Combo) &&
		(q.Outcome == "" || r.Outcome == q.Outcome) && !r.Start.Before(q.Since)
}

// find gives the request of an id.
func (j *journal) find(id string) (finished, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for n := j.next; n > j.first(); n-- {
		if f := j.at(n - 1); f.report.RequestID == id {
			return *f, true
		}
	}
	return finished{}, false
}
