package simulate

import (
	"slices"
	"testing"
)

// Five failures open the breaker for 30 s; then each probe that fails doubles the wait: 30 s, 60 s, 120 s, 240 s. The
// calls at 60 s to 64 s are wasted and the probes at 95 s, 156 s and 277 s; the one at 518 s succeeds.
func TestADeadTargetWastesTheThresholdAndItsProbes(t *testing.T) {
	r, o := play(t, `
arrivals: [{to: 10m, rate: 1, streamed: 0}]
faults: [{target: a/m, from: 1m, to: 6m, kind: server_error}]
`)
	wants(t, map[string]int{
		"requests": r.Requests, "answered": o.Clients.Answered, "first try": o.Clients.FirstTry, "errors": len(o.Clients.Errors),
		"calls in the fault": o.Faults[0].Calls, "wasted": o.Faults[0].Wasted, "probes": o.Targets[0].Probes, "forced": o.Targets[0].Forced,
		"answered by a": o.Targets[0].Answered, "answered by b": o.Targets[1].Answered,
	}, map[string]int{
		"requests": 600, "answered": 600, "first try": 592, "errors": 0,
		"calls in the fault": 8, "wasted": 8, "probes": 4, "forced": 0,
		"answered by a": 60 + 1 + 81, "answered by b": 600 - 142,
	})
	wants(t, map[string]string{
		"stopped": o.Faults[0].Stopped.String(), "recovered": o.Faults[0].Recovered.String(),
		"added p50": o.Clients.Added.P50.String(), "added p99": o.Clients.Added.P99.String(), "lost": o.Targets[0].Lost.String(),
	}, map[string]string{"stopped": "4.1s", "recovered": "2m38.1s", "added p50": "0s", "added p99": "100ms", "lost": "800ms"})
	const want = `1m2.1s provider:a DEGRADED degraded
1m4.1s provider:a OPEN threshold
1m35s provider:a HALF_OPEN probe
1m35.1s provider:a OPEN probe-failed
2m36s provider:a HALF_OPEN probe
2m36.1s provider:a OPEN probe-failed
4m37s provider:a HALF_OPEN probe
4m37.1s provider:a OPEN probe-failed
8m38s provider:a HALF_OPEN probe
8m38.1s provider:a CLOSED probe-succeeded`
	if got := o.story(); got != want {
		t.Errorf("transitions:\n%s\nwant:\n%s", got, want)
	}
}

// One call in 30 s is refused with a hint of 30 s; everything else goes to b.
func TestARetryAfterParksATarget(t *testing.T) {
	_, o := play(t, `
arrivals: [{to: 3m, rate: 2, streamed: 0}]
faults: [{target: a/m, from: 30s, to: 90s, kind: rate_limit, retry_after: 30s}]
`)
	if f := o.Faults[0]; f.Wasted != 2 || f.Calls != 2 {
		t.Errorf("%d of %d calls wasted, want 2 of 2: at 30 s and, after the park, at 60.5 s", f.Wasted, f.Calls)
	}
	if o.Clients.Answered != 360 || o.Faults[0].Stopped != nil {
		t.Errorf("%d answered, stopped after %v", o.Clients.Answered, o.Faults[0].Stopped)
	}
}

func TestAHangLastsUntilTheLimitOfItsAttempt(t *testing.T) {
	_, o := play(t, `
arrivals: [{to: 10s, rate: 1, streamed: 1}]
faults: [{target: a, from: 9s, to: 10s, kind: hang}]
policies: [{name: short, combos: [{name: fast, timeouts: {first_token: 7s}}]}]
`)
	if o.Clients.Answered != 10 || o.Clients.Added.Max.String() != "7s" || o.Faults[0].Wasted != 1 {
		t.Errorf("%+v %+v", o.Clients, o.Faults[0])
	}
}

func TestARequestThatNothingLimitsIsUnfinished(t *testing.T) {
	_, o := play(t, `
arrivals: [{to: 10s, rate: 1, streamed: 0}]
faults: [{target: a, from: 9s, to: 10s, kind: hang}]
policies: [{name: unlimited, combos: [{name: fast, timeouts: {response: 0s}}]}]
`)
	if o.Clients.Answered != 9 || o.Clients.Unfinished != 1 {
		t.Errorf("%+v", o.Clients)
	}
}

