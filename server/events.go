package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/sse"
)

// replayedEvents is how many events a watcher that comes back can catch up on.
const replayedEvents = 4096

// transitionBuffer is how many events of breakers may wait for the feed before the oldest are lost.
const transitionBuffer = 4096

// feed is the event stream of the admin side. It is safe for concurrent use.
type feed struct {
	broker   *sse.Broker
	log      *slog.Logger
	watchers atomic.Int64
	left     atomic.Int64 // when the last watcher left, in Unix nanoseconds
}

// watcherReturns is how long a watcher that was cut may take to come back and still find every event.
const watcherReturns = 2 * time.Minute

// watched tells whether somebody may see an event that is published now. Only frequent events need to ask.
func (f *feed) watched() bool {
	return f.watchers.Load() > 0 || time.Since(time.Unix(0, f.left.Load())) < watcherReturns
}

func (f *feed) publish(typ string, payload any) {
	body, err := json.Marshal(payload)
	if err != nil {
		f.log.Error("an event can't be shown", "event", typ, "error", err)
		return
	}
	f.broker.Publish(typ, body)
}

// events streams what happens, from Last-Event-ID on if it is remembered.
func (s *Server) events(c echo.Context) error {
	if c.Request().Method == http.MethodHead {
		streamHeaders(c.Response().Header(), "")
		c.Response().WriteHeader(http.StatusOK)
		return nil
	}
	s.feed.watchers.Add(1)
	s.recorder.catchUp() // what ended before is published before, for a watcher that comes back
	defer func() {
		s.feed.left.Store(time.Now().UnixNano())
		s.feed.watchers.Add(-1)
	}()
	s.feed.broker.ServeHTTP(exchangeOf(c), c.Request())
	return nil
}

// followBreakers publishes transitions, which the registry gives out once they are on disk, and has them counted.
func (s *Server) followBreakers(ctx context.Context, sub *circuitbreaker.Subscription) {
	defer sub.Close()
	for {
		ev, missed, err := sub.Next(ctx)
		if err != nil {
			return
		}
		if missed > 0 {
			s.log.Warn("the event feed could not keep up and lost transitions", "lost", missed)
		}
		switch {
		case ev.Transition != nil:
			s.metrics.breakers.count()
			s.feed.publish("breaker.transition", ev.Transition)
		case ev.Persistence != nil && ev.Persistence.Degraded:
			s.feed.publish("persistence.degraded", persistenceEvent{persistenceDegraded, wireTime(ev.Persistence.At)})
		case ev.Persistence != nil:
			s.feed.publish("persistence.restored", persistenceEvent{persistenceOK, wireTime(ev.Persistence.At)})
		}
	}
}

type persistenceEvent struct {
	Status string `json:"status"`
	At     string `json:"at"`
}

// followConfig publishes changes of the configuration.
func (s *Server) followConfig(ctx context.Context) {
	var seen uint64
	for {
		changes, err := s.opts.Config.Changes(ctx, seen)
		if err != nil {
			return
		}
		for _, change := range changes {
			seen = change.Version
			s.feed.publish("config.changed", struct {
				Version    uint64 `json:"version"`
				Collection string `json:"collection"`
				ID         string `json:"id"`
				Action     string `json:"action"`
				At         string `json:"at"`
			}{change.Version, change.Collection, change.ID, change.Action, wireTime(change.At)})
		}
	}
}
