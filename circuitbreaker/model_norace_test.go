//go:build !race

package circuitbreaker_test

// modelSteps is how many steps each run of the tests makes at least. Spec: breaker.md 9.
const modelSteps = 100_000
