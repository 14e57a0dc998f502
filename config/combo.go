package config

import (
	"time"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// Combo is the document of a combo (spec: routing.md 1). Members that are not set take the value of the file's
// `defaults`; in answers they show it.
type Combo struct { //nolint:recvcheck // a value must be shown as JSON too, and only a pointer can be read into
	Name                    string
	Aliases                 []string
	Strategy                string // one of combo.StrategyNames
	Targets                 []Target
	Retry                   Retry
	Timeouts                ComboTimeouts
	Keepalive               *time.Duration
	Hold                    Hold
	FailoverOnContentPolicy bool
	Exhausted               Exhausted
	Origin
}

// MarshalJSON writes the combo.
func (c Combo) MarshalJSON() ([]byte, error) { return written(false, c.members), nil }

func (c *Combo) members(m members) {
	text(m, "name", &c.Name, pathRule)
	m.texts("aliases", &c.Aliases, pathRule)
	if m.reads() {
		c.Strategy = combo.StrategyNames()[0]
	}
	text(m, "strategy", &c.Strategy, among(combo.StrategyNames()...))
	objects(m, "targets", &c.Targets, (*Target).members)
	m.object("retry", c.Retry.members)
	m.object("timeouts", c.Timeouts.members)
	m.duration("keepalive", &c.Keepalive, orZero)
	m.object("hold", c.Hold.members)
	flag(m, "failover_on_content_policy", &c.FailoverOnContentPolicy)
	m.object("when_exhausted", c.Exhausted.members)
	c.Origin.members(m)
}

// Target is one place in a combo: a model of a provider, or another combo.
type Target struct {
	Provider, Model string
	Combo           string
	Weight          int  // 0: drained
	Disabled        bool // drained too
	OnlyOn          []providers.Kind
}

func (t *Target) members(m members) {
	set(&t.Provider, func(v **string) { m.text("provider", v, nil) })
	set(&t.Model, func(v **string) { m.text("model", v, nameRule) })
	set(&t.Combo, func(v **string) { m.text("combo", v, nil) })
	if m.reads() {
		t.Weight = 1
	}
	count(m, "weight", &t.Weight, counts)
	if t.Disabled || m.reads() {
		flag(m, "disabled", &t.Disabled)
	}
	if len(t.OnlyOn) > 0 || m.reads() {
		words(m, "only_on", &t.OnlyOn, kindOfFailure)
	}
}

// Retry says how often and how fast a walk goes on after a failure (spec: routing.md 2).
type Retry struct {
	MaxRetries      *int // nil: every candidate once
	Base, Max       *time.Duration
	SameTarget      *int
	PauseOnFailover *bool
}

const mostRetries = 1000

func (r *Retry) members(m members) {
	if m.count("max_retries", &r.MaxRetries, span{least: 0, most: mostRetries}); r.MaxRetries == nil {
		m.null("max_retries")
	}
	m.duration("base", &r.Base, aboveZero)
	m.duration("max", &r.Max, aboveZero)
	m.count("same_target", &r.SameTarget, span{least: 0, most: mostRetries})
	m.flag("pause_on_failover", &r.PauseOnFailover)
}

// Timeouts are the limits of an attempt (spec: routing.md 3); 0 is no limit.
type Timeouts struct {
	Connect, FirstToken, Idle, Response *time.Duration
}

func (t *Timeouts) members(m members) {
	m.duration("connect", &t.Connect, orZero)
	m.duration("first_token", &t.FirstToken, orZero)
	m.duration("idle", &t.Idle, orZero)
	m.duration("response", &t.Response, orZero)
}

// ComboTimeouts are the limits of the attempts of a walk and of the walk as a whole.
type ComboTimeouts struct {
	Timeouts
	Total *time.Duration
}

func (t *ComboTimeouts) members(m members) {
	t.Timeouts.members(m)
	m.duration("total", &t.Total, orZero)
}

// Hold is the hold window of a stream (spec: routing.md 3).
type Hold struct {
	Events int
	Time   time.Duration
}

func (h *Hold) members(m members) {
	count(m, "events", &h.Events, counts)
	duration(m, "time", &h.Time, orZero)
}

// Exhausted is `when_exhausted`: what happens when every candidate refuses (spec: routing.md 2).
type Exhausted struct {
	Do                 string // combo.FailOpen, Reject or Wait; "": the default
	ProbeWait, MaxWait *time.Duration
}

func (e *Exhausted) members(m members) {
	set(&e.Do, func(v **string) { m.text("do", v, among(combo.FailOpen, combo.Reject, combo.Wait)) })
	m.duration("probe_wait", &e.ProbeWait, orZero)
	m.duration("max_wait", &e.MaxWait, orZero)
}
