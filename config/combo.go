package config

import (
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// Combo is the document of a combo (spec: routing.md 1). Nil members take the value of the file's `defaults`.
type Combo struct {
	Name                    string
	Aliases                 []string
	Strategy                string
	Targets                 []Target
	Retry                   Retry
	Timeouts                Timeouts
	Keepalive               *time.Duration
	Hold                    Hold
	FailoverOnContentPolicy bool
	Exhausted               Exhausted
	Origin
}

// Target is one place in a combo: a model of a provider, or another combo.
type Target struct {
	Provider, Model string
	Combo           string
	Weight          *int // nil: 1; 0: drained
	Disabled        bool // drained too
	OnlyOn          []providers.Kind
}

// Retry says how often and how fast a walk goes on after a failure (spec: routing.md 2).
type Retry struct {
	MaxRetries      *int // nil: every candidate once
	Base, Max       *time.Duration
	SameTarget      *int
	PauseOnFailover *bool
}

// Timeouts are the limits of an attempt and of the walk; 0 is no limit. Total belongs to combos and `defaults` only.
type Timeouts struct {
	Connect, FirstToken, Idle, Response, Total *time.Duration
}

// Hold is the hold window of a stream (spec: routing.md 3).
type Hold struct {
	Events int
	Time   time.Duration
}

// Exhausted is `when_exhausted`: what happens when every candidate refuses (spec: routing.md 2).
type Exhausted struct {
	Do                 string // fail_open, reject, wait, or "" for the default
	ProbeWait, MaxWait *time.Duration
}
