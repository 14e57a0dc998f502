package circuitbreaker

// tally counts verdicts by one of the three measures. Spec: breaker.md 3.
type tally struct {
	measure Measure
	// failed is the count of Consecutive and Decay; in Window, what the buckets
	// hold together, as total is.
	failed, total int64
	kinds         kindCounts
	window        *rolling // Window only
	// lastFailure is the time of the last failure counted, unset if none was.
	lastFailure moment
}

// fit zeroes the tally if it was taken by another measure, or over another
// window, than r wants, and says whether it did.
func (c *tally) fit(r *rules) bool {
	if c.measure == r.Measure && (c.window == nil || c.window.length == r.Window) {
		return false
	}
	c.measure, c.window = r.Measure, nil
	if r.Measure == Window {
		c.window = newRolling(r.Window)
	}
	c.clear()
	return true
}

// clear sets everything to 0.
func (c *tally) clear() {
	c.failed, c.total = 0, 0
	c.kinds.clear()
	if c.window != nil {
		c.window.clear()
	}
}

// zero says that nothing is counted.
func (c *tally) zero() bool { return c.failed == 0 && c.total == 0 }

// rises says whether time alone may raise the measure: the share of failures in
// a window, when successes leave it.
func (c *tally) rises() bool { return c.window != nil && c.failed > 0 }

// at are the counts that hold at now, without changing anything.
func (c *tally) at(r *rules, now moment) (failed, total int64) {
	switch {
	case c.window != nil:
		return c.window.sums(now)
	case c.forgotten(r, now):
		return 0, 0
	default:
		return c.failed, 0
	}
}

// kindsAt are the counts per kind that hold at now; nil if there are none.
func (c *tally) kindsAt(r *rules, now moment) map[Kind]int {
	switch {
	case c.window != nil:
		return c.window.kinds(now)
	case c.forgotten(r, now):
		return nil
	default:
		return c.kinds.addTo(nil)
	}
}

// aged says whether age has anything to drop.
func (c *tally) aged(r *rules, now moment) bool {
	if c.window != nil {
		return now >= c.window.leaves
	}
	return c.forgotten(r, now)
}

// age drops what time has taken and says whether that was anything.
func (c *tally) age(r *rules, now moment) bool {
	if !c.aged(r, now) {
		return false
	}
	if c.window == nil {
		c.clear()
		return true
	}
	for now >= c.window.leaves {
		c.drop(c.window.pop())
	}
	return true
}

// fail counts a failure, after age, and returns how many of its kind there are.
func (c *tally) fail(kind Kind, now moment) int64 {
	c.failed++
	c.lastFailure = now
	if c.window != nil {
		b := c.bucket(now)
		b.total++
		b.failed++
		b.kinds.add(kind, 1)
		c.total++
	}
	return c.kinds.add(kind, 1)
}

// succeed counts a success, after age, and says whether that changed anything.
func (c *tally) succeed(now moment) bool {
	switch {
	case c.window != nil:
		c.bucket(now).total++
		c.total++
	case c.failed == 0:
		return false
	case c.measure == Consecutive:
		c.clear()
	default:
		c.failed--
		c.kinds.decay()
	}
	return true
}

func (c *tally) forgotten(r *rules, now moment) bool {
	return c.failed > 0 && now.since(c.lastFailure) > r.ForgetAfter
}

func (c *tally) bucket(now moment) *bucket {
	if b := c.window.newest(now); b != nil {
		return b
	}
	if c.window.n == windowBuckets {
		c.drop(c.window.pop())
	}
	return c.window.push(now)
}

func (c *tally) drop(b *bucket) {
	c.failed, c.total = c.failed-b.failed, c.total-b.total
	for _, k := range b.kinds {
		c.kinds.add(k.kind, -k.n)
	}
}
