// Package bench measures ohmroute beside others. It is a module of its own, so that what it measures against is no
// dependency of the product.
//
// The figures of docs/breaker.md are printed by
//
//	go test -run '^$' -bench Breaker -benchmem -cpu 1,2 ./...
//
// Commands of their own are load, which prints docs/performance.md, and failure, which prints docs/failure-incidents.md.
// Both run the real binary on loopback, through package process.
package bench
