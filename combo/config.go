package combo

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// Config is everything that may be named in a request's model and everything that is reached for it.
// It is validated elsewhere (names exist, no cycles, depth at most 8) and immutable once a Router has it:
// a change builds a new value and swaps it in.
type Config struct {
	Providers map[string]*Provider // by ID
	Combos    map[string]*Combo    // by name
	Aliases   map[string]string    // alias to the name of a combo

	// DefaultModel is used by endpoints that need no model; empty: such a request is refused.
	DefaultModel string

	// Direct holds the settings of direct routes ("provider/model"); its Name, Aliases and Targets are not used.
	Direct Combo
}

// Provider is one upstream account or host. Client does the sending; everything else decides about it.
type Provider struct {
	ID, Kind, Preset string
	Client           providers.Provider
	Keys             []providers.Key  // none: a provider that needs no key, or whose Client holds it
	Models           map[string]Model // empty: any model name may be used in targets
	ModelOrder       []string         // the names of Models as configured; nil: sorted

	// Scope is who is charged for failures of charge S (spec: failures.md 1): ScopeProvider (also the zero
	// value's meaning) or ScopeTarget.
	Scope          circuitbreaker.Scope
	Rules          providers.Rules  // nil: providers.DefaultRules
	Limits         providers.Limits // with the defaults filled in; 0 or less: no limit
	MaxConcurrency int              // requests and streams under way at a time; 0: no limit

	// QueueTimeout is how long a request over MaxConcurrency may wait for a slot when no other candidate is
	// left; 0: it never waits.
	QueueTimeout time.Duration
	Endpoints    map[providers.Endpoint]bool // what the provider serves; nil: everything
	Enabled      bool                        // false: every target of it is drained
	CreatedAt    time.Time                   // zero: unknown
}

// Model is what is true of a provider's model, wherever it is used. The zero value declares nothing.
type Model struct {
	Name                           string
	ContextWindow, MaxOutputTokens int    // tokens; 0: not declared
	Price                          *Price // nil: not declared, which `cheapest` takes for the dearest
	Capabilities                   []string
	CapabilitiesDeclared           bool             // false: Capabilities says nothing
	Limits                         providers.Limits // a member that is 0 leaves the provider's; below 0: no limit
}

// Price is in USD per million tokens.
type Price struct{ Input, Output float64 }

// Capabilities that a request may need and a model may declare.
const (
	CapabilityVision = "vision"
	CapabilityTools  = "tools"
)

// Combo is what a client names in model: a strategy over targets, with its own limits (spec: routing.md 1).
type Combo struct {
	Name     string
	Aliases  []string
	Strategy string // one of StrategyNames; empty: priority
	Targets  []Target
	Retry    Retry

	Limits    providers.Limits // a member that is 0 leaves the model's or the provider's; below 0: no limit
	Total     time.Duration    // over the whole walk; 0: no limit
	Keepalive time.Duration    // how long a streamed request waits silently; the server's to obey
	Hold      Hold
	Exhausted Exhausted

	FailoverOnContentPolicy bool
	CreatedAt               time.Time // zero: unknown
}

// Target is one place of a combo: a provider's model, or another combo.
type Target struct {
	Provider, Model string
	Combo           string           // set: this place is another combo, and Provider and Model are empty
	Weight          int              // below 1 counts as 1; whoever drains a target says Drained
	Drained         bool             // no strategy, stickiness or fail-open reaches it
	OnlyOn          []providers.Kind // set: out of the pool, reached after a failure of one of these kinds
}

// Retry bounds the extra attempts of one walk and the waits between them (spec: routing.md 2).
type Retry struct {
	MaxRetries      *int          // extra attempts after the first; nil: every candidate once
	Base, Max       time.Duration // back-off: full jitter in [0, min(Base x 2^(n-1), Max)]
	SameTarget      int           // extra attempts on the same target
	PauseOnFailover bool          // wait between any two attempts
}

// Hold keeps the first meaningful events back, so that a target that dies early can still be replaced.
// It ends with whichever comes first; a member that is 0 sets no end of its own.
type Hold struct {
	Events int
	Time   time.Duration
}

// Exhausted says what happens when every candidate refused (spec: routing.md "when_exhausted").
type Exhausted struct {
	Do        string        // FailOpen (also if empty), Reject or Wait
	ProbeWait time.Duration // FailOpen: how long to wait for a probe under way first
	MaxWait   time.Duration // Wait: how long to hold the request
}

// The values of Exhausted.Do.
const (
	FailOpen = "fail_open"
	Reject   = "reject"
	Wait     = "wait"
)

// DefaultCombo has the defaults of every setting and neither name nor targets (spec: routing.md 1).
func DefaultCombo() Combo {
	return Combo{
		Strategy:  "priority",
		Retry:     Retry{Base: 100 * time.Millisecond, Max: 2 * time.Second},
		Keepalive: 15 * time.Second,
		Exhausted: Exhausted{Do: FailOpen, MaxWait: 10 * time.Second},
	}
}

// DefaultLimits are the limits of a provider that sets none (spec: routing.md 3).
func DefaultLimits() providers.Limits {
	return providers.Limits{
		Connect: 10 * time.Second, FirstToken: 2 * time.Minute, Idle: 5 * time.Minute, Response: 10 * time.Minute,
	}
}
