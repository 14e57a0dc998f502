package providers

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// answer judges what came back: the headers of a stream, or all of a plain answer.
func (x *exchange) answer() (*Answer, *Failure) {
	h, status := x.resp.Header, x.resp.StatusCode
	switch {
	case status < http.StatusOK: // another protocol, or none: there may be no end to what follows
		return nil, x.redacted(malformed(status, h, "the answer's status is none of an answer"))
	case !isSuccess(status):
		return nil, x.refused()
	}
	if isEncoded(h) {
		return nil, x.redacted(malformed(status, h, "the answer was compressed, which was not asked for"))
	}
	if x.streams(mediaType(h)) {
		return x.streamOf(x.resp.Body), nil
	}
	body, err := x.readAll(longestAnswer)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, x.redacted(malformed(status, h, "the answer was larger than 64 MiB"))
	case err != nil:
		return nil, x.broken(err)
	}
	return x.plain(body)
}

// streams tells whether an answer of that content type is read as the stream that was asked for.
func (x *exchange) streams(kind string) bool {
	switch {
	case !x.attempt.Stream || kind == jsonType[0] || kind == "text/html":
		return false
	case orWhole[x.wire]:
		return kind == eventStream[0]
	default:
		return true
	}
}

// orWhole are the endpoints that may answer whole where a stream was asked for: not all of their models can do else.
var orWhole = map[Endpoint]bool{Speech: true, Transcriptions: true, Images: true}

// isEncoded tells whether a body is compressed, which nobody asked for.
func isEncoded(h http.Header) bool {
	encoding := h.Get("Content-Encoding")
	return encoding != "" && !strings.EqualFold(encoding, "identity")
}

// refused reads an answer outside 2xx as far as it is of use. Its status is known: what doesn't come soon, or can't be
// read, is left, and what is left of the body is evidence but not passed on.
func (x *exchange) refused() *Failure {
	if isEncoded(x.resp.Header) {
		return x.failure(Signal{Cause: x.cause()})
	}
	x.watch.hurries(errorBodyWait)
	body, err := x.readAll(longestBody)
	cause := x.cause()
	hurried := errors.Is(cause, errHurried)
	if hurried {
		err, cause = nil, nil
	}
	cut := hurried || errors.Is(err, errTooLarge)
	if cut {
		err = nil
	}
	f := x.failure(Signal{Body: body, Err: err, Cause: cause})
	if cut {
		f.Body = nil
	}
	return f
}

var errTooLarge = errors.New("the answer is too large")

// readAll reads the whole body, at most so many bytes. With an error it returns what came before.
func (x *exchange) readAll(most int64) ([]byte, error) {
	b := memories.Get().(*bytes.Buffer)
	b.Reset()
	x.memory = b
	if n := x.resp.ContentLength; n > 0 && n <= most {
		b.Grow(int(min(n, 1<<20)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(x.resp.Body, most+1))
	if int64(b.Len()) > most {
		return b.Bytes()[:most], errTooLarge
	}
	return b.Bytes(), err
}

// plain judges a whole answer, and turns it into the form that was asked for.
func (x *exchange) plain(body []byte) (*Answer, *Failure) {
	e, status, h := x.wire, x.resp.StatusCode, x.resp.Header
	verdict, f := JudgePlain(x.dialect, x.preset, e, status, h, body, x.now())
	switch {
	case f != nil:
		return nil, x.inForm(x.redacted(f))
	case verdict.Stream && x.attempt.Stream:
		return x.streamOf(bytes.NewReader(body)), nil
	case verdict.Stream:
		return x.assembled(body)
	case !x.attempt.Stream || orWhole[x.wire]:
		answer := x.whole(x.contentType(), x.embedded(body), verdict)
		answer.Events.(*whole).memory = x.memory
		return answer, nil
	}
	events, ok := x.chunked(body)
	if !ok {
		return nil, x.redacted(malformed(status, h, "the answer was whole where a stream was asked for"))
	}
	answer := x.whole(eventStream[0], events, verdict)
	answer.Stream = true
	return answer, nil
}

func (x *exchange) whole(contentType string, body []byte, v Verdict) *Answer {
	return &Answer{
		Status: x.resp.StatusCode, ContentType: contentType, UpstreamID: x.upstreamID(),
		Events: &whole{chunk: Chunk{Data: body, Meaningful: true, Done: true, Usage: v.Usage, FinishReason: x.noted(v.FinishReason)}},
	}
}

// streamOf hands out a stream whose headers are good; its events are judged as they come.
func (x *exchange) streamOf(src io.Reader) *Answer {
	return &Answer{
		Status: x.resp.StatusCode, ContentType: x.streamType(), UpstreamID: x.upstreamID(), Stream: true,
		Events: newStream(x, src),
	}
}

// streamType is the content type of a stream: the upstream's, if it is one of streams.
func (x *exchange) streamType() string {
	if mediaType(x.resp.Header) != eventStream[0] {
		return eventStream[0]
	}
	return x.contentType()
}

// assembled makes one answer of a stream that came where none was asked for.
func (x *exchange) assembled(body []byte) (*Answer, *Failure) {
	h, status := x.resp.Header, x.resp.StatusCode
	s := newStream(x, bytes.NewReader(body))
	defer s.release()
	for {
		_, err := s.Next()
		if f, ok := errors.AsType[*Failure](err); ok {
			return nil, f
		}
		if err != nil {
			break
		}
	}
	joined, ok := x.joined(body)
	if !ok {
		return nil, x.redacted(malformed(status, h, "the answer was a stream where none was asked for"))
	}
	if x.spoken {
		return x.whole(jsonType[0], joined, s.verdict()), nil
	}
	verdict, f := JudgePlain(x.dialect, x.preset, x.wire, status, h, joined, x.now())
	if f != nil {
		f.ContentType = jsonType[0]
		return nil, x.redacted(f)
	}
	return x.whole(jsonType[0], joined, verdict), nil
}

// upstreamID is the upstream's request id, unless it is no id.
func (x *exchange) upstreamID() string { return x.noted(upstreamID(x.resp.Header)) }

// mediaType is the content type without its parameters, in lower case.
func mediaType(h http.Header) string {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// whole are the events of an answer that is there already.
type whole struct {
	chunk  Chunk
	given  bool
	memory *bytes.Buffer // of the chunk; nil: it is nobody else's
}

// memories are buffers for whole answers. They come back when an answer is closed, not when it was a failure, which
// may keep the answer as it came.
var memories = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// pooledAnswer is the length up to which an answer's memory is used again.
const pooledAnswer = 1 << 20

// Next implements [Events].
func (w *whole) Next() (Chunk, error) {
	if w.given {
		return Chunk{}, io.EOF
	}
	w.given = true
	return w.chunk, nil
}

// Commit implements [Events]; nothing can fail any more, and the request's body is done with.
func (w *whole) Commit() bool { return true }

// Close implements [Events].
func (w *whole) Close() error {
	if w.memory != nil && w.memory.Cap() <= pooledAnswer {
		memories.Put(w.memory)
	}
	*w = whole{given: true}
	return nil
}
