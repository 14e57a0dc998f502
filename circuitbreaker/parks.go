package circuitbreaker

import (
	"slices"
	"time"
)

// maxParks is how many parks are told apart. Only a walk that owns the latest
// ones can tell a difference, and a walk makes few attempts.
const maxParks = 4

// park is one cooldown. Its number is unique in the registry.
type park struct {
	number       uint64
	begun, until moment
	hinted       bool // a Retry-After hint set it
	merged       bool // stands for older parks as well: nobody can ignore it
}

// parks are the cooldowns of a breaker, each later one ending later than those
// before: a park is extended, never shortened. They are kept apart so that a
// walk may ignore its own and still heed everybody else's. Spec: breaker.md 4,
// "Cooldown".
type parks struct {
	list [maxParks]park
	n    int
	last uint64 // number of the latest park that was begun
}

// end is when the last park ends, unset if there is none.
func (p *parks) end() moment {
	if p.n == 0 {
		return unset
	}
	return p.list[p.n-1].until
}

// begin adds a park unless one that lasts as long is there, and says whether it did.
func (p *parks) begin(next park) bool {
	p.prune(next.begun)
	if next.until <= next.begun || next.until <= p.end() {
		return false
	}
	if p.n == maxParks {
		p.list[1].merged = true
		p.list[1].hinted = p.list[1].hinted || p.list[0].hinted
		p.cut(1)
	}
	p.list[p.n] = next
	p.n++
	p.last = next.number
	return true
}

// holding is the end of the last park that holds at now and is not ignored,
// unset if none does, and whether a hint set one of those that hold.
func (p *parks) holding(now moment, ignore []uint64) (until moment, hinted bool) {
	until = unset
	for i := p.n - 1; i >= 0 && p.list[i].until > now; i-- {
		held := &p.list[i]
		if !held.merged && slices.Contains(ignore, held.number) {
			continue
		}
		until = max(until, held.until)
		hinted = hinted || held.hinted
	}
	return until, hinted
}

// longer is the end of the last park, if it is longer than length.
func (p *parks) longer(length time.Duration) (until moment, hinted, long bool) {
	if p.n == 0 {
		return unset, false, false
	}
	last := &p.list[p.n-1]
	return last.until, last.hinted, last.until.since(last.begun) > length
}

// endBy ends the parks that had begun when a permit was given out that carries
// the number seen, and says whether there were any.
func (p *parks) endBy(seen uint64) bool {
	n := 0
	for n < p.n && p.list[n].number <= seen {
		n++
	}
	p.cut(n)
	return n > 0
}

// prune drops the parks that are over.
func (p *parks) prune(now moment) {
	n := 0
	for n < p.n && p.list[n].until <= now {
		n++
	}
	p.cut(n)
}

// clear ends every park.
func (p *parks) clear() { p.n = 0 }

// cut drops the n oldest.
func (p *parks) cut(n int) {
	if n == 0 {
		return
	}
	copy(p.list[:], p.list[n:p.n])
	p.n -= n
}
