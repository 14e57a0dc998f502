package circuitbreaker_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// What the model found wrong once, each as a test that tells it in its own words.

// 2.1
func TestAFailureAfterTheOthersWereForgottenDoesNotKeepABreakerDegraded(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.RecoversAt = 0 })
	late := r.acquire()
	r.fail(3, "server_error")
	r.want(circuitbreaker.Degraded)
	r.pass(time.Hour)
	r.want(circuitbreaker.Closed)
	late.Failure(r.now, "server_error", 0)
	r.want(circuitbreaker.Closed)
	if got := r.reasons(); len(got) != 2 || got[1] != circuitbreaker.ReasonRecovered {
		t.Errorf("transitions %v, want degraded and recovered", got)
	}
}

// 2.1, 6.3, 7.1
func TestWhatIsForgottenStaysClosedThroughAConfigurationAndAWrittenRow(t *testing.T) {
	for name, happens := range map[string]func(*rig){
		"a configuration with other settings": func(r *rig) {
			r.configure(rigSettings(func(s *circuitbreaker.Settings) { s.ResetTimeout = time.Minute }))
		},
		"a row that is written late": (*rig).flush,
		"a restart":                  func(r *rig) { r.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.fail(3, "server_error")
			r.pass(time.Hour)
			happens(r)
			r.want(circuitbreaker.Closed)
			r.succeed(1)
			if got := r.reasons(); got[len(got)-1] != circuitbreaker.ReasonRecovered {
				t.Errorf("transitions %v, want recovered as the last", got)
			}
		})
	}
}

// 2.1, 3, 6.3, 7.1
func TestAShareThatRisesWithTimeAloneIsDegradedToALookAndOpensAtAVerdict(t *testing.T) {
	window := func(s *circuitbreaker.Settings) { s.Measure, s.VolumeThreshold = circuitbreaker.Window, 2 }
	for name, happens := range map[string]func(*rig){
		"and nothing happens meanwhile": func(*rig) {},
		"a configuration with other settings": func(r *rig) {
			r.configure(rigSettings(window, func(s *circuitbreaker.Settings) { s.ResetTimeout = time.Minute }))
		},
		"a row that is written late": (*rig).flush,
		"a restart":                  func(r *rig) { r.restart(window) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, window)
			r.succeed(8)
			r.pass(5 * time.Second)
			r.fail(2, "server_error")
			r.want(circuitbreaker.Closed)
			r.pass(5 * time.Second)
			happens(r)
			r.want(circuitbreaker.Degraded)
			if got := r.reg.Path("", "", r.name).State(r.now); got != circuitbreaker.Degraded {
				t.Errorf("the path's state is %s", got)
			}
			if got := r.reasons(); len(got) != 0 {
				t.Errorf("a look made the transitions %v", got)
			}
			admitted := r.acquire()
			if got := r.reasons(); !slices.Equal(got, []string{circuitbreaker.ReasonDegraded}) {
				t.Errorf("a permit made the transitions %v, want degraded", got)
			}
			admitted.Success(r.now)
			r.want(circuitbreaker.Open)
		})
	}
}

// 2.1
func TestTheRefusalOfAParkedBreakerTellsTheStateThatALookShows(t *testing.T) {
	r := newRig(t, func(s *circuitbreaker.Settings) { s.Measure, s.VolumeThreshold = circuitbreaker.Window, 1 })
	r.reg = circuitbreaker.NewRegistry(circuitbreaker.Options{Now: func() time.Time { return r.now }, Logger: slog.New(slog.DiscardHandler)})
	r.configure(rigSettings(func(s *circuitbreaker.Settings) { s.Measure, s.VolumeThreshold = circuitbreaker.Window, 1 }))
	r.breaker = r.reg.Get(r.name)
	r.succeed(8)
	r.pass(5 * time.Second)
	r.acquire().Failure(r.now, "rate_limit", time.Minute)
	for _, want := range []circuitbreaker.State{circuitbreaker.Closed, circuitbreaker.Degraded, circuitbreaker.Closed} {
		r.want(want)
		if refused := r.refused(circuitbreaker.ReasonCooldown); refused.State != want {
			t.Errorf("refused in %s, want %s", refused.State, want)
		}
		r.pass(5 * time.Second)
	}
}

