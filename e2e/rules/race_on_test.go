//go:build race

package rules

// raced says that the race detector runs, which makes load ten times as dear.
const raced = true
