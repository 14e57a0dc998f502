package config

import (
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// Provider is the document P of the HTTP API (spec: api.md) and of the file. As JSON it carries every member, secrets
// redacted. An empty BaseURL, Dialects or BreakerScope takes the preset's value.
type Provider struct { //nolint:recvcheck // a value must be shown as JSON too, and only a pointer can be read into
	ID                  string
	Kind                string // one of Kinds
	Preset              string // a name of providers.Presets, or ""
	BaseURL             string
	Dialects            []providers.Endpoint // endpoints that a custom host speaks natively
	Strict              bool
	APIVersion          string // of kind azure; empty: the latest that is generally available
	ForwardHeaders      []string
	InjectUsage         bool
	Models              []Model // empty: any model
	Keys                []Key
	Headers             map[string]string
	Breaker             BreakerPatch
	BreakerScope        string // provider, target
	Timeouts            Timeouts
	MaxConcurrency      int           // 0: no limit
	QueueTimeout        time.Duration // 0: skipped at once
	AllowPrivateNetwork bool
	Disabled            bool
	Origin
}

// The provider kinds.
const (
	KindOpenAI    = "openai"
	KindAnthropic = "anthropic"
	KindGemini    = "gemini"
	KindAzure     = "azure"
	KindDemo      = "demo"
)

var kindNames = []string{KindOpenAI, KindAnthropic, KindGemini, KindAzure, KindDemo}

var dialectNames = []string{
	string(providers.Chat), string(providers.Completions), string(providers.Embeddings), string(providers.Responses),
	string(providers.Messages), string(providers.Moderations), string(providers.Images), string(providers.Speech),
	string(providers.Transcriptions), string(providers.Rerank),
}

// Scopes of a provider's breaker for failures that are charged by scope (spec: failures.md 1).
const (
	scopeProvider = "provider"
	scopeTarget   = "target"
)

// MarshalJSON writes P.
func (p Provider) MarshalJSON() ([]byte, error) { return written(false, p.members), nil }

func (p *Provider) members(m members) {
	text(m, "id", &p.ID, idRule)
	text(m, "kind", &p.Kind, kindRule)
	text(m, "preset", &p.Preset, optional(presetRule))
	text(m, "base_url", &p.BaseURL, optional(baseURLRule))
	words(m, "dialects", &p.Dialects, among(dialectNames...))
	flag(m, "strict", &p.Strict)
	text(m, "api_version", &p.APIVersion, optional(nameRule))
	m.texts("forward_headers", &p.ForwardHeaders, headerNameRule)
	flag(m, "inject_usage", &p.InjectUsage)
	m.list("models", modelList(&p.Models))
	objects(m, "keys", &p.Keys, (*Key).members)
	m.textMap("headers", &p.Headers, headerNameRule, headerValueRule)
	m.object("breaker", func(m members) { p.Breaker.members(m, true) })
	text(m, "breaker_scope", &p.BreakerScope, optional(among(scopeProvider, scopeTarget)))
	m.object("timeouts", p.Timeouts.members)
	count(m, "max_concurrency", &p.MaxConcurrency, counts)
	duration(m, "queue_timeout", &p.QueueTimeout, orZero)
	flag(m, "allow_private_network", &p.AllowPrivateNetwork)
	enabled := !p.Disabled
	if flag(m, "enabled", &enabled); p.Disabled == enabled {
		p.Disabled = !enabled
	}
	p.Origin.members(m)
}

// Model is one model of a provider and what is true of it in every combo (spec: routing.md 1).
type Model struct {
	Name            string
	ContextWindow   int      // tokens, 0: not declared
	MaxOutputTokens int      // tokens, 0: not declared
	Price           *Price   // nil: not declared
	Capabilities    []string // nil: not declared
	Timeouts        Timeouts
	Breaker         BreakerPatch
	Script          string // of kind demo only: what the model plays (see providers.Demo)
}

// modelList lets a name stand for a model of which nothing else is said.
func modelList(models *[]Model) list {
	l := listOf(models, (*Model).members)
	l.bareRule = nameRule
	l.bare = func(i int) (*string, bool) {
		m := &(*models)[i]
		alone := m.ContextWindow == 0 && m.MaxOutputTokens == 0 && m.Price == nil && m.Capabilities == nil &&
			m.Timeouts == (Timeouts{}) && m.Breaker.isZero() && m.Script == ""
		return &m.Name, alone
	}
	return l
}

const mostTokens = 1_000_000_000

func (model *Model) members(m members) {
	text(m, "name", &model.Name, nameRule)
	set(&model.ContextWindow, func(v **int) { m.count("context_window", v, span{least: 1, most: mostTokens}) })
	maybe(m, "price", &model.Price, (*Price).members)
	if model.Capabilities != nil || m.reads() {
		m.texts("capabilities", &model.Capabilities, nameRule)
	}
	set(&model.MaxOutputTokens, func(v **int) { m.count("max_output_tokens", v, span{least: 1, most: mostTokens}) })
	m.object("timeouts", model.Timeouts.members)
	m.object("breaker", func(m members) { model.Breaker.members(m, false) })
	set(&model.Script, func(v **string) { m.text("script", v, nil) })
}

// Price is in USD per million tokens.
type Price struct{ Input, Output float64 }

func (p *Price) members(m members) {
	plain(&p.Input, func(v **float64) { m.decimal("input", v, 0, mostCounts) })
	plain(&p.Output, func(v **float64) { m.decimal("output", v, 0, mostCounts) })
}

// Key is a provider's credential: the name of an environment variable, or a value that is stored sealed.
type Key struct {
	Name   string
	Env    string
	Weight int

	value    *string // of a key given by value; a pointer, so that printing a Key doesn't print it
	sealed   string  // what is stored of it
	redacted bool    // the document has the mask: the value that is stored stays
}

// mask stands for a value that is set, in answers and in documents that are put back.
const mask = "[redacted]"

func (k *Key) members(m members) {
	text(m, "name", &k.Name, nameRule)
	set(&k.Env, func(v **string) { m.text("env", v, envRule) })
	m.secret(k)
	if m.reads() {
		k.Weight = 1
	}
	count(m, "weight", &k.Weight, span{least: 1, most: mostCounts})
}

// Origin says where a document comes from and when it changed. It is written, and ignored when read.
type Origin struct {
	ManagedBy            string // ManagedByAPI or ManagedByFile
	CreatedAt, UpdatedAt time.Time
	Version              uint64 // grows by one with every change of the document: its ETag
}

// Who manages a document.
const (
	ManagedByAPI  = "api"
	ManagedByFile = "file"
)

func (o *Origin) members(m members) {
	m.shown("managed_by", &o.ManagedBy)
	m.shown("created_at", &o.CreatedAt)
	m.shown("updated_at", &o.UpdatedAt)
	m.shown("version", &o.Version)
}
