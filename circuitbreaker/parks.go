package circuitbreaker

import (
	"slices"
	"time"
)

// maxParks bounds the parks that a breaker tells apart. Those of one walk that
// were begun one after the other are one, so that only a walk that had more
// attempts than this under way at once can tell a difference.
const maxParks = 64

// park is one cooldown, or several that one walk began: whoever ignores the
// latest of them ignores the others too. Their end is that of the latest.
type park struct {
	number       uint64 // of the latest; unique in the registry
	begun, until moment // of the latest
	hintNumber   uint64 // of the latest that a Retry-After hint set, 0 if none did
	hintUntil    moment // the end of that one
	nobodys      bool   // stands for parks of several walks: nobody can ignore it
}

// newPark is the park of a number.
func newPark(number uint64, begun, until moment, hinted bool) park {
	p := park{number: number, begun: begun, until: until, hintUntil: unset}
	if hinted {
		p.hintNumber, p.hintUntil = number, until
	}
	return p
}

// with is p and a later park as one.
func (p *park) with(later park) park {
	if later.hintNumber == 0 {
		later.hintNumber, later.hintUntil = p.hintNumber, p.hintUntil
	}
	return later
}

// parks are the cooldowns of a breaker, each later one ending later than those
// before: a park is extended, never shortened. They are kept apart so that a
// walk may ignore its own and still heed everybody else's. The zero value has
// none. Spec: breaker.md 4, "Cooldown".
type parks struct {
	list []park
	last uint64 // number of the latest park that was begun
}

// none says that there is no park, over or not.
func (p *parks) none() bool { return len(p.list) == 0 }

// end is when the last park ends, unset if there is none.
func (p *parks) end() moment {
	if p.none() {
		return unset
	}
	return p.list[len(p.list)-1].until
}

// begin adds a park unless one that lasts as long is there, and says whether it
// did. own is what claim returned to the request that began it.
func (p *parks) begin(next park, own uint64) bool {
	p.prune(next.begun)
	if next.until <= next.begun || next.until <= p.end() {
		return false
	}
	p.last = next.number
	if n := len(p.list); n > 0 && p.list[n-1].number == own {
		p.list[n-1] = p.list[n-1].with(next)
		return true
	}
	if len(p.list) == maxParks {
		p.list[1] = p.list[0].with(p.list[1])
		p.list[1].nobodys = true
		p.cut(1)
	}
	p.list = append(p.list, next)
	return true
}

// claim makes one of the latest parks that ignore covers, for they are one
// walk's, and returns its number; 0 if ignore does not cover the latest.
func (p *parks) claim(now moment, ignore []uint64) (own uint64) {
	p.prune(now)
	first := len(p.list)
	for first > 0 && p.list[first-1].ignored(ignore) {
		first--
	}
	if first == len(p.list) {
		return 0
	}
	for _, later := range p.list[first+1:] {
		p.list[first] = p.list[first].with(later)
	}
	p.list = p.list[:first+1]
	return p.list[first].number
}

func (p *park) ignored(ignore []uint64) bool {
	return !p.nobodys && slices.Contains(ignore, p.number)
}

// holding is the end of the last park that holds at now and is not ignored,
// unset if none does, and whether a hint set one of those that hold.
func (p *parks) holding(now moment, ignore []uint64) (until moment, hinted bool) {
	until = unset
	for i := len(p.list) - 1; i >= 0 && p.list[i].until > now && !hinted; i-- {
		held := &p.list[i]
		if held.ignored(ignore) {
			continue
		}
		until = max(until, held.until)
		hinted = held.hintUntil > now
	}
	return until, hinted
}

// lone says that there is one park whose refusals are the same until it ends.
func (p *parks) lone() bool {
	return len(p.list) == 1 && (p.list[0].hintNumber == 0 || p.list[0].hintUntil == p.list[0].until)
}

// longer is the end of the last park, if it is longer than length.
func (p *parks) longer(length time.Duration) (until moment, hinted, long bool) {
	if p.none() {
		return unset, false, false
	}
	last := &p.list[len(p.list)-1]
	return last.until, last.hintNumber == last.number, last.until.since(last.begun) > length
}

// endBy ends the parks that had begun when a permit was given out that carries
// the number seen, and says whether there were any.
func (p *parks) endBy(seen uint64) bool {
	n := 0
	for n < len(p.list) && p.list[n].number <= seen {
		n++
	}
	p.cut(n)
	if !p.none() && p.list[0].hintNumber <= seen {
		p.list[0].hintNumber, p.list[0].hintUntil = 0, unset
	}
	return n > 0
}

// prune drops the parks that are over.
func (p *parks) prune(now moment) {
	n := 0
	for n < len(p.list) && p.list[n].until <= now {
		n++
	}
	p.cut(n)
}

// clear ends every park.
func (p *parks) clear() { p.list = p.list[:0] }

// cut drops the n oldest and keeps the memory.
func (p *parks) cut(n int) {
	if n > 0 {
		p.list = slices.Delete(p.list, 0, n)
	}
}
