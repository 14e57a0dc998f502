package providers

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Kind is why an attempt failed; every attempt ends as a success or as exactly one kind (spec: failures.md).
type Kind = circuitbreaker.Kind

// The failure kinds. Their names are fixed: settings, SQL, metrics, API and only_on use them.
const (
	RateLimit      Kind = "rate_limit"
	QuotaExhausted Kind = "quota_exhausted" // a daily, monthly or plan window is used up
	Billing        Kind = "billing"         // no credit, or a spend limit
	Auth           Kind = "auth"            // a bad, expired or revoked key
	Permission     Kind = "permission"      // not for this model or region
	ModelNotFound  Kind = "model_not_found"
	ContextLength  Kind = "context_length"
	ContentPolicy  Kind = "content_policy"
	Unsupported    Kind = "unsupported" // a parameter, modality or tool
	ClientError    Kind = "client_error"
	Overloaded     Kind = "overloaded"
	ServerError    Kind = "server_error"
	Timeout        Kind = "timeout"
	Connection     Kind = "connection"
	Malformed      Kind = "malformed"
	Truncated      Kind = "truncated"   // whatever goes wrong after the commit
	ModelFault     Kind = "model_fault" // the model's own output was unusable
	Canceled       Kind = "canceled"    // the client left, or we are shutting down
	Local          Kind = "local"       // our own fault
)

// Rule is the row of one kind: all that follows from it (spec: failures.md 1).
type Rule struct {
	Kind     Kind
	Charged  Charge
	Counts   bool // false: whoever would be charged gets no verdict
	Failover Failover
	Breaker  circuitbreaker.KindSettings // for a breaker ask Rules.BreakerKinds, which knows when parks are off
	Client   ClientAnswer

	lone    Charge // instead of ChargeKey when the provider has fewer than two keys; ChargeNone: no such exception
	ownPark bool   // Breaker.Park was configured, so a cooldown of 0 leaves it
}

// ClientAnswer is what the client gets if this failure was the last.
type ClientAnswer struct {
	Status     int
	Type       string // error.type of the OpenAI envelope
	Code       string // error.code
	RetryAfter bool   // with a Retry-After header
	AsIs       bool   // Failure.Body goes out as it came, with the upstream's status; the rest is for when there is none

	AnthropicStatus int // on the Anthropic side
}

// Rules holds the rule of every kind. It is not changed once made.
type Rules map[Kind]Rule

// defaultRules is the table of spec: failures.md 1, in its order.
var defaultRules = []Rule{
	{
		Kind: RateLimit, Charged: ChargeKey, lone: ChargeTarget, Counts: true, Failover: NextSiblingKey,
		Breaker: parks(5 * time.Second), Client: answer(http.StatusTooManyRequests, "rate_limit_exceeded").afterWait(),
	},
	{
		Kind: QuotaExhausted, Charged: ChargeKey, Counts: true, Failover: NextSiblingKey,
		Breaker: opens(time.Hour), Client: answer(http.StatusTooManyRequests, "insufficient_quota").afterWait(),
	},
	{
		Kind: Billing, Charged: ChargeKey, Counts: true, Failover: NextSiblingKey,
		Breaker: opens(30 * time.Minute), Client: answer(http.StatusTooManyRequests, "insufficient_quota").anthropic(http.StatusPaymentRequired),
	},
	{
		Kind: Auth, Charged: ChargeKey, Counts: true, Failover: NextSiblingKey,
		Breaker: opens(30 * time.Minute), Client: answer(http.StatusBadGateway, "upstream_auth"),
	},
	{
		Kind: Permission, Charged: ChargeTarget, Counts: true, Failover: NextAlways,
		Breaker: opens(10 * time.Minute), Client: answer(http.StatusBadGateway, "upstream_permission"),
	},
	{
		Kind: ModelNotFound, Charged: ChargeTarget, Counts: true, Failover: NextAlways,
		Breaker: opens(10 * time.Minute), Client: answer(http.StatusNotFound, "model_not_found"),
	},
	{Kind: ContextLength, Failover: NextLargerWindow, Client: answer(http.StatusBadRequest, "context_length_exceeded")},
	{Kind: ContentPolicy, Failover: NextOnlyOn, Client: answer(http.StatusBadRequest, "content_filter").asIs()},
	{Kind: Unsupported, Failover: NextAlways, Client: answer(http.StatusBadRequest, "unsupported").asIs()},
	{Kind: ClientError, Client: answer(http.StatusBadRequest, "client_error").asIs()},
	{
		Kind: Overloaded, Charged: ChargeByScope, Counts: true, Failover: NextAlways,
		Breaker: parks(10 * time.Second), Client: answer(http.StatusServiceUnavailable, "overloaded").afterWait().anthropic(statusOverloaded),
	},
	{Kind: ServerError, Charged: ChargeByScope, Counts: true, Failover: NextAlways, Client: answer(http.StatusServiceUnavailable, "server_error")},
	{Kind: Timeout, Charged: ChargeByScope, Counts: true, Failover: NextBeforeCommit, Client: answer(http.StatusGatewayTimeout, "timeout")},
	{Kind: Connection, Charged: ChargeProvider, Counts: true, Failover: NextAlways, Client: answer(http.StatusBadGateway, "connection")},
	{Kind: Malformed, Charged: ChargeByScope, Counts: true, Failover: NextBeforeCommit, Client: answer(http.StatusBadGateway, "malformed")},
	{Kind: Truncated, Charged: ChargeByScope, Counts: true, Client: answer(http.StatusBadGateway, "truncated")},
	{Kind: ModelFault, Failover: NextBeforeCommit, Client: answer(http.StatusBadGateway, "model_fault").asIs()},
	{Kind: Canceled, Client: answer(statusClientGone, "canceled")},
	{Kind: Local, Client: answer(http.StatusInternalServerError, "local")},
}

