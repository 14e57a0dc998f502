package combo

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// firstTokens knows who waits for a target's first token and how long that takes as a rule, so that a target that
// hangs is found before the first time-out fires (spec: routing.md "Suspects"). Streamed requests only. Safe for
// concurrent use.
type firstTokens struct {
	crowd atomic.Int32 // len(waiting), to be read without the lock

	mu      sync.Mutex
	waiting []time.Time // when those were sent that nothing has come for since, oldest first
	recent  [100]time.Duration
	seen    int           // first tokens measured so far
	p95     time.Duration // of recent; 0: to be computed
}

const (
	suspectCrowd   = 4                // so many must wait
	suspectFactor  = 4                // times the p95
	suspectFloor   = time.Second      // at least
	suspectDefault = 30 * time.Second // with fewer than suspectSample measurements
	suspectSample  = 20
)

// join adds a request sent at now.
func (f *firstTokens) join(now time.Time) {
	f.mu.Lock()
	f.waiting = append(f.waiting, now)
	f.crowd.Store(int32(len(f.waiting)))
	f.mu.Unlock()
}

// leave takes out a request that ended without a first token.
func (f *firstTokens) leave(sent time.Time) {
	f.mu.Lock()
	if i := slices.IndexFunc(f.waiting, sent.Equal); i >= 0 {
		f.waiting = slices.Delete(f.waiting, i, i+1)
		f.crowd.Store(int32(len(f.waiting)))
	}
	f.mu.Unlock()
}

// arrive records the first token of a request; whoever was sent before now waits for nothing suspicious any more.
func (f *firstTokens) arrive(sent, now time.Time) {
	f.mu.Lock()
	f.waiting = f.waiting[:0]
	f.crowd.Store(0)
	f.recent[f.seen%len(f.recent)] = now.Sub(sent)
	f.seen++
	f.p95 = 0
	f.mu.Unlock()
}

// suspect tells whether so many have waited for so long that the target seems to hang.
func (f *firstTokens) suspect(now time.Time) bool {
	if f.crowd.Load() < suspectCrowd {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.waiting) >= suspectCrowd && now.Sub(f.waiting[suspectCrowd-1]) > f.patience()
}

// patience requires the lock.
func (f *firstTokens) patience() time.Duration {
	if f.seen < suspectSample {
		return suspectDefault
	}
	if f.p95 == 0 {
		sorted := f.recent
		n := min(f.seen, len(sorted))
		slices.Sort(sorted[:n])
		f.p95 = max(sorted[(n*95+99)/100-1], 1)
	}
	return max(suspectFactor*f.p95, suspectFloor)
}
