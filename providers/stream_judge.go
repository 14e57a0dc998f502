package providers

import (
	"cmp"
	"math/bits"

	"github.com/ohmroute/ohmroute/sse"
)

// judging is what is known of a stream so far.
type judging struct {
	content    Content
	usage      Usage
	meaningful bool   // a meaningful event came
	finished   uint64 // choices that have a finish reason, by index
	done       bool   // the protocol's own end came
	committed  bool   // bytes went out to the client
	like       likeness
}

// verdict is what becomes of an event.
type verdict uint8

const (
	keep verdict = iota
	drop         // the client doesn't get it
	last         // the protocol's own end
	fail         // the stream's failure is set
)

// judge looks at one event of a block.
func (s *stream) judge(c *Chunk, ev sse.Event, block []byte) verdict {
	if len(ev.Data) == 0 {
		return keep
	}
	if s.meaningful {
		if text, ok := s.like.matches(ev); ok {
			if text {
				c.tell()
			}
			return keep
		}
	}
	var e event
	s.dialect.read(ev, &e)
	if e.counted {
		s.usage.add(e.usage)
		c.Usage = new(s.usage)
	}
	if v := s.suspect(ev, &e); v != keep {
		return v
	}
	s.content = s.content.with(e.Content)
	s.finished |= e.finished
	if e.Finish != "" && c.FinishReason == "" {
		c.FinishReason = s.exchange.noted(e.Finish)
	}
	if e.Text || e.ToolCall || e.Refusal && (s.meaningful || !s.exchange.attempt.HoldRefusals) || e.Finish != "" && s.meaningful {
		if !s.meaningful {
			s.meaningful = true
			s.exchange.watch.flows()
		}
		c.tell()
	}
	switch {
	case e.done:
		return s.ended(c, block)
	case e.counted && !e.listed && s.exchange.hidesUsage():
		return drop // the client did not ask for it
	}
	s.like.learn(ev, &e)
	return keep
}

// tell notes a meaningful event.
func (c *Chunk) tell() {
	c.Meaningful = true
	c.Count++
}

// suspect asks the classifier about an event that may be an error, and looks for finish reasons that are failures.
func (s *stream) suspect(ev sse.Event, e *event) verdict {
	so := s.content.with(e.Content)
	if e.failed || e.odd {
		f, kind := s.classified(ev), so.Judge(s.exchange.preset)
		switch {
		case f != nil && f.Kind == ContentPolicy && e.done:
			return keep // a refusal that came to its good end
		case f != nil && (e.done && s.meaningful || e.Finish != "" && (kind == "" || kind == ContentPolicy && s.meaningful)):
			return keep // the answer is whole with this event
		case f != nil:
			s.failure = f
			return fail
		case e.failed && s.whole(s.exchange.attempt):
			return drop
		}
	}
	if e.undecodable && !s.meaningful && !e.hasContent() {
		s.failure = s.malformed("an event of the stream was not JSON")
		return fail
	}
	if e.Finish != "" {
		so.Finish = e.Finish
		if kind := so.Judge(s.exchange.preset); kind == Malformed || kind == Overloaded || kind == ServerError {
			s.failure = s.judged(kind, nil)
			return fail
		}
	}
	return keep
}

// whole tells whether every choice that was asked for has its finish reason.
func (j *judging) whole(a *Attempt) bool {
	return j.finished != 0 && bits.OnesCount64(j.finished) >= min(a.at.choices, 64)
}

// ended is the verdict at the protocol's own end, which stands in block. A stream without a meaningful event is
// judged like a plain answer.
func (s *stream) ended(c *Chunk, block []byte) verdict {
	if !s.meaningful {
		if kind := s.content.Judge(s.exchange.preset); kind != "" {
			s.failure = s.judged(kind, append(s.held, block...))
			return fail
		}
		s.meaningful, c.Meaningful = true, true
	}
	s.done, c.Done = true, true
	return last
}

// classified asks the classifier about an event; nil: it is no failure.
func (s *stream) classified(ev sse.Event) *Failure {
	return s.exchange.suspected(Signal{
		Event: true, EventType: string(ev.Type), Body: ev.Data, Committed: s.committed, Finished: s.whole(s.exchange.attempt),
	})
}

// judged is the failure of a stream by what it held. body is all of it, if it is to be passed on as it came.
func (s *stream) judged(kind Kind, body []byte) *Failure {
	a := answered{Content: s.content}
	var usage *Usage
	if s.usage != (Usage{}) {
		usage = new(s.usage)
	}
	x := s.exchange
	return x.inForm(x.redacted(a.failure(kind, x.resp.StatusCode, x.resp.Header, body, usage)))
}

func (s *stream) malformed(message string) *Failure {
	x := s.exchange
	return x.redacted(malformed(x.resp.StatusCode, x.resp.Header, message))
}

// late is the stream's failure as it is told now: what it is before the commit, or truncated after it. It was found
// in what came, and what came before it may have been handed out and gone to the client since.
func (s *stream) late() *Failure {
	f := s.failure
	if s.committed && f.Kind != Canceled && f.Kind != Local {
		f.Kind, f.Hint, f.Body = Truncated, 0, nil
	}
	return f
}

func (c Content) with(more Content) Content {
	c.Finish = cmp.Or(c.Finish, more.Finish)
	c.Text = c.Text || more.Text
	c.ToolCall = c.ToolCall || more.ToolCall
	c.Refusal = c.Refusal || more.Refusal
	return c
}

// add takes over what a later usage says; some dialects tell the parts in different events.
func (u *Usage) add(later Usage) {
	for _, part := range []struct {
		total *int64
		later int64
	}{
		{&u.InputTokens, later.InputTokens},
		{&u.OutputTokens, later.OutputTokens},
		{&u.CachedTokens, later.CachedTokens},
		{&u.ReasoningTokens, later.ReasoningTokens},
	} {
		if part.later != 0 {
			*part.total = part.later
		}
	}
}

// verdict is what a stream that has come to its end tells beside being good.
func (j *judging) verdict() Verdict {
	v := Verdict{FinishReason: j.content.Finish}
	if j.usage != (Usage{}) {
		v.Usage = new(j.usage)
	}
	return v
}
