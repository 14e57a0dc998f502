// Package circuitbreaker says no to a target that fails, and says when to ask
// again.
package circuitbreaker