// 3
func TestDegradedEndsWithItsWindowThoughTheFirstVerdictWouldOpen(t *testing.T) {
	window := func(s *circuitbreaker.Settings) { s.Measure, s.VolumeThreshold = circuitbreaker.Window, 4 }
	r := newRig(t, window)
	r.succeed(3)
	r.fail(2, "server_error")
	r.configure(rigSettings(window, func(s *circuitbreaker.Settings) { s.ErrorThreshold = 0 }))
	r.want(circuitbreaker.Degraded)
	r.pass(10 * time.Second)
	r.want(circuitbreaker.Closed)
}

// 6.3
func TestAConfigurationThatDoesNotTouchABreakerDoesNotTouchItsDeadline(t *testing.T) {
	generous := func(s *circuitbreaker.Settings) {
		s.FailureThreshold, s.ResetTimeout, s.MaxBackoffMultiplier = 2, time.Second, 1
	}
	strict := func(s *circuitbreaker.Settings) { generous(s); s.RetryAfterMax = 10 * time.Second }
	r := newRig(t, generous)
	late := r.acquire()
	r.acquire().Failure(r.now, "rate_limit", time.Minute)
	r.configure(rigSettings(strict))
	late.Failure(r.now, "rate_limit", 0) // opens, and takes the park of a minute in
	r.configure(rigSettings(strict))
	if left := r.wait(); left != time.Minute {
		t.Errorf("OPEN for %v more, want a minute", left)
	}
}

// 2.2, 6.3
func TestTheFailureOfARequestWithTheOldSecretDoesNotChargeTheNewOne(t *testing.T) {
	r := newRig(t)
	auth := func(s *circuitbreaker.Settings) {
		s.Kinds = map[circuitbreaker.Kind]circuitbreaker.KindSettings{"auth": {ImmediateOpen: true}}
	}
	secret := func(fingerprint string) {
		r.reg.Configure(t.Context(), map[string]circuitbreaker.Configured{
			r.name: {Settings: rigSettings(auth), Fingerprint: fingerprint},
		})
	}
	secret("old")
	r.breaker = r.reg.Get(r.name)
	underWay := r.acquire()
	secret("new")
	underWay.Failure(r.now, "auth", 0)
	r.want(circuitbreaker.Closed)
	r.wantCount(0)
}

// 3
func TestWhatARestartTransitionsIsPublishedWithTheBreakersOwnSettings(t *testing.T) {
	observes := func(s *circuitbreaker.Settings) { s.Enforce = false }
	for order, restoredFirst := range map[string]bool{"configured first": false, "restored first": true} {
		t.Run(order, func(t *testing.T) {
			r := newRig(t, observes)
			r.fail(5, "server_error")
			r.pass(time.Hour)
			r.acquire() // a probe, which dies with the process
			r.flush()
			reg := circuitbreaker.NewRegistry(circuitbreaker.Options{
				Store: r.store, Now: func() time.Time { return r.now }, Logger: slog.New(slog.DiscardHandler),
			})
			names := map[string]circuitbreaker.Configured{r.name: {Settings: rigSettings(observes)}}
			if !restoredFirst {
				reg.Configure(t.Context(), names)
			}
			if err := reg.Restore(t.Context()); err != nil {
				t.Fatal(err)
			}
			reg.Configure(t.Context(), names)
			ts := reg.Transitions(r.name)
			if last := ts[len(ts)-1]; last.Reason != circuitbreaker.ReasonRestored || last.Enforce {
				t.Errorf("%+v, want restored and not enforced", last)
			}
		})
	}
}

// 2, three breakers for one request
func TestARefusalInTheMiddleOfAPathGivesBackWhatWasTaken(t *testing.T) {
	r := newRig(t)
	r.probing()
	// One breaker in two roles: both admit when they are peeked at, but there is one slot.
	path := r.reg.Path("", r.name, r.name)
	var ps circuitbreaker.Permits
	if refused := path.Acquire(&ps, r.ask()); refused == nil || refused.Reason != circuitbreaker.ReasonProbing {
		t.Fatalf("refused %v, want probing", refused)
	}
	if got := r.status().ProbesInFlight; got != 0 {
		t.Errorf("%d probes in flight, want none", got)
	}
}
