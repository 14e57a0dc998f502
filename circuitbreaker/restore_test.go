package circuitbreaker_test

import (
	"bytes"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

// Spec: breaker.md 7, by number.

// 5
func TestRestoreBringsEveryStateBackAsItWas(t *testing.T) {
	for name, test := range map[string]struct {
		change with
		before func(r *rig)
		want   circuitbreaker.State
	}{
		"CLOSED with counts and kinds": {before: func(r *rig) { r.fail(1, "timeout"); r.fail(1, "auth") }, want: circuitbreaker.Closed},
		"DEGRADED":                     {before: func(r *rig) { r.fail(3, "timeout") }, want: circuitbreaker.Degraded},
		"OPEN with its deadline":       {before: (*rig).trip, want: circuitbreaker.Open},
		"OPEN in a later cycle":        {before: func(r *rig) { r.trip(); r.failProbe("auth", time.Minute) }, want: circuitbreaker.Open},
		"ISOLATED":                     {before: func(r *rig) { r.fail(2, "timeout"); _, _ = r.reg.Isolate(r.name, "ana", "billing") }, want: circuitbreaker.Isolated},
		"the buckets of a window": {measure(circuitbreaker.Window), func(r *rig) {
			for range 4 {
				r.fail(1, "timeout")
				r.succeed(2)
				r.pass(time.Second)
			}
		}, circuitbreaker.Degraded},
	} {
		t.Run(name, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*circuitbreaker.Settings) {}
			}
			r := newRig(t, change)
			test.before(r)
			r.flush()
			before := r.status()
			r.boot(rigSettings(change))
			after := r.status()
			if after.State != test.want || !reflect.DeepEqual(before, after) {
				t.Errorf("before %+v\nafter  %+v", before, after)
			}
		})
	}
}

// 5
func TestAHalfOpenBreakerComesBackAsOpenWithAPassedDeadline(t *testing.T) {
	r := newRig(t)
	r.probing()
	r.acquire()
	r.restart()
	if s := r.status(); s.State != circuitbreaker.Open || s.RetryAt.After(r.now) || s.RetryAfter != 0 {
		t.Fatalf("restored %+v", s)
	}
	if p := r.acquire(); !p.Probe() {
		t.Error("the next request does not probe")
	}
	if got := r.reasons(); got[len(got)-2] != circuitbreaker.ReasonRestored {
		t.Errorf("reasons %v", got)
	}
}

// 5
func TestAPassedDeadlineIsProbedByTheNextRequest(t *testing.T) {
	r := newRig(t)
	r.trip()
	r.flush()
	r.pass(time.Hour)
	r.boot(rigSettings())
	r.want(circuitbreaker.Open)
	if p := r.acquire(); !p.Probe() {
		t.Error("the next request does not probe")
	}
}

// 5
func TestARowThatCantBeReadIsSkippedWithOneWarningAndKept(t *testing.T) {
	store, log := storetest.NewMemory(), new(bytes.Buffer)
	store.Damage("target:p/broken", 7, errors.New("no such state"))
	if err := store.Apply(t.Context(), circuitbreaker.Batch{Save: []circuitbreaker.Snapshot{
		{Name: "target:p/odd", Version: 8, State: circuitbreaker.Open}, // without a deadline
		{Name: "target:p/m", Version: 9, State: circuitbreaker.Isolated, Isolated: &circuitbreaker.Isolation{By: "ana"}},
	}}); err != nil {
		t.Fatal(err)
	}
	reg := circuitbreaker.NewRegistry(circuitbreaker.Options{Store: store, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err := reg.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := reg.List(time.Time{}); len(all) != 1 || all[0].State != circuitbreaker.Isolated {
		t.Errorf("restored %+v", all)
	}
	for _, name := range []string{"target:p/broken", "target:p/odd"} {
		if strings.Count(log.String(), name) != 1 {
			t.Errorf("%s is not named once:\n%s", name, log)
		}
	}
	if err := reg.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if loaded, _ := store.Load(t.Context()); len(loaded.Unreadable) != 1 || len(loaded.Breakers) != 2 {
		t.Errorf("rows %+v", loaded)
	}
}

// 5
func TestAStoreThatCantBeReadAtTheStartIsRestoredWhenItIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		open := func() *circuitbreaker.Registry {
			return circuitbreaker.NewRegistry(circuitbreaker.Options{Store: store, Default: rigSettings(), Logger: slog.New(slog.DiscardHandler)})
		}
		r := &rig{T: t, now: time.Now(), name: "target:p/m", reg: open()}
		for _, name := range []string{"target:p/m", "target:p/other"} {
			r.breaker = r.reg.Get(name)
			r.trip()
		}
		r.flush()

		store.Fail(errors.New("locked"))
		r.reg = open()
		if err := r.reg.Restore(t.Context()); err == nil || !r.reg.Persistence().Degraded {
			t.Fatalf("error %v, %+v", err, r.reg.Persistence())
		}
		r.reg.Start()
		r.breaker = r.reg.Get("target:p/other")
		r.fail(1, "timeout") // learned meanwhile
		<-time.After(time.Minute)
		store.Fail(nil)
		<-time.After(time.Minute)
		synctest.Wait()
		if p := r.reg.Persistence(); p.Degraded || p.OldestUnsaved != 0 {
			t.Errorf("%+v", p)
		}
		if s, _ := r.reg.Status("target:p/m", r.now); s.State != circuitbreaker.Open {
			t.Errorf("not restored: %+v", s)
		}
		if s, _ := r.reg.Status("target:p/other", r.now); s.State != circuitbreaker.Closed || s.FailureCount != 1 {
			t.Errorf("what was learned meanwhile is lost: %+v", s)
		}
		loaded, _ := store.Load(t.Context())
		for _, row := range loaded.Breakers {
			if row.Name == "target:p/other" && row.State != circuitbreaker.Closed {
				t.Errorf("the older row stands: %+v", row)
			}
		}
		if err := r.reg.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// 5, and 2.1: writing a row is a look.
func TestForgottenFailuresStayForgottenWhenARowIsWritten(t *testing.T) {
	r := newRig(t)
	r.fail(3, "timeout")
	r.pass(time.Hour)
	r.reg.Get("target:p/other")
	_, _ = r.reg.Reset("target:p/other") // so that something is written
	r.restart()
	r.want(circuitbreaker.Closed)
	r.wantCount(0)
}
