package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/combo"
)

// maxLoggedText is the length in bytes of the texts of clients and upstreams that are kept with a request.
const maxLoggedText = 200

// shorten cuts what a client or an upstream wrote at length.
func (f *finished) shorten() {
	r := &f.report
	for _, text := range [...]*string{&r.Model, &r.Code, &r.FinishReason, &r.UpstreamID} {
		*text = clip(*text, maxLoggedText)
	}
}

// json is the request as it is shown, published and stored: what was tried and why, and no text of prompt or answer.
func (f *finished) json() json.RawMessage {
	r := &f.report
	o := newObject(640 + 224*len(r.Attempts))
	o.text("id", r.RequestID)
	o.text("at", wireTime(r.Start))
	o.text("endpoint", r.Endpoint)
	o.textOrNull("combo", r.Combo)
	o.text("model", r.Model)
	o.textOrNull("target", r.Target)
	o.text("outcome", r.Outcome)
	o.number("status", int64(r.Status))
	o.textOrNull("kind", string(r.Kind))
	o.textOrNull("code", r.Code)
	o.flag("stream", r.Stream)
	o.textOrNull("client_key", f.key)
	o.number("client_retry_count", int64(f.retries))
	o.begin("attempts", '[')
	for i := range r.Attempts {
		o.attempt(&r.Attempts[i], r.Start)
	}
	o.end(']')
	o.number("queue_ms", r.Queue.Milliseconds())
	o.number("connect_ms", r.Connect.Milliseconds())
	o.durationOrNull("first_token_ms", r.FirstToken)
	o.number("upstream_ms", r.Upstream.Milliseconds())
	o.number("total_ms", r.Total.Milliseconds())
	if u := r.Usage; u == nil {
		o.null("usage")
	} else {
		o.begin("usage", '{')
		o.number("input_tokens", u.InputTokens)
		o.number("output_tokens", u.OutputTokens)
		o.number("cached_tokens", u.CachedTokens)
		o.number("reasoning_tokens", u.ReasoningTokens)
		o.end('}')
	}
	o.textOrNull("finish_reason", r.FinishReason)
	o.textOrNull("upstream_request_id", r.UpstreamID)
	o.end('}')
	return o.b
}

// attempt adds an element as error.attempts has it, and when it began within the request.
func (o *object) attempt(a *combo.Attempt, begin time.Time) {
	o.element('{')
	o.text("provider", a.Provider)
	o.text("model", a.Model)
	o.textOrNull("key", a.Key)
	o.text("outcome", string(a.Outcome))
	o.textOrNull("kind", string(a.Kind))
	o.textOrNull("skip_reason", string(a.SkipReason))
	if a.Status == 0 {
		o.null("status")
	} else {
		o.number("status", int64(a.Status))
	}
	if a.Start.IsZero() {
		o.null("start_ms")
	} else {
		o.number("start_ms", max(a.Start.Sub(begin), 0).Milliseconds())
	}
	o.number("ms", a.Duration.Milliseconds())
	o.flag("forced", a.Forced)
	if a.FirstToken > 0 {
		o.number("first_token_ms", a.FirstToken.Milliseconds())
	}
	if a.Probe {
		o.flag("probe", true)
	}
	o.end('}')
}

// retryCount is which try of the same call an SDK says this is.
func retryCount(h http.Header) int {
	text := h.Get("X-Stainless-Retry-Count")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, 1000)
}
