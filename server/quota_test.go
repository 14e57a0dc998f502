package server

import (
	"errors"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/config"
)

func TestKeyQuotas(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

	t.Run("a minute's worth of requests passes, the next is told when to come back", func(t *testing.T) {
		var q quotas
		key := &config.ClientKey{ID: "k", RequestsPerMinute: 6}
		for i := range 6 {
			if err := q.count(key, start); err != nil {
				t.Fatalf("request %d: %v", i+1, err)
			}
		}
		e, ok := errors.AsType[*apiError](q.count(key, start))
		if !ok || e.Status != 429 || e.RetryAfter != 10*time.Second {
			t.Fatalf("got %+v, want 429 and 10 s", e)
		}
		if err := q.count(key, start.Add(10*time.Second)); err != nil {
			t.Errorf("when it was told to come: %v", err)
		}
	})
	t.Run("parallel requests are bounded and places are given back", func(t *testing.T) {
		var q quotas
		key := &config.ClientKey{ID: "k", Parallel: 2}
		for range 2 {
			if err := q.enter(key, start); err != nil {
				t.Fatal(err)
			}
		}
		if q.enter(key, start) == nil {
			t.Fatal("a third was let in")
		}
		q.leave(key)
		if err := q.enter(key, start); err != nil {
			t.Errorf("after one left: %v", err)
		}
	})
	t.Run("a refused request takes nothing", func(t *testing.T) {
		var q quotas
		key := &config.ClientKey{ID: "k", RequestsPerMinute: 2, Parallel: 1}
		_ = q.enter(key, start)
		for range 5 {
			_ = q.enter(key, start)
		}
		q.leave(key)
		if err := q.enter(key, start); err != nil {
			t.Errorf("the second request: %v", err)
		}
		_, _ = q.count(key, start), q.count(key, start)
		for range 5 {
			_ = q.count(key, start)
		}
		if err := q.count(key, start.Add(30*time.Second)); err != nil {
			t.Errorf("half a minute later: %v", err)
		}
	})
	t.Run("a key without limits is not kept", func(t *testing.T) {
		var q quotas
		if err := q.enter(&config.ClientKey{ID: "k"}, start); err != nil || len(q.keys) != 0 {
			t.Errorf("err %v, %d kept", err, len(q.keys))
		}
	})
}
