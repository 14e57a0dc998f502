module github.com/ohmroute/ohmroute/bench

go 1.26.0

require (
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/goccy/go-yaml v1.19.2
	github.com/mercari/go-circuitbreaker v0.0.2
	github.com/sony/gobreaker/v2 v2.4.0
	golang.org/x/sys v0.50.0
)

require (
	github.com/benbjohnson/clock v1.3.0 // indirect
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/cenkalti/backoff/v3 v3.1.1 // indirect
)
