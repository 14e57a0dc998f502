package config

import "time"

// Provider is the document P of the HTTP API (spec: api.md) and of the file. As JSON it carries every member, secrets
// redacted; a nil pointer is a member that isn't set and takes the value of the layer below it.
type Provider struct {
	ID                  string
	Kind                string // openai, anthropic, gemini, azure, demo
	Preset              string
	BaseURL             string
	Dialects            []string
	Strict              bool
	ForwardHeaders      []string
	InjectUsage         bool
	Models              []Model // empty: any model
	Keys                []Key
	Headers             map[string]string
	Breaker             BreakerPatch
	BreakerScope        string // provider, target, or "" for the preset's
	Timeouts            Timeouts
	MaxConcurrency      int           // 0: no limit
	QueueTimeout        time.Duration // 0: skipped at once
	AllowPrivateNetwork bool
	Disabled            bool
	Origin
}

// Model is one model of a provider and what is true of it in every combo (spec: routing.md 1).
type Model struct {
	Name            string
	ContextWindow   int // tokens, 0: not declared
	MaxOutputTokens int // tokens, 0: not declared
	Price           *Price
	Capabilities    []string // nil: not declared
	Timeouts        Timeouts
	Breaker         BreakerPatch
	Script          string // of kind demo only: what the model plays
}

// Price is in USD per million tokens.
type Price struct{ Input, Output float64 }

// Key is a provider's credential: the name of an environment variable, or a value that is stored sealed.
type Key struct {
	Name   string
	Env    string
	Weight int
	// value is the secret of a key given by value; sealed is the form of it that is stored.
	value, sealed string
}

// Origin says where a document comes from and when it changed. It is written, and ignored when read.
type Origin struct {
	ManagedBy            string // api or file
	CreatedAt, UpdatedAt time.Time
	// Version grows by one with every change of the document: the ETag of the HTTP API.
	Version uint64
}
