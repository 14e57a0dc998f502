package config

import (
	"errors"
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// layers are patches from the lowest to the highest: `defaults`, the provider's, the model's.
type layers []*BreakerPatch

// settings lays the patches over the defaults, member by member (spec: api.md, breaker settings). Kinds park by
// default unless the breaker measures a window or has a cooldown of 0 (spec: breaker.md 3, failures.md 1).
func (ls layers) settings() circuitbreaker.Settings {
	s := circuitbreaker.DefaultSettings()
	for _, l := range ls {
		override(&s.Measure, l.Measure)
	}
	if s.Measure == circuitbreaker.Window {
		s.Cooldown = 0
	}
	for _, l := range ls {
		l.lay(&s)
	}
	parks := s.Measure != circuitbreaker.Window && s.Cooldown != 0
	if !ls.haveKinds() {
		s.Kinds = defaultKinds[parks]
		return s
	}
	rules, _ := ls.rules()
	s.Kinds = rules.BreakerKinds(parks)
	return s
}

// Most providers change no kind: they share the default table and its settings, with and without parks.
var (
	defaultRules = providers.DefaultRules()
	defaultKinds = map[bool]map[providers.Kind]circuitbreaker.KindSettings{
		true: defaultRules.BreakerKinds(true), false: defaultRules.BreakerKinds(false),
	}
)

func (ls layers) haveKinds() bool {
	return slices.ContainsFunc(ls, func(l *BreakerPatch) bool { return len(l.Kinds) > 0 })
}

// rules lays what the patches say of the kinds over the default table, as far as that can be changed.
func (ls layers) rules() (providers.Rules, error) {
	rules := defaultRules
	var refused error
	for _, l := range ls {
		if len(l.Kinds) > 0 {
			changed, err := rules.With(l.Kinds)
			rules, refused = changed, errors.Join(refused, err)
		}
	}
	return rules, refused
}

// usable are the settings without the highest layers that don't fit those below: a file that changed its defaults may
// have put them out of range, which is said when it is read.
func (ls layers) usable() circuitbreaker.Settings {
	s := ls.settings()
	for len(ls) > 1 && s.Validate() != nil {
		ls = ls[:len(ls)-1]
		s = ls.settings()
	}
	return s
}

// lay puts the patch over everything but the kinds.
func (b *BreakerPatch) lay(s *circuitbreaker.Settings) {
	override(&s.FailureThreshold, b.FailureThreshold)
	override(&s.DegradedAt, b.DegradedAt)
	override(&s.RecoversAt, b.RecoversAt)
	override(&s.ForgetAfter, b.ForgetAfter)
	override(&s.ResetTimeout, b.ResetTimeout)
	override(&s.MaxBackoffMultiplier, b.MaxBackoffMultiplier)
	override(&s.BackoffAfter, b.BackoffAfter)
	override(&s.HalfOpenRequests, b.HalfOpenRequests)
	override(&s.HalfOpenSuccesses, b.HalfOpenSuccesses)
	override(&s.ProbeTimeout, b.ProbeTimeout)
	override(&s.Cooldown, b.Cooldown)
	override(&s.RetryAfterMax, b.RetryAfterMax)
	override(&s.Jitter, b.Jitter)
	override(&s.Enforce, b.Enforce)
	override(&s.Window, b.Window)
	override(&s.ErrorThreshold, b.ErrorThreshold)
	override(&s.VolumeThreshold, b.VolumeThreshold)
}

func override[T any](v *T, by *T) {
	if by != nil {
		*v = *by
	}
}

// outOfRange validates the settings that the layers give and reports what the highest layer is to blame for: what is
// out of range without it is reported where it stands.
func (ls layers) outOfRange(path string) []Problem {
	highest := ls[len(ls)-1]
	if highest.isZero() {
		return nil
	}
	below := rangeErrors(ls[:len(ls)-1].settings())
	var problems []Problem
	if _, err := (layers{highest}).rules(); err != nil {
		for _, e := range flat(err) {
			if o, ok := errors.AsType[*providers.OverrideError](e); ok && o.Member != "" {
				problems = append(problems, Problem{Path: within(path, "kinds."+string(o.Kind)+"."+o.Member), Message: o.Reason})
			}
		}
	}
	for _, e := range rangeErrors(ls.settings()) {
		if slices.ContainsFunc(below, func(b *circuitbreaker.RangeError) bool { return *b == *e }) {
			continue
		}
		problems = append(problems, Problem{Path: within(path, e.Path), Message: "must be " + e.Range + ", not " + e.Value})
	}
	return problems
}

func rangeErrors(s circuitbreaker.Settings) []*circuitbreaker.RangeError {
	var ranges []*circuitbreaker.RangeError
	for _, e := range flat(s.Validate()) {
		if r, ok := errors.AsType[*circuitbreaker.RangeError](e); ok {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// limits lays time-outs over limits; 0 in a document is no limit, which the router writes as less than 0.
func (t *Timeouts) limits(l providers.Limits) providers.Limits {
	for _, member := range []struct {
		limit *time.Duration
		by    *time.Duration
	}{
		{&l.Connect, t.Connect}, {&l.FirstToken, t.FirstToken}, {&l.Idle, t.Idle}, {&l.Response, t.Response},
	} {
		if member.by == nil {
			continue
		}
		if *member.limit = *member.by; *member.by == 0 {
			*member.limit = -1
		}
	}
	return l
}

// lower fills what a combo doesn't set from the defaults of the file, and those from the product's.
func (c Combo) lower(d *Defaults) Combo {
	for _, r := range []*Retry{&d.Retry, &productDefaults.Retry} {
		inherit(&c.Retry.MaxRetries, r.MaxRetries)
		inherit(&c.Retry.Base, r.Base)
		inherit(&c.Retry.Max, r.Max)
		inherit(&c.Retry.SameTarget, r.SameTarget)
		inherit(&c.Retry.PauseOnFailover, r.PauseOnFailover)
	}
	for _, l := range []*Defaults{d, &productDefaults} {
		inherit(&c.Keepalive, l.Keepalive)
		inherit(&c.Timeouts.Total, l.Timeouts.Total)
		inherit(&c.Exhausted.ProbeWait, l.Exhausted.ProbeWait)
		inherit(&c.Exhausted.MaxWait, l.Exhausted.MaxWait)
		if c.Exhausted.Do == "" {
			c.Exhausted.Do = l.Exhausted.Do
		}
	}
	return c
}

func inherit[T any](v **T, from *T) {
	if *v == nil {
		*v = from
	}
}
