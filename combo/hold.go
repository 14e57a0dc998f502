package combo

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// holding is what has come of an answer and has not gone out yet (spec: routing.md 3 "Commit", "Hold window").
type holding struct {
	kept   []byte          // copied, in front of chunk
	chunk  providers.Chunk // the last read, not copied: valid until the next
	events int             // meaningful ones that have come
	ended  bool            // the protocol's end was seen
	window <-chan time.Time
	reads  chan read   // a read under way in its own goroutine, while the hold window runs; nil: none
	owes   bool        // Events.Commit, until that read is over
	hush   *time.Timer // cuts the attempt; nil: none was needed so far
	usage  *providers.Usage
	finish string
}

// read is what one call of Events.Next gave.
type read struct {
	chunk providers.Chunk
	err   error
}

// maxHeld bounds what is kept back, in bytes.
const maxHeld = 256 << 10

// errWindowOver ends the hold window by time.
var errWindowOver = errors.New("hold window is over")

// untilCommit reads an answer until it may go out. Its error is a *providers.Failure.
func (w *walk) untilCommit() error {
	err := w.readToCommit()
	if hush := w.hold.hush; hush != nil && !hush.Stop() && err == nil {
		return &providers.Failure{Kind: providers.Timeout, Status: w.up.Status, UpstreamID: w.up.UpstreamID}
	}
	return err
}

func (w *walk) readToCommit() error {
	h := &w.hold
	for {
		err := w.readHeld()
		switch {
		case errors.Is(err, io.EOF): // uncommitted at the protocol's end, and judged good
			h.chunk, h.ended = providers.Chunk{}, true
			return nil
		case errors.Is(err, errWindowOver):
			h.chunk = providers.Chunk{}
			return nil
		case err != nil:
			return err
		case !w.up.Stream:
			h.ended = true
			return nil
		}
		if h.chunk.Meaningful {
			w.alive()
			h.events += max(h.chunk.Count, 1)
		}
		if h.events > 0 && (h.chunk.Done || !w.holds()) {
			h.ended = h.chunk.Done
			return nil
		}
		h.kept = append(h.kept, h.chunk.Data...)
		if len(h.kept) > maxHeld {
			h.chunk = providers.Chunk{}
			if h.events > 0 {
				return nil
			}
			return &providers.Failure{
				Kind: providers.Malformed, Status: w.up.Status, UpstreamID: w.up.UpstreamID,
				Message: "the stream holds no content in its first 256 KiB",
			}
		}
		if h.events > 0 {
			w.limitSilence()
		}
	}
}

// limitSilence sees to it that an attempt whose events are held back ends if it is silent for its share of the walk's
// time (spec: routing.md 2 "Budget"). What has gone out is bound by the idle limit alone.
func (w *walk) limitSilence() {
	if w.until.IsZero() {
		return
	}
	w.now = w.router.now()
	share, h := w.share(w.on), &w.hold
	switch {
	case share == 0:
	case h.hush == nil:
		cut := w.cut
		h.hush = time.AfterFunc(share, func() { cut(&providers.LimitError{Limit: "idle", After: share}) })
	default:
		h.hush.Reset(share)
	}
}

// holds tells whether the hold window keeps back what has come so far.
func (w *walk) holds() bool {
	limit := &w.node.Hold
	if limit.Time > 0 {
		return limit.Events <= 0 || w.hold.events <= limit.Events
	}
	return w.hold.events <= limit.Events
}

// readHeld reads once; after the first meaningful event not beyond the hold window's time.
func (w *walk) readHeld() error {
	h := &w.hold
	if h.events == 0 || w.node.Hold.Time <= 0 {
		return w.read()
	}
	if h.window == nil {
		h.window = time.After(w.node.Hold.Time)
	}
	if h.reads == nil {
		reads, events := make(chan read, 1), w.up.Events
		h.reads = reads
		go func() {
			chunk, err := events.Next()
			reads <- read{chunk, err}
		}()
	}
	select {
	case <-h.window:
		return errWindowOver
	case r := <-h.reads:
		h.reads = nil
		return w.took(r.chunk, r.err)
	}
}

// read gives the next chunk; one that is being read already is waited for.
func (w *walk) read() error {
	if w.hold.reads != nil {
		r := <-w.hold.reads
		w.hold.reads = nil
		if w.hold.owes {
			_ = w.up.Events.Commit() // nobody asks any more whether the body is done with
		}
		return w.took(r.chunk, r.err)
	}
	chunk, err := w.up.Events.Next()
	return w.took(chunk, err)
}

func (w *walk) took(chunk providers.Chunk, err error) error {
	h := &w.hold
	if err != nil {
		return err
	}
	h.chunk = chunk
	if chunk.Usage != nil {
		h.usage = chunk.Usage
	}
	if h.finish == "" {
		h.finish = chunk.FinishReason
	}
	return nil
}

// closeEvents cancels the upstream. A read that is under way is ended and waited for first.
func (w *walk) closeEvents() {
	if w.hold.reads != nil {
		w.cut(context.Canceled)
		<-w.hold.reads
		w.hold.reads = nil
	}
	if w.up != nil {
		_ = w.up.Events.Close() // nothing is left to be told about an answer that nobody reads
		w.up = nil
	}
	if w.cut != nil {
		w.cut(context.Canceled)
		w.cut = nil
	}
}
