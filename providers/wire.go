package providers

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/ohmroute/ohmroute/providers/translate"
)

// dialects are the endpoints whose requests and answers can be said in each other's form.
var dialects = map[Endpoint]translate.Dialect{
	Chat: translate.Chat, Responses: translate.Responses, Messages: translate.Messages, GenerateContent: translate.Gemini,
}

// nearest are the endpoints that a client's conversation is translated to, the best first.
var nearest = map[Endpoint][]Endpoint{
	Chat:      {Responses, Messages, GenerateContent},
	Responses: {Chat, Messages, GenerateContent},
	Messages:  {Chat, Responses, GenerateContent},
}

// wire is what is asked of the upstream for a client's endpoint.
func (u *upstream) wire(e Endpoint) Endpoint {
	if u.native == nil || u.native[e] {
		return e
	}
	for _, near := range nearest[e] {
		if u.native[near] {
			return near
		}
	}
	return e // nobody asks it that, and if somebody does, the upstream has its say
}

// foreign tells whether the client speaks another dialect than the upstream.
func (x *exchange) foreign() bool { return x.wire != x.attempt.Endpoint }

// write makes the attempt's own body: the client's with what must differ, or its translation.
func (x *exchange) write() *Failure {
	a := x.attempt
	if !x.foreign() {
		own, err := a.own()
		if err == nil {
			err = x.body.splice(own, x.injectUsage)
		}
		if err != nil {
			return x.failure(Signal{Err: err})
		}
		return nil
	}
	tr, err := translate.Request(dialects[a.Endpoint], dialects[x.wire], a.Body, translate.Options{
		Model: a.Model, MaxTokens: a.MaxOutput, NoReasoning: x.noReasoning,
	})
	if err != nil {
		return refusedBy(err)
	}
	if x.strict && tr.Count > 0 {
		return &Failure{
			Kind: Unsupported, Code: "unsupported_parameter", Type: ErrorType(http.StatusBadRequest), Param: tr.Dropped[0],
			Message: "the target can't take " + strings.Join(tr.Dropped, ", ") + ", and its provider is strict",
		}
	}
	x.body.add(tr.Body)
	x.dropped = *tr
	x.dropped.Body = nil
	return nil
}

// own is the attempt without the reasoning that a target of another dialect signed earlier in the conversation.
func (a *Attempt) own() (*Attempt, error) {
	d := dialects[a.Endpoint]
	if d == 0 {
		return a, nil
	}
	body := translate.Own(d, a.Body)
	if len(body) == len(a.Body) {
		return a, nil
	}
	r, err := ParseRequest(a.Endpoint, body)
	if err != nil {
		return nil, &LocalError{Doing: "leaving out the reasoning of another dialect", Err: err}
	}
	without := *a
	without.Request = r
	return &without, nil
}

// refusedBy is the failure of a request that can't be translated. Nobody was asked.
func refusedBy(err error) *Failure {
	refused, ok := errors.AsType[*translate.Refused](err)
	if !ok {
		return &Failure{Kind: Local, Err: &LocalError{Doing: "translating the request", Err: err}}
	}
	f := &Failure{Kind: Unsupported, Code: "unsupported_value", Type: ErrorType(http.StatusBadRequest), Param: refused.Param, Message: refused.Message}
	if refused.Broken {
		f.Kind, f.Code = ClientError, "invalid_value"
	}
	return f
}

// query is what stands behind the path: the client's, if it speaks to the upstream itself, and the kind's, whose names
// the client can't set.
func (x *exchange) query(to place) string {
	switch {
	case x.foreign() || x.attempt.Query == "":
		return to.query
	case to.query == "":
		return x.attempt.Query
	}
	var query strings.Builder
	query.WriteString(to.query)
	for pair := range strings.SplitSeq(x.attempt.Query, "&") {
		if !names(to.query, queryName(pair)) {
			query.WriteString("&" + pair)
		}
	}
	return query.String()
}

// names tells whether a query has a parameter of that name, in any case.
func names(query, name string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		if strings.EqualFold(queryName(pair), name) {
			return true
		}
	}
	return false
}

// queryName is the name of a parameter. One that can't be decoded stands for itself.
func queryName(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	if decoded, err := url.QueryUnescape(name); err == nil {
		return decoded
	}
	return name
}

// reply is how answers to the attempt are written.
func (x *exchange) reply() translate.Reply {
	a := x.attempt
	return translate.Reply{ID: a.RequestID, Model: a.Model, Created: x.now().Unix(), IncludeUsage: a.IncludeUsage, Request: a.Body}
}