func TestASlowTargetAnswersLater(t *testing.T) {
	r, o := run(t, Input{Script: []byte(twoTargets + `
arrivals: [{to: 100s, rate: 1, streamed: 0}]
faults: [{target: a, from: 10s, to: 20s, kind: slow, delay: 3s}]
policies: [{name: patient}, {name: not so, combos: [{name: fast, timeouts: {response: 2s}}]}]
`)})
	if o.Clients.FirstTry != 100 || o.Faults[0].Calls != 10 || o.Faults[0].Wasted != 0 {
		t.Errorf("patient: %+v %+v", o.Clients, o.Faults[0])
	}
	if o := r.Policies[1]; o.Clients.Answered != 100 || o.Faults[0].Wasted == 0 || o.Clients.Added.Max.String() != "2s" {
		t.Errorf("not so patient: %+v %+v", o.Clients, o.Faults[0])
	}
}

// Down from 10 s to 20 s and from 30 s to 40 s: never five failures in a row of the nine calls in between.
func TestAFlappingTargetFailsByTurns(t *testing.T) {
	_, o := play(t, `
arrivals: [{to: 1m, rate: 0.5, streamed: 0}]
faults: [{target: a/m, from: 10s, to: 50s, kind: flap, down: 6s, up: 14s, with: malformed}]
`)
	if f := o.Faults[0]; f.Calls != 20 || f.Wasted != 6 || f.Stopped != nil || o.Clients.Answered != 30 {
		t.Errorf("%+v %+v", f, o.Clients)
	}
}

func TestAStreamThatIsCutIsBrokenOff(t *testing.T) {
	_, o := play(t, `
arrivals: [{to: 3s, rate: 1}]
faults: [{target: a/m, from: 1s, to: 2s, kind: truncated}]
`)
	if o.Clients.Answered != 2 || o.Clients.BrokenOff != 1 || o.Faults[0].Wasted != 1 {
		t.Errorf("%+v %+v", o.Clients, o.Faults[0])
	}
}

func TestAShareOfCallsFails(t *testing.T) {
	_, o := play(t, `
arrivals: [{to: 1000s, rate: 1, streamed: 0}]
faults: [{target: a/m, kind: server_error, share: 0.2}]
`)
	if n := o.Faults[0].Wasted; n < 150 || n > 250 {
		t.Errorf("%d of %d calls failed, want about a fifth", n, o.Faults[0].Calls)
	}
}

func TestEveryKindOfFaultCanBePlayed(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			more := ""
			if kind == slow {
				more = ", delay: 20m" // beyond every limit
			}
			_, o := play(t, "\narrivals: [{to: 10s, rate: 1, streamed: 0.5}]\nfaults: [{target: a, from: 2s, to: 3s, kind: "+kind+more+"}]\n")
			total := o.Clients.Answered + o.Clients.BrokenOff
			for _, n := range o.Clients.Errors {
				total += n
			}
			if o.Faults[0].Calls != 1 || o.Faults[0].Wasted != 1 || total != 10 {
				t.Errorf("%+v, %+v", o.Faults[0], o.Clients)
			}
		})
	}
}

func TestRequestsComeAsOftenAsTheRateSays(t *testing.T) {
	for _, distribution := range []string{steady, poisson} {
		p := prepare(t, Input{Script: []byte(twoTargets + `
arrivals:
  - {to: 1000s, rate: 3, streamed: 0.25, distribution: ` + distribution + `}
  - {from: 100s, to: 200s, rate: 1, streamed: 0}
`)})
		streamed := 0
		for _, a := range p.requests {
			if a.streamed {
				streamed++
			}
		}
		if n := len(p.requests); n < 2900 || n > 3300 || streamed < 600 || streamed > 900 {
			t.Errorf("%s: %d requests, %d streamed, want about 3100 and 750", distribution, n, streamed)
		}
		if !slices.IsSortedFunc(p.requests, func(a, b arrival) int { return int(a.at - b.at) }) {
			t.Errorf("%s: not in order", distribution)
		}
	}
}
