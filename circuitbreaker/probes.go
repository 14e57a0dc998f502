package circuitbreaker

import "slices"

// unsettledPerSlot bounds the probes whose verdict is open to this many per slot.
const unsettledPerSlot = 8

// probe is a request under way in HALF_OPEN. It holds a slot until its lease
// ends or it has progressed.
type probe struct {
	id       uint64
	leaseEnd moment // never, once it has progressed
}

// probes are the probes of one probe period, oldest first. A probe whose lease
// is over is no longer there, whether or not anybody asked since. Spec:
// breaker.md 2.3 to 2.5.
type probes struct {
	list []probe
	last uint64
}

// room says whether one more may be let through at now.
func (p *probes) room(slots int, now moment) bool {
	holding, unsettled := p.count(now)
	return holding < slots && unsettled < unsettledPerSlot*slots
}

// count is how many hold a slot at now, and how many are unsettled.
func (p *probes) count(now moment) (holding, unsettled int) {
	for _, q := range p.list {
		if q.leaseEnd == never {
			unsettled++
		} else if q.leaseEnd > now {
			unsettled++
			holding++
		}
	}
	return holding, unsettled
}

// oldestEnd is the end of the oldest lease that runs at now, unset if none does.
func (p *probes) oldestEnd(now moment) moment {
	for _, q := range p.list {
		if q.leaseEnd != never && q.leaseEnd > now {
			return q.leaseEnd
		}
	}
	return unset
}

// add lets a probe through and returns its id, which is never 0.
func (p *probes) add(now, leaseEnd moment) uint64 {
	p.list = slices.DeleteFunc(p.list, func(q probe) bool { return q.leaseEnd <= now })
	p.last++
	p.list = append(p.list, probe{id: p.last, leaseEnd: leaseEnd})
	return p.last
}

// settle removes a probe and says whether it was still there.
func (p *probes) settle(id uint64, now moment) bool {
	i := p.index(id, now)
	if i < 0 {
		return false
	}
	p.list = slices.Delete(p.list, i, i+1)
	return true
}

// progress frees the slot of a probe and ends its lease; it stays unsettled.
func (p *probes) progress(id uint64, now moment) bool {
	i := p.index(id, now)
	if i < 0 {
		return false
	}
	p.list[i].leaseEnd = never
	return true
}

// clear forgets every probe and keeps the memory.
func (p *probes) clear() { p.list = p.list[:0] }

func (p *probes) index(id uint64, now moment) int {
	return slices.IndexFunc(p.list, func(q probe) bool { return q.id == id && q.leaseEnd > now })
}
