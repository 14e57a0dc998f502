package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// anthropicEnvelope is the body of an error in Anthropic's form, with members of ours beside its own.
type anthropicEnvelope struct {
	Type      string         `json:"type"`
	Error     anthropicError `json:"error"`
	RequestID string         `json:"request_id"`
}

type anthropicError struct {
	Type     string  `json:"type"`
	Message  string  `json:"message"`
	Code     *string `json:"code"`
	Param    *string `json:"param"`
	RetryAt  string  `json:"retry_at,omitempty"`
	Attempts any     `json:"attempts,omitempty"`
}

// anthropic is e as a client of Messages reads it. Its type follows from its status.
func (e *apiError) anthropic(requestID string) anthropicEnvelope {
	return anthropicEnvelope{
		Type: "error", RequestID: requestID,
		Error: anthropicError{
			Type: providers.AnthropicErrorType(e.statusIn(dialectMessages)), Message: e.Message,
			Code: orNull(e.Code), Param: orNull(e.Param), RetryAt: e.RetryAt, Attempts: e.attempts(),
		},
	}
}

// tooLongWords is how Anthropic says that a prompt doesn't fit.
var tooLongWords = regexp.MustCompile(`prompt is too long: \d+ tokens > \d+ maximum`)

// tooLong says in Anthropic's words that a request doesn't fit, so that agents compact: in the upstream's own if it
// spoke Anthropic's dialect, else with the numbers that are known.
func tooLong(e *combo.Error, req *providers.Request) string {
	if words := tooLongWords.FindString(e.Upstream); words != "" {
		return words
	}
	tokens, window := req.EstimatedTokens(), e.ContextWindow
	if window <= 0 {
		return "prompt is too long: it exceeds the maximum of the model, with " + strconv.Itoa(tokens) + " tokens by the gateway's estimate"
	}
	if counted := mostCounted(e.Upstream); counted > window {
		return "prompt is too long: " + strconv.Itoa(counted) + " tokens > " + strconv.Itoa(window) + " maximum"
	}
	// It didn't fit, whatever was estimated: it is longer than the window.
	return "prompt is too long: " + strconv.Itoa(max(tokens, window+1)) + " tokens > " + strconv.Itoa(window) +
		" maximum (the gateway's estimate)"
}

// countWords are a count of tokens in a message, in the second or the third group. By so many tokens means their excess.
var countWords = func() *regexp.Regexp {
	const count = `(\d{1,3}(?:,\d{3})+|\d{1,9})`
	return regexp.MustCompile(`(?i)(^|\bby |[^\w.,-])` + count + ` (?:\w+ )?tokens?\b|\btokens?(?: count)?[ (:=]+` + count + `(?:[^\w.,-]|[.,]\s|[.,]?$)`)
}()

// mostCounted is the largest count of tokens that a message names; 0: it names none.
func mostCounted(message string) (most int) {
	for _, m := range countWords.FindAllStringSubmatch(message, -1) {
		if strings.EqualFold(m[1], "by ") {
			continue
		}
		if n, err := strconv.Atoi(strings.ReplaceAll(m[2]+m[3], ",", "")); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// understood tells whether an upstream's own error answer is in the client's dialect.
func (d dialect) understood(e *combo.Error) bool {
	form := errorForm(e.Body)
	if d == dialectMessages {
		return form == formAnthropic || form == formNone && e.Dialect == formAnthropic
	}
	return e.Dialect == "" || form == formOpenAI
}

// The forms of error answers, as [combo.Error] names dialects.
const (
	formNone      = "none" // a page, or a text
	formOpenAI    = "openai"
	formAnthropic = "anthropic"
	formGemini    = "gemini"
)

func errorForm(body []byte) string {
	if !json.Valid(body) {
		return formNone
	}
	root := gjson.ParseBytes(body)
	inner := root.Get("error")
	switch {
	case root.IsArray(), inner.Get("status").Type == gjson.String && inner.Get("code").Type == gjson.Number:
		return formGemini
	case !root.IsObject():
		return formNone
	case root.Get("type").Str == "error" && inner.IsObject():
		return formAnthropic
	}
	return formOpenAI
}

// retold is an upstream's own error answer in other words than its own: the client reads another dialect.
func retold(e *combo.Error) *apiError {
	own := &apiError{
		Status: e.Status, AnthropicStatus: e.AnthropicStatus, Type: e.Type, Code: e.Code, Param: e.Param,
		Message: cmp.Or(e.Message, http.StatusText(e.Status), "the upstream refuses the request"),
	}
	if e.Dialect == formGemini {
		own.Type = "" // its words are no types of OpenAI's
	}
	if _, err := strconv.Atoi(own.Code); err == nil {
		own.Code = "" // some hosts repeat the status, where clients look for a word
	}
	return own
}
