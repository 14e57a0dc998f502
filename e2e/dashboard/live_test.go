package dashboard

import (
	"fmt"
	"testing"
)

func TestABreakerGoesThroughAllStatesBeforeTheOperatorsEyes(t *testing.T) {
	w := newWorld(t, brisk, "times 5; "+down, "wait probe; "+up)
	p := w.enter()
	p.state(shaky, "CLOSED")

	w.asks("fast", 3)
	p.state(shaky, "DEGRADED")
	p.says(on(shaky, ".meter"), "3 of 5 failures")
	p.says(on(shaky, ".meter"), "degraded at 3, opens at 5")
	p.says(on(shaky, ".chips"), "server_error3")

	w.asks("fast", 2)
	p.state(shaky, "OPEN")
	p.says(on(shaky, ".card-why"), "too many failures (server_error)")
	p.says(on(shaky, ".wait"), "the next request probes")

	probed := make(chan struct{})
	go func() {
		defer close(probed)
		w.ask("fast")
	}()
	p.state(shaky, "HALF_OPEN")
	p.says(on(shaky, ".wait"), "1 of 1 probes under way")
	w.shaky.Release("probe")
	<-probed
	p.state(shaky, "CLOSED")
	p.says(on(shaky, ".card-why"), "the probe succeeded")

	p.button("Isolate " + shaky)
	p.fill("dialog input", "ada")
	p.fill("dialog .field:nth-of-type(2) input", "moving house")
	p.button("Isolate")
	p.state(shaky, "ISOLATED")
	p.says(on(shaky, ".card-held"), "Held by ada: moving house")
	p.button("Release " + shaky)
	p.button("Release")
	p.state(shaky, "HALF_OPEN")
	if state := w.State(shaky); state != "HALF_OPEN" {
		t.Errorf("the gateway says %s", state)
	}
}

func TestABreakerThatOnlyObservesSaysWhatItWouldDo(t *testing.T) {
	w := newWorld(t, object{"cooldown": "0s", "enforce": false}, down)
	p := w.enter()
	w.asks("fast", 5)
	p.says(on(shaky, ".flag"), "observes only, would be OPEN")
	p.state(shaky, "CLOSED")
}

func TestAParkedBreakerSaysHowLong(t *testing.T) {
	w := newWorld(t, object{"cooldown": "1h"}, down)
	p := w.enter()
	w.ask("fast")
	p.says(on(shaky, ".wait"), "parked for 5")
	p.state(shaky, "CLOSED")
	p.button("Combos")
	p.says(".candidate-row", "skipped, parked after a failure (provider:shaky)")
	p.says(".candidate-row", "asked first")
}

func TestRequestsArriveWithTheirAttempts(t *testing.T) {
	w := newWorld(t, slow, down)
	p := w.enter()
	p.button("Requests")
	p.says(".empty", "No request of this sort")
	w.ask("fast")
	p.says("[data-request] .target", "spare/m")
	p.click("[data-request] button")
	p.says(".waterfall li", "server_error, HTTP 500")
	p.says(".waterfall li", "answered, HTTP 200")
	if n := eval[int](p, `document.querySelectorAll(".waterfall rect").length`); n != 2 {
		t.Errorf("%d bars are drawn", n)
	}
	eval[bool](p, `(() => { const s = document.querySelector("#outcome"); s.value = "failed"; s.dispatchEvent(new Event("change")); return true; })()`)
	p.says(".empty", "No request of this sort")
	w.ask("shaky/m")
	p.says("[data-request] .outcome", "failed")
}

func TestTotalsCountWhatWasAnswered(t *testing.T) {
	w := newWorld(t, slow, down)
	w.asks("fast", 2)
	p := w.enter()
	p.button("Totals")
	p.says(".tile", "Requests2")
	p.says(".bars li", "shaky/m2")
	w.ask("fast")
	p.says(".tile", "Requests3")
}

func TestACountdownRunsToTheNextProbe(t *testing.T) {
	w := newWorld(t, slow, down)
	w.trip(5)
	p := w.enter()
	p.says(on("provider:shaky", ".wait"), "probe in 59 min ")
	const left = `(([, min, s]) => min * 60 + Number(s))(document.querySelector(%s).textContent.match(/(\d+) min (\d+) s/))`
	read := fmt.Sprintf(left, quoted(on("provider:shaky", ".wait")))
	for range 2 {
		before := eval[int](p, read)
		p.await(fmt.Sprintf("%s < %d", read, before))
		if now := eval[int](p, read); now < before-60 {
			t.Errorf("from %d s it jumped to %d s", before, now)
		}
	}
}
