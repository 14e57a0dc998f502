package dashboard

import (
	"testing"

	"github.com/ohmroute/ohmroute/e2e/process"
)

func TestABreakerGoesThroughAllStatesBeforeTheOperatorsEyes(t *testing.T) {
	w := newWorld(t, brisk, "times 5; "+down, "wait probe; "+up)
	p := w.enter()
	const shaky = "provider:shaky"
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

func TestACountdownRunsToTheNextProbe(t *testing.T) {
	w := newWorld(t, process.Object{"cooldown": "0s", "reset_timeout": "1h", "jitter": 0}, down)
	w.trip()
	p := w.enter()
	p.says(on("provider:shaky", ".wait"), "probe in 59 min 5")
	p.says(on("provider:shaky", ".wait"), "probe in 59 min 58 s")
	p.says(on("provider:shaky", ".wait"), "probe in 59 min 57 s")
}