// translated puts an answer into the client's dialect.
func (x *exchange) translated(answer *Answer) *Answer {
	answer.Dropped, answer.DroppedCount = x.dropped.Dropped, x.dropped.Count
	if !x.foreign() || x.spoken {
		return answer
	}
	from, to := dialects[x.wire], dialects[x.attempt.Endpoint]
	if answer.Stream {
		answer.ContentType = eventStream[0]
		answer.Events = &translating{Events: answer.Events, exchange: x, stream: translate.NewStream(from, to, x.reply())}
		return answer
	}
	w := answer.Events.(*whole)
	tr := translate.Answer(from, to, w.chunk.Data, x.reply())
	answer.ContentType = jsonType[0]
	w.chunk.Data = tr.Body
	answer.Dropped = append(answer.Dropped, tr.Dropped...)
	answer.DroppedCount += tr.Count
	return answer
}

// forClient puts an answer that a failure carries into the client's dialect: a refusal or an empty answer under 2xx.
// An error answer stays as it came, and says in which form that is.
func (x *exchange) forClient(f *Failure) *Failure {
	f.Dialect = errorDialects[x.wire]
	if !x.foreign() || x.spoken || f.Body == nil || !isSuccess(f.Status) {
		return f
	}
	from, to := dialects[x.wire], dialects[x.attempt.Endpoint]
	if isEventStream(trimBlank(f.Body)) {
		s := translate.NewStream(from, to, x.reply())
		f.Body, f.ContentType = s.End(s.Append(nil, bytes.Clone(f.Body))), eventStream[0]
	} else {
		f.Body, f.ContentType = translate.Answer(from, to, f.Body, x.reply()).Body, jsonType[0]
	}
	f.Dialect = errorDialects[x.attempt.Endpoint]
	return f
}

// inForm brings the answer that a failure carries under 2xx into the form that was asked for.
func (x *exchange) inForm(f *Failure) *Failure {
	if f.Body == nil || !isSuccess(f.Status) {
		return f
	}
	streamed, ok := isEventStream(trimBlank(f.Body)), true
	f.Stream = x.attempt.Stream
	switch {
	case streamed && !f.Stream:
		f.Body, ok = x.joined(f.Body)
		f.ContentType = jsonType[0]
	case !streamed && f.Stream:
		f.Body, ok = x.chunked(f.Body)
		f.ContentType = eventStream[0]
	case streamed:
		f.ContentType = x.streamType()
	}
	if !ok {
		f.Body = nil
	}
	return f
}

// errorDialects are the forms of errors that aren't OpenAI's, by what was asked.
var errorDialects = map[Endpoint]string{Messages: "anthropic", CountTokens: "anthropic", GenerateContent: "gemini"}

// translating are the events of a stream in another dialect than the client's.
type translating struct {
	Events
	exchange *exchange
	stream   *translate.Stream
	out      []byte
}

// Commit implements [Events]. Some dialects repeat parts of the request in their answers.
func (t *translating) Commit() bool {
	t.Events.Commit()
	return false
}

// Next implements [Events]. A chunk may be without bytes: what it says is told with a later one.
func (t *translating) Next() (Chunk, error) {
	c, err := t.Events.Next()
	if f, failed := errors.AsType[*Failure](err); failed && f.Body != nil && f.Dialect == "" {
		return c, t.exchange.forClient(f)
	}
	if err != nil || t.exchange.spoken {
		return c, err
	}
	t.out = t.stream.Append(t.out[:0], c.Data)
	if c.Done {
		t.out = t.stream.End(t.out)
	}
	c.Data = t.out
	return c, nil
}

// hidesUsage tells whether the usage at a stream's end was asked for by us, and is not the client's to see.
func (x *exchange) hidesUsage() bool {
	return x.injectUsage && !x.foreign() && x.attempt.wantsUsage()
}

// chunked makes the stream that was asked for of a whole answer. An upstream's own dialect is rather kept as it is
// spelled, where that is possible.
func (x *exchange) chunked(body []byte) ([]byte, bool) {
	if !x.foreign() {
		if events, ok := chunksOf(x.wire, body, x.attempt.IncludeUsage); ok {
			return events, true
		}
	}
	from := dialects[x.wire]
	if from == 0 {
		return nil, false
	}
	x.spoken = true
	return translate.Streamed(from, dialects[x.attempt.Endpoint], body, x.reply()), true
}

// joined makes the whole answer that was asked for of a stream that came to its good end.
func (x *exchange) joined(stream []byte) ([]byte, bool) {
	if !x.foreign() {
		if answer, ok := joinChunks(x.wire, stream); ok {
			return answer, true
		}
	}
	from := dialects[x.wire]
	if from == 0 {
		return nil, false
	}
	x.spoken = true
	return translate.Joined(from, dialects[x.attempt.Endpoint], stream, x.reply()), true
}
