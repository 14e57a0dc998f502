package circuitbreaker

import "time"

const (
	// windowBuckets is how many buckets cover a rolling window.
	windowBuckets = 10
	// ringSize has room for them, and is a power of two.
	ringSize = 16
)

// rolling holds the verdicts of a rolling window in buckets. A bucket is begun
// by the first verdict that finds none young enough, takes the verdicts of a
// tenth of the window, and leaves the window as a whole when its start does.
// Starts are therefore a tenth apart at least, and ten buckets suffice.
type rolling struct {
	length   time.Duration
	width    time.Duration // of a bucket
	ring     [ringSize]bucket
	first, n int
	// leaves is when the oldest bucket leaves the window, closes when the
	// newest takes no more verdicts; without a bucket, never and unset.
	leaves, closes moment
}

func newRolling(length time.Duration) *rolling {
	return &rolling{length: length, width: length / windowBuckets, leaves: never, closes: unset}
}

type bucket struct {
	start         moment
	total, failed int64
	kinds         kindCounts
}

// at is the i-th bucket, oldest first.
func (w *rolling) at(i int) *bucket { return &w.ring[uint(w.first+i)%ringSize] }

// over says whether b has left the window.
func (w *rolling) over(b *bucket, now moment) bool { return b.start.plus(w.length) <= now }

// pop removes the oldest bucket and returns it, valid until the next push.
func (w *rolling) pop() *bucket {
	b := w.at(0)
	w.first, w.n = (w.first+1)%ringSize, w.n-1
	if w.n == 0 {
		w.clear()
	} else {
		w.leaves = w.at(0).start.plus(w.length)
	}
	return b
}

// clear removes every bucket.
func (w *rolling) clear() { w.n, w.leaves, w.closes = 0, never, unset }

// newest is the bucket that a verdict at now belongs to, nil if one must be begun.
func (w *rolling) newest(now moment) *bucket {
	if now >= w.closes {
		return nil
	}
	return w.at(w.n - 1)
}

// push begins a bucket; there must be room for it.
func (w *rolling) push(start moment) *bucket {
	b := w.at(w.n)
	w.n++
	w.closes = start.plus(w.width)
	if w.n == 1 {
		w.leaves = start.plus(w.length)
	}
	b.start, b.total, b.failed = start, 0, 0
	b.kinds.clear()
	return b
}

// sums are the total and the failed that are in the window at now.
func (w *rolling) sums(now moment) (failed, total int64) {
	for i := range w.n {
		if b := w.at(i); !w.over(b, now) {
			failed, total = failed+b.failed, total+b.total
		}
	}
	return failed, total
}

// kinds are the failures per kind that are in the window at now.
func (w *rolling) kinds(now moment) (m map[Kind]int) {
	for i := range w.n {
		if b := w.at(i); !w.over(b, now) {
			m = b.kinds.addTo(m)
		}
	}
	return m
}
