package circuitbreaker_test

import (
	"testing"

	"pgregory.net/rapid"
)

// modelSteps is how many steps each run of the tests makes at least. Spec: breaker.md 9.
const modelSteps = 100_000

// draws is rapid as a source.
type draws struct{ t *rapid.T }

var pickers = func() (all [128]*rapid.Generator[int]) {
	for n := range all {
		all[n] = rapid.IntRange(0, max(n-1, 0))
	}
	return all
}()

func (d draws) pick(n int) int { return pickers[n].Draw(d.t, "pick") }

func TestThePackageAnswersAsTheModelDoes(t *testing.T) {
	steps, states := 0, map[string]int{}
	for steps < modelSteps {
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t, draws{t})
			for range rapid.IntRange(1, 2000).Draw(t, "steps") {
				w.step()
				steps++
				for _, m := range w.machines {
					states[m.state.String()]++
				}
			}
		})
	}
	t.Logf("%d steps; breakers seen in each state: %v", steps, states)
	if steps < modelSteps {
		t.Errorf("%d steps, want at least %d", steps, modelSteps)
	}
}
