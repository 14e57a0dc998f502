package providers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatch(t *testing.T) {
	all := Limits{Connect: 10 * time.Second, FirstToken: 2 * time.Minute, Idle: 5 * time.Minute, Response: 10 * time.Minute}
	short := Limits{Connect: 10 * time.Second, FirstToken: time.Minute, Idle: 20 * time.Second}
	tests := map[string]struct {
		limits Limits
		plain  bool
		play   func(w *watch)
		limit  string        // that is reached; empty: none ever
		at     time.Duration // since the begin
	}{
		"no connection":                     {all, false, func(*watch) {}, "connect", 10 * time.Second},
		"no connection for a plain one":     {all, true, func(*watch) {}, "connect", 10 * time.Second},
		"no first token":                    {all, false, func(w *watch) { w.connected() }, "first_token", 2 * time.Minute},
		"no answer":                         {all, true, func(w *watch) { w.connected() }, "response", 10 * time.Minute},
		"a first token sooner than connect": {Limits{Connect: time.Hour, FirstToken: time.Minute}, false, func(*watch) {}, "first_token", time.Minute},
		"pings don't make up for a first token": {all, false, func(w *watch) {
			w.connected()
			for range 200 {
				w.reads()
				time.Sleep(time.Second)
				w.hasRead()
			}
		}, "first_token", 2 * time.Minute},
		"silence before the first token": {short, false, func(w *watch) {
			w.connected()
			time.Sleep(5 * time.Second)
			w.reads()
		}, "idle", 25 * time.Second},
		"silence after it": {all, false, func(w *watch) {
			w.connected()
			time.Sleep(time.Minute)
			w.flows()
			w.reads()
		}, "idle", 6 * time.Minute},
		"a short idle limit after a long wait": {Limits{FirstToken: time.Hour, Idle: time.Second}, false, func(w *watch) {
			w.connected()
			time.Sleep(time.Minute)
			w.flows()
			w.reads()
		}, "idle", time.Minute + time.Second},
		"every read begins a new wait": {short, false, func(w *watch) {
			w.connected()
			w.flows()
			for range 100 {
				w.reads()
				time.Sleep(19 * time.Second)
				w.hasRead()
			}
			w.reads()
		}, "idle", 1920 * time.Second},
		"a client that takes its time": {short, false, func(w *watch) {
			w.connected()
			w.flows()
			w.reads()
			w.hasRead()
		}, "", 0},
		"an attempt that is over": {all, false, func(w *watch) { w.stop() }, "", 0},
		"no limits":               {Limits{}, false, func(w *watch) { w.connected(); w.flows(); w.reads() }, "", 0},
		"only an idle limit": {Limits{Idle: time.Second}, false, func(w *watch) {
			w.connected()
			w.flows()
			w.reads()
		}, "idle", time.Second},
		"an error answer in a hurry": {all, true, func(w *watch) {
			w.connected()
			time.Sleep(time.Second)
			w.hurries(5 * time.Second)
		}, "hurry", 6 * time.Second},
		"an error answer shortly before the limit of a plain one": {Limits{Response: 3 * time.Second}, true, func(w *watch) {
			w.connected()
			time.Sleep(time.Second)
			w.hurries(5 * time.Second)
		}, "hurry", 3 * time.Second},
		"an error answer shortly before the limit of a stream": {Limits{Connect: time.Hour, FirstToken: 3 * time.Second}, false, func(w *watch) {
			w.connected()
			time.Sleep(time.Second)
			w.hurries(5 * time.Second)
		}, "hurry", 3 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				begun := time.Now()
				var at time.Duration
				context.AfterFunc(ctx, func() { at = time.Since(begun) })
				var w watch
				w.begin(cancel, test.limits, !test.plain)
				test.play(&w)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				limit := ""
				if reached, ok := errors.AsType[*LimitError](context.Cause(ctx)); ok {
					limit = reached.Limit
				} else if errors.Is(context.Cause(ctx), errHurried) {
					limit = "hurry"
				}
				if limit != test.limit || at != test.at {
					t.Errorf("got %q after %s, want %q after %s", limit, at, test.limit, test.at)
				}
				w.stop()
			})
		})
	}
}

func BenchmarkWatchRead(b *testing.B) {
	var w watch
	w.begin(func(error) {}, Limits{Connect: time.Hour, FirstToken: time.Hour, Idle: time.Hour}, true)
	defer w.stop()
	w.connected()
	w.flows()
	b.ReportAllocs()
	for b.Loop() {
		w.reads()
		w.hasRead()
	}
}
