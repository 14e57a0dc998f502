package providers

import (
	"bytes"
	"net/http"
	"strings"
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
	if !isSuccess(status) {
		return Verdict{}, classifyPlain(dialect, preset, status, h, body, now)
	}
	text := trimBlank(body)
	switch {
	case len(text) == 0 || status == http.StatusNoContent:
		return Verdict{}, malformed(status, h, "the answer was empty")
	case endpoint == Speech && isAudio(h), endpoint == Transcriptions && isTranscript(h, text):
		return Verdict{}, nil
	case text[0] == '{':
		return judgeObject(dialect, preset, endpoint, status, h, body, now)
	case isEventStream(text):
		return Verdict{Stream: true}, nil
	case text[0] == '[':
		return Verdict{}, judgeArray(dialect, preset, endpoint, status, h, body, now)
	case text[0] == '<':
		return Verdict{}, malformed(status, h, "the answer was a page, not an API's")
	case endpoint == Speech && !isJSON(text), endpoint == Transcriptions && mediaType(h) != jsonType[0]:
		return Verdict{}, nil
	default:
		return Verdict{}, malformed(status, h, "the answer was not JSON")
	}
}

func judgeObject(dialect, preset string, endpoint Endpoint, status int, h http.Header, body []byte, now time.Time) (Verdict, *Failure) {
	var a answered
	c := cursor{text: trimBlank(body)}
	forms[endpoint].read(&c, &a)
	if !c.end() {
		return Verdict{}, malformed(status, h, "the answer was not whole JSON")
	}
	v := Verdict{FinishReason: a.Finish}
	if a.counted {
		v.Usage = new(a.usage)
	}
	kind := a.judge(preset)
	if kind == "" && (!a.failed || a.Finish != "") {
		return v, nil // an error beside a finish reason is dropped: the answer was whole
	}
	if a.failed || kind == Malformed {
		if f := classifyPlain(dialect, preset, status, h, body, now); f != nil {
			f.Usage = v.Usage
			return v, f
		}
	}
	if kind == "" {
		kind = Malformed
	}
	return v, a.failure(kind, status, h, body, v.Usage)
}

// judgeArray looks for an error in a list, which no endpoint but a few answers with.
func judgeArray(dialect, preset string, endpoint Endpoint, status int, h http.Header, body []byte, now time.Time) *Failure {
	c := cursor{text: trimBlank(body)}
	c.skip()
	if !c.end() {
		return malformed(status, h, "the answer was not whole JSON")
	}
	if f := classifyPlain(dialect, preset, status, h, body, now); f != nil {
		return f
	}
	if endpoint == Embeddings || endpoint == Rerank {
		return nil
	}
	return malformed(status, h, "the answer was a list")
}

func classifyPlain(dialect, preset string, status int, h http.Header, body []byte, now time.Time) *Failure {
	return Classify(Signal{Dialect: dialect, Preset: preset, Status: status, Header: h, Body: body, Now: now})
}

func malformed(status int, h http.Header, message string) *Failure {
	return &Failure{Kind: Malformed, Status: status, Message: message, ContentType: h.Get("Content-Type"), UpstreamID: upstreamID(h)}
}

func isAudio(h http.Header) bool {
	kind := h.Get("Content-Type")
	return strings.HasPrefix(kind, "audio/") || strings.HasPrefix(kind, "application/octet-stream")
}

// isTranscript tells whether a text that was sent as one is what was heard, whatever it begins with, and no error.
func isTranscript(h http.Header, text []byte) bool {
	kind := mediaType(h)
	return strings.HasPrefix(kind, "text/") && kind != "text/html" && kind != eventStream[0] && !(text[0] == '{' && isJSON(text))
}

// isEventStream tells whether a text begins as a server-sent event stream does.
func isEventStream(text []byte) bool {
	for _, field := range [...]string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(text, []byte(field)) {
			return true
		}
	}
	return false
}
