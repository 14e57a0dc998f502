package providertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// soon is long enough for this machine to do something, later for what may not fail, and patience for everything.
const (
	soon     = 50 * time.Millisecond
	later    = 10 * soon
	patience = 10 * time.Second
)

func proveLimits(t *testing.T, b *bench) {
	t.Helper()
	const far = time.Hour
	all := func(change func(*providers.Limits)) providers.Limits {
		l := providers.Limits{Connect: far, FirstToken: far, Idle: far, Response: far}
		change(&l)
		return l
	}
	tests := map[string]struct {
		script   string
		streamed bool
		limits   providers.Limits
		limit    string
		kind     providers.Kind
	}{
		"no headers of a stream":     {"hang", true, all(func(l *providers.Limits) { l.FirstToken = soon }), "first_token", providers.Timeout},
		"no headers of an answer":    {"hang", false, all(func(l *providers.Limits) { l.Response = soon }), "response", providers.Timeout},
		"headers and nothing":        {"role; hang", true, all(func(l *providers.Limits) { l.FirstToken = soon }), "first_token", providers.Timeout},
		"silence before the content": {"role; hang", true, all(func(l *providers.Limits) { l.Idle = soon }), "idle", providers.Timeout},
		"silence after the content":  {"role; chunk a; hang", true, all(func(l *providers.Limits) { l.Idle = soon }), "idle", providers.Truncated},
		"silence behind the finish":  {"role; chunk a; finish stop; hang", true, all(func(l *providers.Limits) { l.Idle = soon }), "idle", providers.Truncated},
		"half an answer":             {"upto 10; chat hello; hang", false, all(func(l *providers.Limits) { l.Response = soon }), "response", providers.Timeout},
		"half of JSON for a stream":  {"upto 10; json {\"id\":\"x\",\"choices\":[]}; hang", true, all(func(l *providers.Limits) { l.FirstToken = soon }), "first_token", providers.Timeout},
	}
	for name, test := range tests {
		b.script(splitScript(test.script)...)
		o := b.send(t.Context(), t, test.streamed, test.limits)
		limit, _ := errors.AsType[*providers.LimitError](o.failure)
		if o.kind() != test.kind || limit == nil || limit.Limit != test.limit || o.took < soon || o.took > patience {
			t.Errorf("%s: %v after %s", name, o.failure, o.took)
		}
	}
	b.script("role", "chunk a", "wait go", "chunk b", "finish stop", "done")
	done := make(chan outcome, 1)
	go func() {
		done <- b.send(t.Context(), t, true, all(func(l *providers.Limits) { l.FirstToken, l.Connect = later, later }))
	}()
	timer := time.AfterFunc(later+soon, func() { b.up.Release("go") })
	defer timer.Stop()
	if o := <-done; !o.whole {
		t.Errorf("limits went on after what they limit: %v", o.failure)
	}
}

func proveCancel(t *testing.T, b *bench) {
	t.Helper()
	errLeft := errors.New("left for lunch")
	tests := map[string]struct {
		script   string
		streamed bool
		cause    error
	}{
		"before headers, streamed":    {"hang", true, providers.ErrClientGone},
		"before headers, plain":       {"hang", false, nil},
		"before the first token":      {"role; hang", true, providers.ErrShutdown},
		"in the middle of the stream": {"role; chunk a; hang", true, providers.ErrClientGone},
		"in the middle of an answer":  {"upto 20; chat hello; hang", false, providers.ErrClientGone},
		"in an error answer":          {"status 500; upto 2; json {\"error\":{}}; hang", false, providers.ErrClientGone},
		"behind the finish":           {"role; chunk a; finish stop; hang", true, nil},
	}
	gone := 0
	for name, test := range tests {
		b.up.Forget()
		b.script(splitScript(test.script)...)
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan outcome, 1)
		go func() { done <- b.send(ctx, t, test.streamed, providers.Limits{}) }()
		within, stop := context.WithTimeout(t.Context(), patience)
		if _, err := b.up.Await(within, 1); err != nil {
			t.Fatalf("%s: nothing was sent: %v", name, err)
		}
		begun := time.Now()
		cancel(test.cause)
		o := <-done
		took := time.Since(begun)
		gone++
		if err := b.up.AwaitGone(within, gone); err != nil {
			t.Errorf("%s: the upstream was not cancelled", name)
		}
		stop()
		if o.kind() != providers.Canceled || took > 100*time.Millisecond {
			t.Errorf("%s: %v after %s", name, o.failure, took)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errLeft)
	b.up.Forget()
	if o := b.send(ctx, t, true, providers.Limits{}); o.failure == nil || len(b.up.Requests()) != 0 {
		t.Errorf("a client that was gone before: %v, %d requests", o.failure, len(b.up.Requests()))
	}
}
