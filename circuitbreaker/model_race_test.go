//go:build race

package circuitbreaker_test

// modelSteps are fewer where the race detector makes each ten times as long, though no other goroutine is there to race with: the
// run without it makes the number that breaker.md 9 asks for.
const modelSteps = 20_000
