package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// constant are the incidents in which every call fails from the fault to its end, so that policies can be compared.
var constant = []string{"dead", "refusing", "hanging", "hanging-mid-stream", "limited", "lying"}

// TestIncidentsAreHiddenFromClientsAndCostLessWithABreaker plays all incidents in a short form. What it wants holds on a
// machine of any speed; how long things take is printed and not judged.
func TestIncidentsAreHiddenFromClientsAndCostLessWithABreaker(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	p := plan{scale: 0.12, rate: 1.2, binary: os.Getenv("BENCH_OHMROUTE")}
	o, err := play(ctx, p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", o.text(p))
	accounts := map[string]account{}
	for i, l := range o.lanes {
		a := o.accounts[i]
		accounts[l.name()] = a
		if a.errors > 0 {
			t.Errorf("%s: %d clients got an error although the other target was well", l.name(), a.errors)
		}
		if a.broken > 0 && !l.incident.streamed && !l.policy.observes && l.incident.name != "slow-death" {
			t.Errorf("%s: %d streams broke", l.name(), a.broken)
		}
		if a.back == never && l.policy.name == "tight" {
			t.Errorf("%s: the target was not asked again within %s of its health", l.name(), o.end-o.health)
		}
	}
	for _, name := range constant {
		observed := accounts[name+"-observe"]
		for _, each := range policies {
			if a := accounts[name+"-"+each.name]; !each.observes && a.wasted*2 > observed.wasted {
				t.Errorf("%s-%s wasted %d calls, %d without a breaker", name, each.name, a.wasted, observed.wasted)
			}
		}
	}
	if broken := accounts["hanging-mid-stream-observe"].broken; broken == 0 {
		t.Error("no stream broke where each had to: the incident was not played")
	}
}

func TestAPlotShowsEveryPolicy(t *testing.T) {
	o := &outcome{fault: time.Second, health: 2 * time.Second, end: 3 * time.Second}
	var lanes []*lane
	for _, each := range policies {
		lanes = append(lanes, &lane{incident: incidents[0], policy: each, records: []record{
			{at: 500 * time.Millisecond, whole: true, first: true, attempts: 1},
			{at: 1500 * time.Millisecond, whole: true, attempts: 2},
			{at: 1600 * time.Millisecond, attempts: 2},
		}})
	}
	svg := o.svg(lanes)
	for _, each := range policies {
		if !strings.Contains(svg, ">"+each.name+"</text>") {
			t.Errorf("no row %s", each.name)
		}
	}
	if n := strings.Count(svg, "<path"); n != len(drawn)*len(policies) {
		t.Errorf("%d areas, want %d", n, len(drawn)*len(policies))
	}
}

func TestAnAccountCountsWhatClientsSawFromTheFaultOn(t *testing.T) {
	const second = time.Second
	l := &lane{policy: policies[0], records: []record{
		{at: 0, took: 10 * time.Millisecond, whole: true, first: true, attempts: 1},
		{at: 10 * second, took: 30 * time.Millisecond, whole: true, attempts: 2},
		{at: 11 * second, took: time.Millisecond, began: true, attempts: 1},
		{at: 12 * second, took: time.Millisecond, attempts: 2},
		{at: 20 * second, took: 5 * time.Millisecond, whole: true, attempts: 1},
		{at: 22 * second, took: 5 * time.Millisecond, whole: true, first: true, attempts: 1},
	}}
	got := l.account(10*second, 20*second, 13*second)
	want := account{
		requests: 5, errors: 1, broken: 1, wasted: 4, added: 20 * time.Millisecond,
		stopped: 3 * second, back: 2*second + 5*time.Millisecond,
	}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
