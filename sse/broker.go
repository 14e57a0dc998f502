package sse

import (
	"context"
	"net/http"
)

// Broker serves published events to any number of watchers.
type Broker struct{ replay int }

// NewBroker returns a broker that keeps the last replay events for watchers that come back.
func NewBroker(replay int) *Broker { return &Broker{replay: replay} }

// Publish sends one event to all watchers. It never blocks on a watcher.
func (b *Broker) Publish(typ string, json []byte) {}

// ServeHTTP streams events until the watcher leaves or the broker closes.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

// Close ends all streams and waits for them until ctx ends.
func (b *Broker) Close(ctx context.Context) error { return nil }
