package providertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ohmroute/ohmroute/providers"
)

// Suite is what [Run] needs to know of a provider. The zero value of all but Open is OpenAI's chat completions.
type Suite struct {
	Endpoint providers.Endpoint // what the client asks for
	Foreign  bool               // the provider speaks another dialect than the client: its answers are translated

	Finish  string                 // what stands in the event that has a stream's finish reason
	Kinds   map[int]providers.Kind // of statuses that say something else than everywhere
	Closing string                 // the event that the client gets if the upstream leaves the last one out; empty: there is no such event

	// Open makes the provider under test, pointed at an upstream.
	Open func(baseURL string) (providers.Provider, error)

	Answer string                  // script of a good answer, plain and streamed, of which the client sees every byte
	Error  func(status int) string // script of an error answer without a code that says more than the status
	Body   string                  // members of a good request beside model and stream
}

// secret is the key of every attempt; nothing that comes back may hold it.
const secret = "sk-providertest-4a8a08f09d37b737"

func (s Suite) withDefaults() Suite {
	if s.Endpoint == "" {
		s.Endpoint = providers.Chat
	}
	if s.Finish == "" {
		s.Finish, s.Closing = `"finish_reason":"stop"`, "data: [DONE]\n\n"
	}
	if s.Answer == "" {
		s.Answer = "chat Hi you"
	}
	if s.Error == nil {
		s.Error = func(status int) string { return "error " + itoa(status) + " - it went wrong" }
	}
	if s.Body == "" {
		s.Body = `"messages":[{"role":"user","content":"hi"}]`
	}
	return s
}

// Run proves that a provider keeps what the others rely on (spec: routing.md 3 and 4, failures.md 2 and 3).
func Run(t *testing.T, s Suite) {
	t.Helper()
	s = s.withDefaults()
	proofs := map[string]func(*testing.T, *bench){
		"a good answer comes through":                     proveAnswers,
		"every status is a failure of its kind":           proveStatuses,
		"Retry-After is a hint":                           proveHints,
		"a stream that is cut is never a success":         proveCuts,
		"a stream that ends early is never a success":     proveEnds,
		"a plain answer that is cut is no success":        provePlainCuts,
		"however the bytes are split, they come the same": proveSplits,
		"a client that leaves cancels the upstream":       proveCancel,
		"a refusal has the form that was asked for":       proveRefusals,
		"a secret never comes back":                       proveSecrets,
		"what belongs to one connection stays on it":      proveHostile,
		"nobody else's headers, one's own model, no copy": proveRequests,
	}
	if !s.Foreign { // translation is no part of these, and they take their time
		proofs["each limit ends what it limits"] = proveLimits
		proofs["a flood is refused"] = proveFloods
		proofs["an error answer is kept whole or not at all"] = proveErrors
		proofs["an early answer leaves the request body in peace"] = proveBodies
	}
	for name, prove := range proofs {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			b := newBench(t, s)
			prove(t, b)
			b.close()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}

// bench is a provider and its upstream.
type bench struct {
	suite    Suite
	up       *Upstream
	provider providers.Provider
}

func newBench(t *testing.T, s Suite) *bench {
	t.Helper()
	up := New()
	p, err := s.Open(up.URL())
	if err != nil {
		t.Fatal(err)
	}
	return &bench{suite: s, up: up, provider: p}
}

func (b *bench) close() {
	b.up.Close()
	if c, ok := b.provider.(interface{ Close() }); ok {
		c.Close()
	}
}

// outcome is what came of one attempt.
type outcome struct {
	answer  *providers.Answer // nil: none came
	text    string            // all that was handed out
	sent    string            // what the client would have got: nothing before the first meaningful chunk
	whole   bool              // the events ended in their own end
	failure *providers.Failure
	usage   *providers.Usage
	finish  string
	took    time.Duration
}

// kind is empty for a success.
func (o outcome) kind() providers.Kind {
	if o.failure == nil {
		return ""
	}
	return o.failure.Kind
}

func (b *bench) request(t *testing.T, streamed bool) *providers.Request {
	t.Helper()
	body := `{"model":"combo",` + b.suite.Body
	if streamed {
		body += `,"stream":true`
		if b.suite.Endpoint == providers.Chat {
			body += `,"stream_options":{"include_usage":true}`
		}
	}
	r, err := providers.ParseRequest(b.suite.Endpoint, []byte(body+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// send makes one attempt and reads it to its end, as the walk and the server do.
func (b *bench) send(ctx context.Context, t *testing.T, streamed bool, limits providers.Limits) outcome {
	t.Helper()
	return b.attempt(ctx, &providers.Attempt{
		Request: b.request(t, streamed), Model: "model", Limits: limits,
		Key: providers.Key{Name: "k", Secret: secret},
	})
}

func (b *bench) attempt(ctx context.Context, a *providers.Attempt) (o outcome) {
	begun := time.Now()
	defer func() { o.took = time.Since(begun) }()
	// The body's memory is used for something else as soon as the provider must have done with it: the race detector
	// tells if anybody still reads.
	own, request := *a, *a.Request
	request.Body = bytes.Clone(a.Body)
	own.Request, a = &request, &own
	defer func() { clear(own.Body) }()
	answer, err := b.provider.Send(ctx, a)
	if err != nil {
		o.failure, _ = errors.AsType[*providers.Failure](err)
		return o
	}
	defer func() { _ = answer.Events.Close() }()
	o.answer = answer
	var held strings.Builder
	for committed := false; ; {
		c, err := answer.Events.Next()
		if err != nil {
			o.whole = errors.Is(err, io.EOF)
			o.failure, _ = errors.AsType[*providers.Failure](err)
			o.text = held.String()
			if committed {
				o.sent = o.text
			}
			return o
		}
		held.Write(c.Data)
		if c.Meaningful && !committed {
			committed = true
			if answer.Events.Commit() {
				clear(own.Body)
			}
		}
		if c.Usage != nil {
			o.usage = c.Usage
		}
		if c.FinishReason != "" {
			o.finish = c.FinishReason
		}
	}
}

// script sets what the upstream does.
func (b *bench) script(lines ...string) { b.up.Script("model", strings.Join(lines, "\n")) }

// bytesOf is a good answer as the client gets it, and as the upstream sends it: the same, unless it is translated.
func (b *bench) bytesOf(t *testing.T, streamed bool) (client, upstream string) {
	t.Helper()
	b.script(b.suite.Answer)
	b.up.Forget()
	o := b.send(t.Context(), t, streamed, providers.Limits{})
	if !o.whole {
		t.Fatalf("a good answer failed: %v", o.failure)
	}
	if !b.suite.Foreign {
		return o.text, o.text
	}
	sent := b.up.Requests()[0]
	answer := httptest.NewRecorder()
	b.up.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), sent.Method, sent.Path+"?"+sent.Query, bytes.NewReader(sent.Body)))
	return o.text, answer.Body.String()
}
