package providers

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Override changes members of a rule; nil members leave it as it is (spec: failures.md 1, last paragraph).
type Override struct {
	Threshold      *int
	ImmediateOpen  *bool
	Cooldown, Park *time.Duration
	Counts         *bool
	Scope          *Charge
	Failover       *Failover
}

// OverrideError refuses a member of an override.
type OverrideError struct {
	Kind   Kind
	Member string // as in the settings; empty: the kind itself
	Reason string
}

func (e *OverrideError) Error() string {
	if e.Member == "" {
		return fmt.Sprintf("kinds.%s: %s", e.Kind, e.Reason)
	}
	return fmt.Sprintf("kinds.%s.%s: %s", e.Kind, e.Member, e.Reason)
}

// unchargeable kinds are no target's fault, whatever the settings say: one client's bad request must not bench a
// target for the others, and our own bug none at all (spec: routing.md 4).
var unchargeable = []Kind{ContextLength, ContentPolicy, Unsupported, ClientError, Canceled, Local}

// With returns the rules with the overrides laid over them. The error joins one [*OverrideError] per refused member,
// sorted by kind; the other members are applied all the same.
func (rs Rules) With(overrides map[Kind]Override) (Rules, error) {
	changed := maps.Clone(rs)
	var refused []error
	for _, kind := range slices.Sorted(maps.Keys(overrides)) {
		rule, ok := rs[kind]
		if !ok {
			refused = append(refused, &OverrideError{Kind: kind, Reason: "no such failure kind"})
			continue
		}
		refused = append(refused, rule.override(overrides[kind])...)
		changed[kind] = rule
	}
	return changed, errors.Join(refused...)
}

// override changes the rule in place; callers own it.
func (r *Rule) override(o Override) (refused []error) {
	refuse := func(member, reason string) {
		refused = append(refused, &OverrideError{Kind: r.Kind, Member: member, Reason: reason})
	}
	fixed := slices.Contains(unchargeable, r.Kind)
	if o.Threshold != nil {
		r.Breaker.Threshold = *o.Threshold
	}
	if o.ImmediateOpen != nil {
		r.Breaker.ImmediateOpen = *o.ImmediateOpen
	}
	if o.Cooldown != nil {
		r.Breaker.Cooldown = o.Cooldown
	}
	if o.Park != nil {
		r.Breaker.Park, r.ownPark = o.Park, true
	}
	if o.Scope != nil {
		if fixed && *o.Scope != ChargeNone {
			refuse("scope", "nobody can be charged for this kind")
		} else {
			r.Charged, r.lone, r.Counts = *o.Scope, ChargeNone, *o.Scope != ChargeNone
		}
	}
	if o.Counts != nil {
		if fixed && *o.Counts {
			refuse("counts", "nobody can be charged for this kind")
		} else {
			r.Counts = *o.Counts
			if r.Counts && r.Charged == ChargeNone {
				r.Charged = ChargeByScope
			}
		}
	}
	if o.Failover != nil {
		switch {
		case (r.Kind == Canceled || r.Kind == Local || r.Kind == Truncated) && *o.Failover != NextNone:
			refuse("failover", "nothing can go on after this kind")
		default:
			r.Failover = *o.Failover
		}
	}
	return refused
}
