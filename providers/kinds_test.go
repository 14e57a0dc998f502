package providers

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

const (
	nobody   = circuitbreaker.ScopeNone
	provider = circuitbreaker.ScopeProvider
	key      = circuitbreaker.ScopeKey
	target   = circuitbreaker.ScopeTarget
)

// specified is the table of spec: failures.md 1, written down a second time.
var specified = map[Kind]struct {
	none, one, two circuitbreaker.Scope // who is charged with no key, one key, two keys; scope provider
	scoped         circuitbreaker.Scope // with two keys and scope target
	next           Failover
	atOnce         bool
	cooldown, park time.Duration
	client         ClientAnswer
}{
	RateLimit:      {target, target, key, key, NextSiblingKey, false, 0, 5 * time.Second, ClientAnswer{429, "rate_limit_error", "rate_limit_exceeded", true, false, 429}},
	QuotaExhausted: {provider, key, key, key, NextSiblingKey, true, time.Hour, 0, ClientAnswer{429, "rate_limit_error", "insufficient_quota", true, false, 429}},
	Billing:        {provider, key, key, key, NextSiblingKey, true, 30 * time.Minute, 0, ClientAnswer{429, "rate_limit_error", "insufficient_quota", false, false, 402}},
	Auth:           {provider, key, key, key, NextSiblingKey, true, 30 * time.Minute, 0, ClientAnswer{502, "overloaded_error", "upstream_auth", false, false, 502}},
	Permission:     {target, target, target, target, NextAlways, true, 10 * time.Minute, 0, ClientAnswer{502, "overloaded_error", "upstream_permission", false, false, 502}},
	ModelNotFound:  {target, target, target, target, NextAlways, true, 10 * time.Minute, 0, ClientAnswer{404, "not_found_error", "model_not_found", false, false, 404}},
	ContextLength:  {nobody, nobody, nobody, nobody, NextLargerWindow, false, 0, 0, ClientAnswer{400, "invalid_request_error", "context_length_exceeded", false, false, 400}},
	ContentPolicy:  {nobody, nobody, nobody, nobody, NextOnlyOn, false, 0, 0, ClientAnswer{400, "invalid_request_error", "content_filter", false, true, 400}},
	Unsupported:    {nobody, nobody, nobody, nobody, NextAlways, false, 0, 0, ClientAnswer{400, "invalid_request_error", "unsupported", false, true, 400}},
	ClientError:    {nobody, nobody, nobody, nobody, NextNone, false, 0, 0, ClientAnswer{400, "invalid_request_error", "client_error", false, true, 400}},
	Overloaded:     {provider, provider, provider, target, NextAlways, false, 0, 10 * time.Second, ClientAnswer{503, "overloaded_error", "overloaded", true, false, 529}},
	ServerError:    {provider, provider, provider, target, NextAlways, false, 0, 0, ClientAnswer{503, "overloaded_error", "server_error", false, false, 503}},
	Timeout:        {provider, provider, provider, target, NextBeforeCommit, false, 0, 0, ClientAnswer{504, "overloaded_error", "timeout", false, false, 504}},
	Connection:     {provider, provider, provider, provider, NextAlways, false, 0, 0, ClientAnswer{502, "overloaded_error", "connection", false, false, 502}},
	Malformed:      {provider, provider, provider, target, NextBeforeCommit, false, 0, 0, ClientAnswer{502, "overloaded_error", "malformed", false, false, 502}},
	Truncated:      {provider, provider, provider, target, NextNone, false, 0, 0, ClientAnswer{502, "overloaded_error", "truncated", false, false, 502}},
	ModelFault:     {nobody, nobody, nobody, nobody, NextBeforeCommit, false, 0, 0, ClientAnswer{502, "overloaded_error", "model_fault", false, true, 502}},
	Canceled:       {nobody, nobody, nobody, nobody, NextNone, false, 0, 0, ClientAnswer{499, "invalid_request_error", "canceled", false, false, 499}},
	Local:          {nobody, nobody, nobody, nobody, NextNone, false, 0, 0, ClientAnswer{500, "api_error", "local", false, false, 500}},
}

func TestKindsHaveTheRowsOfTheSpecification(t *testing.T) {
	if len(Kinds()) != len(specified) || len(DefaultRules()) != len(specified) {
		t.Fatalf("%d kinds, %d rules, %d rows", len(Kinds()), len(DefaultRules()), len(specified))
	}
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			want, r := specified[kind], DefaultRules()[kind]
			if r.Kind != kind || r.Failover != want.next || r.Client != want.client {
				t.Errorf("row %+v, want %s, %+v", r, want.next, want.client)
			}
			got := [4]circuitbreaker.Scope{r.ChargedTo(provider, 0), r.ChargedTo(provider, 1), r.ChargedTo(provider, 2), r.ChargedTo(target, 2)}
			if got != [4]circuitbreaker.Scope{want.none, want.one, want.two, want.scoped} {
				t.Errorf("charged %v", got)
			}
			if s := r.Breaker; s.ImmediateOpen != want.atOnce || valueOf(s.Cooldown) != want.cooldown || valueOf(s.Park) != want.park || s.Threshold != 0 {
				t.Errorf("breaker %+v", s)
			}
			if one, ok := RuleOf(kind); !ok || one != r {
				t.Errorf("RuleOf gives %+v", one)
			}
		})
	}
	if _, ok := RuleOf("nonsense"); ok {
		t.Error("a kind that isn't one has a rule")
	}
}

func valueOf(d *time.Duration) time.Duration {
	if d == nil {
		return 0
	}
	return *d
}

