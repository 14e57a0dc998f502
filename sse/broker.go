package sse

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	gosse "github.com/tmaxmax/go-sse"
)

const (
	watcherWrite = 10 * time.Second // a watcher that takes nothing for so long is cut
	watcherQuiet = 15 * time.Second // a comment shows that the stream is alive, and finds watchers that are gone
	watcherBatch = 64               // events between two flushes at most
)

// GapEvent is the type of the event that tells a watcher that events it has not seen are no longer kept. Its data
// names the id it was at and the oldest one that is left: {"after":"17","oldest":"40"}.
const GapEvent = "replay.gap"

// Broker serves published events to any number of watchers. It keeps the last events for watchers that come back
// with Last-Event-ID. Watchers read the kept events at their own pace, so that a slow one delays nobody; one that
// falls behind what is kept is told with a [GapEvent]. A Broker is safe for concurrent use and starts no goroutine.
type Broker struct {
	mu       sync.Mutex
	kept     []*gosse.Message // a ring: the event of an id stands at id modulo its length
	oldest   uint64           // id of the oldest event that is kept, or next
	next     uint64           // id of the next event
	changed  chan struct{}    // closed at the next change
	closed   bool
	watchers int
	left     chan struct{} // closed when the broker is closed and no watcher is left
}

// NewBroker returns a broker that keeps the last replay events, at least one. Ids are numbers that increase also
// over restarts, as far as the clock does, so that an id of an earlier process is known to be too old.
func NewBroker(replay int) *Broker {
	first := uint64(max(time.Now().UnixMicro(), 1))
	return &Broker{
		kept:    make([]*gosse.Message, max(replay, 1)),
		oldest:  first,
		next:    first,
		changed: make(chan struct{}),
		left:    make(chan struct{}),
	}
}

// Publish sends one event to all watchers; it never waits for one. typ is a single line. After Close it does nothing.
func (b *Broker) Publish(typ string, data []byte) {
	m := &gosse.Message{Type: gosse.Type(typ)}
	m.AppendData(string(data))

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	m.ID = gosse.ID(strconv.FormatUint(b.next, 10))
	size := uint64(len(b.kept))
	b.kept[b.next%size] = m
	b.next++
	b.oldest = max(b.oldest, b.next-min(size, b.next))
	b.announce()
}

// Close ends all streams and waits until their handlers have returned or ctx ends.
func (b *Broker) Close(ctx context.Context) error {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		b.announce()
		b.leaveLocked(0)
	}
	b.mu.Unlock()

	select {
	case <-b.left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ServeHTTP streams events to one watcher until it leaves, stops reading, or the broker is closed.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !b.enter() {
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	defer b.leave()
	session, err := gosse.Upgrade(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
	b.stream(r.Context(), &watcher{session: session, control: http.NewResponseController(w)})
}

func (b *Broker) stream(ctx context.Context, w *watcher) {
	quiet := time.NewTicker(watcherQuiet)
	defer quiet.Stop()
	at := b.position(w.session.LastEventID) // first: who has the headers misses nothing from then on
	if w.open() != nil {
		return
	}
	for {
		events, changed, open := b.after(&at)
		switch {
		case len(events) > 0:
			if w.send(events) != nil {
				return
			}
			continue
		case !open:
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-quiet.C:
			if w.send([]*gosse.Message{keepalive}) != nil {
				return
			}
		}
	}
}

// position is the id of the last event that a watcher has seen: 0 for one that is not known.
func (b *Broker) position(last gosse.EventID) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !last.IsSet() {
		return b.next - 1
	}
	id, err := strconv.ParseUint(last.String(), 10, 64)
	if err != nil || id >= b.next {
		return 0
	}
	return id
}

// after returns the next events behind at, which moves on, or a channel that is closed when there are some.
func (b *Broker) after(at *uint64) (events []*gosse.Message, changed <-chan struct{}, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if *at+1 < b.oldest {
		events = append(events, gap(*at, b.oldest))
		*at = b.oldest - 1
	}
	for len(events) < watcherBatch && *at+1 < b.next {
		*at++
		events = append(events, b.kept[*at%uint64(len(b.kept))])
	}
	return events, b.changed, !b.closed
}

// announce wakes all watchers. The caller holds the lock.
func (b *Broker) announce() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Broker) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.watchers++
	return true
}

func (b *Broker) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leaveLocked(1)
}

func (b *Broker) leaveLocked(n int) {
	b.watchers -= n
	if b.closed && b.watchers == 0 {
		close(b.left)
	}
}

var keepalive = func() *gosse.Message {
	m := &gosse.Message{}
	m.AppendComment("keepalive")
	return m
}()

func gap(after, oldest uint64) *gosse.Message {
	m := &gosse.Message{Type: gosse.Type(GapEvent)}
	m.AppendData(fmt.Sprintf(`{"after":"%d","oldest":"%d"}`, after, oldest))
	return m
}
