package providers

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tidwall/gjson"
)

// Signal is everything the classifier looks at. Either Err is set, or Status and what came with it.
type Signal struct {
	Dialect string // the provider's kind: openai, anthropic, gemini, azure, demo
	Preset  string // empty: none
	// Endpoint is what was asked of the upstream; empty: it doesn't matter.
	Endpoint Endpoint

	Status int
	Header http.Header
	Body   []byte // the whole answer, or the data of one stream event
	// Event says that Body is the data of a stream event of type EventType (empty: none was named).
	Event     bool
	EventType string

	Err       error // of the transport; of our own making if it wraps a *LocalError
	Cause     error // context.Cause of the attempt, if its context ended
	Committed bool  // bytes went out to the client: what fails now is truncated
	Finished  bool  // a finish reason was seen: the answer is whole, and an error event after it is dropped

	Now time.Time
}

// Classify decides the kind of a failed attempt (spec: failures.md 2 and 3). It is pure, and doesn't panic on any
// bytes. It returns nil for what is no failure: a 2xx answer without an error object, an event that isn't an error,
// an error event after the finish. Any other status is a failure. What a 2xx answer holds is judged by [JudgePlain].
func Classify(s Signal) *Failure {
	f := classify(&s)
	if f == nil {
		return nil
	}
	f.UpstreamID = upstreamID(s.Header)
	if s.Committed && f.Kind != Canceled && f.Kind != Local {
		f.Kind, f.Hint, f.Body = Truncated, 0, nil
	}
	return f
}

func classify(s *Signal) *Failure {
	if f := classifyTransport(s); f != nil {
		return f
	}
	if s.Event {
		return classifyEvent(s)
	}
	o := readObject(s)
	if isSuccess(s.Status) && !o.present {
		return nil
	}
	return decide(s, &o)
}

// isSuccess tells whether an answer of that status may be a good one.
func isSuccess(status int) bool {
	return status >= http.StatusOK && status < http.StatusMultipleChoices
}

// classifyEvent judges one event of a stream.
func classifyEvent(s *Signal) *Failure {
	if s.Finished {
		return nil
	}
	if filtered := gjson.GetBytes(s.Body, "response.incomplete_details.reason"); filtered.Str == finishContentFilter {
		if s.Committed {
			return nil // the client has part of it and gets the end as it came
		}
		return &Failure{Kind: ContentPolicy, Status: s.Status, Message: "the content policy ended the answer", Code: finishContentFilter}
	}
	o := readObject(s)
	if !o.present {
		return nil
	}
	return decide(s, &o)
}

// decide goes through the evidence by its rank (spec: failures.md 2).
func decide(s *Signal, o *object) *Failure {
	e := evidenceOf(s, o)
	r := firstOf(&e)
	f := &Failure{
		Kind: r.kind, Status: s.Status, Next: r.next, Message: clean(o.message, longestMessage),
		Type: clean(o.typ, longestWord), Code: clean(o.code, longestWord), Param: clean(o.param, longestWord),
		ContentType: s.Header.Get("Content-Type"),
	}
	if f.Message == "" {
		f.Message = f.silence(s.Event)
	}
	if hinted[f.Kind] && r.hint != hintNone {
		f.Hint = hintOf(s, o)
	}
	if f.Kind == ContextLength {
		f.ContextWindow = windowOf(o.plain)
	}
	if passedOn(f.Kind) && s.Status >= http.StatusBadRequest && !s.Event && len(s.Body) > 0 {
		f.Body = s.Body
	}
	return f
}

// evidenceOf takes what the rows look at. Of an event, and of an answer under 200, the status is what the error object says.
func evidenceOf(s *Signal, o *object) evidence {
	e := evidence{
		object: o, status: s.Status, dialect: s.Dialect, preset: s.Preset, header: s.Header,
		messages: s.Endpoint == Messages || s.Endpoint == CountTokens, beside: s.Endpoint != "" && dialects[s.Endpoint] == 0,
	}
	if s.Event || isSuccess(s.Status) {
		e.status, e.header = o.status, nil
	}
	if p, ok := PresetOf(s.Preset); ok {
		e.preset = p.Name
	}
	return e
}

// passedOn tells whether an error answer of that kind is the client's to read. Of a model_fault only an answer is.
func passedOn(kind Kind) bool {
	rule, _ := RuleOf(kind)
	return rule.Client.AsIs && kind != ModelFault
}

// firstOf finds the row that decides. The last table has one for everything.
func firstOf(e *evidence) *rule {
	if r := e.first(overCode); r != nil {
		return r
	}
	if r := e.first(byCode); r != nil && !(r.kind == ContextLength && e.status >= http.StatusInternalServerError) {
		return r
	}
	if r := e.first(byHeader); r != nil {
		return r
	}
	if e.status == http.StatusNotFound && e.param != "" && e.param != "model" {
		return &rule{row: row{kind: ClientError}} // something else that the request named isn't there
	}
	if r := e.wording(); r != nil {
		return r
	}
	if e.beside && (e.status == http.StatusNotFound || e.status == http.StatusMethodNotAllowed) {
		return &rule{row: row{kind: Unsupported}} // the host has no such path, which says nothing about its model
	}
	return e.first(byStatus)
}

// wording looks at the message. An event that says in a generic way that the request is at fault stands for a 400.
func (e *evidence) wording() *rule {
	if e.status != 0 || !e.request {
		return e.first(byWording)
	}
	request := *e
	request.status = http.StatusBadRequest
	return request.first(byWording)
}

// silence is the message of an upstream that sent none.
func (f *Failure) silence(event bool) string {
	if event || f.Status < http.StatusMultipleChoices {
		return "the upstream sent an error without a message"
	}
	return fmt.Sprintf("the upstream answered %d without a message", f.Status)
}

// upstreamID finds the request id that an upstream put into its headers. What is no id is left out: it may be
// anything, and an id is not told apart from a key by its form.
func upstreamID(h http.Header) string {
	for _, name := range [...]string{"X-Request-Id", "Request-Id", "Apim-Request-Id", "X-Amzn-Requestid"} {
		if values := h[name]; len(values) > 0 && isID(values[0]) {
			return values[0]
		}
	}
	return ""
}

func isID(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= longestWord
}
