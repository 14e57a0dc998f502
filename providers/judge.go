package providers

import (
	"net/http"
	"time"
)

// Verdict is what a whole answer tells beside being good.
type Verdict struct {
	Usage        *Usage // nil: the upstream sent none
	FinishReason string // as the upstream spelled it; empty: none
	Stream       bool   // the body is a server-sent event stream, whatever its content type says: not judged
}

// JudgePlain judges a whole answer (spec: failures.md 2, "Under 200 and its kin"): a success has a nil failure.
// A refusal (content_policy) and an empty answer (model_fault) under 2xx are failures that carry the answer in Body,
// to be passed on as it came if nothing better is found. Statuses outside 2xx are left to [Classify].
func JudgePlain(dialect, preset string, endpoint Endpoint, status int, h http.Header, body []byte, now time.Time) (Verdict, *Failure) {
	return Verdict{}, nil
}