func TestDefaultParksGoWhenParkingIsOff(t *testing.T) {
	rules, err := DefaultRules().With(map[Kind]Override{Overloaded: {Park: new(7 * time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	on, off := rules.BreakerKinds(true), rules.BreakerKinds(false)
	if valueOf(on[RateLimit].Park) != 5*time.Second || valueOf(on[Overloaded].Park) != 7*time.Second {
		t.Errorf("with parks: %+v", on)
	}
	if _, ok := off[RateLimit]; ok || valueOf(off[Overloaded].Park) != 7*time.Second {
		t.Errorf("without default parks: %+v", off)
	}
	if !off[Auth].ImmediateOpen || valueOf(off[Auth].Cooldown) != 30*time.Minute {
		t.Errorf("auth lost its settings: %+v", off[Auth])
	}
	if _, ok := on[ClientError]; ok {
		t.Error("a kind without settings is listed")
	}
}

func TestOverrides(t *testing.T) {
	for name, c := range map[string]struct {
		kind    Kind
		o       Override
		charged circuitbreaker.Scope // one key, scope provider
		next    Failover
		refused string
	}{
		"of the seeds":                          {RateLimit, Override{Threshold: new(1), ImmediateOpen: new(true)}, target, NextSiblingKey, ""},
		"scope of a rate limit":                 {RateLimit, Override{Scope: new(ChargeKey)}, key, NextSiblingKey, ""},
		"scope provider":                        {Auth, Override{Scope: new(ChargeProvider)}, provider, NextSiblingKey, ""},
		"scope none":                            {ServerError, Override{Scope: new(ChargeNone)}, nobody, NextAlways, ""},
		"counts false":                          {ServerError, Override{Counts: new(false)}, nobody, NextAlways, ""},
		"counts true for a model's fault":       {ModelFault, Override{Counts: new(true)}, provider, NextBeforeCommit, ""},
		"scope target for a model's fault":      {ModelFault, Override{Scope: new(ChargeTarget)}, target, NextBeforeCommit, ""},
		"failover off":                          {ServerError, Override{Failover: new(NextNone)}, provider, NextNone, ""},
		"failover of a client's error":          {ClientError, Override{Failover: new(NextAlways)}, nobody, NextAlways, ""},
		"a client's error charged":              {ClientError, Override{Scope: new(ChargeTarget)}, nobody, NextNone, "kinds.client_error.scope: nobody can be charged for this kind"},
		"our own fault counted":                 {Local, Override{Counts: new(true)}, nobody, NextNone, "kinds.local.counts: nobody can be charged for this kind"},
		"a client's error not counted":          {ClientError, Override{Counts: new(false), Scope: new(ChargeNone)}, nobody, NextNone, ""},
		"failover after the commit":             {Truncated, Override{Failover: new(NextAlways)}, provider, NextNone, "kinds.truncated.failover: nothing can go on after this kind"},
		"failover for a client that left: none": {Canceled, Override{Failover: new(NextNone)}, nobody, NextNone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := DefaultRules().With(map[Kind]Override{c.kind: c.o})
			if got := errorText(err); got != c.refused {
				t.Errorf("error %q, want %q", got, c.refused)
			}
			r := rules[c.kind]
			if r.ChargedTo(provider, 1) != c.charged || r.Failover != c.next {
				t.Errorf("charged %s, next %s", r.ChargedTo(provider, 1), r.Failover)
			}
			if c.o.Threshold != nil && (r.Breaker.Threshold != 1 || !r.Breaker.ImmediateOpen) {
				t.Errorf("breaker %+v", r.Breaker)
			}
		})
	}
	if before, _ := RuleOf(RateLimit); before.Breaker.ImmediateOpen {
		t.Error("an override changed the defaults")
	}
	_, err := DefaultRules().With(map[Kind]Override{"rate_limits": {}})
	if refused, ok := errors.AsType[*OverrideError](err); !ok || refused.Kind != "rate_limits" {
		t.Errorf("unknown kind: %v", err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestWordsOfSettingsComeBack(t *testing.T) {
	for i := range failoverNames {
		var f Failover
		words, err := json.Marshal(Failover(i))
		if err == nil {
			err = json.Unmarshal(words, &f)
		}
		if err != nil || int(f) != i {
			t.Errorf("failover %s came back as %s: %v", words, f, err)
		}
	}
	for i := range chargeNames {
		var c Charge
		words, err := json.Marshal(Charge(i))
		if err == nil {
			err = json.Unmarshal(words, &c)
		}
		if err != nil || int(c) != i {
			t.Errorf("scope %s came back as %s: %v", words, c, err)
		}
	}
	var f Failover
	if err := json.Unmarshal([]byte(`"sometimes"`), &f); err == nil {
		t.Error("an unknown word was taken")
	}
	if Failover(99).String() != "unknown(99)" || Charge(99).String() != "unknown(99)" {
		t.Error("an unknown value has no name")
	}
}

func TestErrorTypesFollowTheStatus(t *testing.T) {
	for status, want := range map[int][2]string{
		400: {"invalid_request_error", "invalid_request_error"}, 401: {"authentication_error", "authentication_error"},
		402: {"insufficient_quota", "billing_error"}, 403: {"permission_error", "permission_error"},
		404: {"not_found_error", "not_found_error"}, 413: {"request_too_large", "request_too_large"},
		422: {"invalid_request_error", "invalid_request_error"}, 429: {"rate_limit_error", "rate_limit_error"},
		500: {"api_error", "api_error"}, 502: {"overloaded_error", "api_error"}, 503: {"overloaded_error", "overloaded_error"},
		504: {"overloaded_error", "timeout_error"}, 529: {"api_error", "overloaded_error"},
	} {
		if got := [2]string{ErrorType(status), AnthropicErrorType(status)}; got != want {
			t.Errorf("%d %s: %q, want %q", status, http.StatusText(status), got, want)
		}
	}
}
