package circuitbreaker_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

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
	t.Parallel()
	steps, entered := 0, map[circuitbreaker.State]int{}
	for steps < modelSteps {
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t, draws{t})
			for range rapid.IntRange(1, 1600).Draw(t, "steps") {
				w.step()
				steps++
			}
			for state, n := range w.entered {
				entered[state] += n
			}
		})
	}
	t.Logf("%d steps; transitions to each state: %v", steps, entered)
	if steps < modelSteps {
		t.Errorf("%d steps, want at least %d", steps, modelSteps)
	}
	for state := circuitbreaker.Closed; state <= circuitbreaker.Isolated; state++ {
		if entered[state] < modelSteps/2000 {
			t.Errorf("%d transitions to %s: the steps do not go there", entered[state], state)
		}
	}
}
