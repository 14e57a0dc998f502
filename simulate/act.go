package simulate

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// act decides what a target does with a call of a request that is sent with a key, and notes it.
func (w *world) act(request int, target, key string) act {
	plays := &w.records[request].plays
	draw := generator(w.plan.script.seed, target+"#"+strconv.Itoa(len(*plays)), request)
	now := time.Since(w.begun)
	next := w.healthy(target, now, draw)
	for i := range w.plan.script.faults {
		f := &w.plan.script.faults[i]
		hit := draw.Float64() < f.share
		if hit && f.hits(target, key, now) {
			next = f.play(next)
			next.fault = i
			break
		}
	}
	*plays = append(*plays, next.fault)
	return next
}

// behaviour is what the script says of a target: of itself rather than of its provider.
func (w *world) behaviour(target string) *behaviour {
	found := &usual
	for i := range w.plan.script.targets {
		switch b := &w.plan.script.targets[i]; {
		case b.target == target:
			return b
		case covers(b.target, target):
			found = b
		}
	}
	return found
}

// healthy is what a target does without a fault: what the replayed log has seen of it, or how it behaves.
func (w *world) healthy(target string, now time.Duration, draw *rand.Rand) act {
	if w.plan.log != nil {
		if next, ok := w.recall(target, now); ok {
			return next
		}
	}
	b := w.behaviour(target)
	return act{fault: none, first: vary(draw, b.firstToken, b.spread), rest: vary(draw, b.rest, b.spread)}
}

// play changes what a healthy target would have done.
func (f *fault) play(next act) act {
	switch kind := f.failure(); {
	case f.kind == hang:
		next.never = true
	case f.kind == slow:
		next.first += f.delay
	case kind == providers.Truncated:
		next.rest, next.fails = f.delay, failure(kind, f.retryAfter)
	default:
		next.first, next.fails = f.delay, failure(kind, f.retryAfter)
	}
	return next
}

// failure is one as the classifier would make it.
func failure(kind providers.Kind, hint time.Duration) *providers.Failure {
	f := &providers.Failure{Kind: kind, Status: statuses[kind], Hint: hint}
	if rule, _ := providers.RuleOf(kind); rule.Client.AsIs {
		f.Body, f.ContentType = []byte(`{"error":{}}`), "application/json"
	}
	return f
}

// statuses are those that upstreams fail with; what fails below HTTP has none.
var statuses = map[providers.Kind]int{
	providers.RateLimit: 429, providers.QuotaExhausted: 429, providers.Billing: 402, providers.Auth: 401,
	providers.Permission: 403, providers.ModelNotFound: 404, providers.ContextLength: 400, providers.ContentPolicy: 400,
	providers.Unsupported: 400, providers.ClientError: 422, providers.Overloaded: 503, providers.ServerError: 500,
	providers.Timeout: 504, providers.Malformed: 200, providers.Truncated: 200, providers.ModelFault: 400,
}