// Statuses without a name in net/http.
const (
	statusClientGone = 499
	statusOverloaded = 529 // Anthropic's
)

// DefaultRules returns a copy of the default table.
func DefaultRules() Rules {
	rules := make(Rules, len(defaultRules))
	for i := range defaultRules {
		rules[defaultRules[i].Kind] = defaultRules[i]
	}
	return rules
}

// RuleOf returns the default rule of a kind.
func RuleOf(k Kind) (Rule, bool) {
	i := slices.IndexFunc(defaultRules, func(r Rule) bool { return r.Kind == k })
	if i < 0 {
		return Rule{}, false
	}
	return defaultRules[i], true
}

// Kinds lists all kinds in the order of the specification's table.
func Kinds() []Kind {
	kinds := make([]Kind, len(defaultRules))
	for i := range defaultRules {
		kinds[i] = defaultRules[i].Kind
	}
	return kinds
}

// BreakerKinds returns the settings of the kinds for a breaker. parks says whether kinds park by default: it is
// false for a breaker with a cooldown of 0 and for one that measures a window; parks that were configured stay.
func (rs Rules) BreakerKinds(parks bool) map[Kind]circuitbreaker.KindSettings {
	kinds := make(map[Kind]circuitbreaker.KindSettings, len(rs))
	for kind, rule := range maps.All(rs) {
		settings := rule.Breaker
		if settings.Park != nil && !parks && !rule.ownPark {
			settings.Park = nil
		}
		if settings != (circuitbreaker.KindSettings{}) {
			kinds[kind] = settings
		}
	}
	return kinds
}

func parks(d time.Duration) circuitbreaker.KindSettings {
	return circuitbreaker.KindSettings{Park: &d}
}

func opens(d time.Duration) circuitbreaker.KindSettings {
	return circuitbreaker.KindSettings{ImmediateOpen: true, Cooldown: &d}
}

func answer(status int, code string) ClientAnswer {
	return ClientAnswer{Status: status, Type: ErrorType(status), Code: code, AnthropicStatus: status}
}

func (c ClientAnswer) afterWait() ClientAnswer { c.RetryAfter = true; return c }

func (c ClientAnswer) asIs() ClientAnswer { c.AsIs = true; return c }

func (c ClientAnswer) anthropic(status int) ClientAnswer { c.AnthropicStatus = status; return c }

// ErrorType is error.type of the OpenAI envelope for an HTTP status (spec: api.md, errors).
func ErrorType(status int) string {
	if t, ok := errorTypes[status]; ok {
		return t
	}
	if status < http.StatusInternalServerError {
		return "invalid_request_error"
	}
	return "api_error"
}

var errorTypes = map[int]string{
	http.StatusUnauthorized:          "authentication_error",
	http.StatusPaymentRequired:       "insufficient_quota",
	http.StatusForbidden:             "permission_error",
	http.StatusNotFound:              "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusTooManyRequests:       "rate_limit_error",
	http.StatusBadGateway:            "overloaded_error",
	http.StatusServiceUnavailable:    "overloaded_error",
	http.StatusGatewayTimeout:        "overloaded_error",
}

// AnthropicErrorType is error.type of the Anthropic envelope for an HTTP status.
func AnthropicErrorType(status int) string {
	if t, ok := anthropicErrorTypes[status]; ok {
		return t
	}
	return ErrorType(status)
}

var anthropicErrorTypes = map[int]string{
	http.StatusPaymentRequired: "billing_error",
	http.StatusBadGateway:      "api_error",
	http.StatusGatewayTimeout:  "timeout_error",
	statusOverloaded:           "overloaded_error",
}
