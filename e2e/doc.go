// Package e2e tests the real binary from outside: it is built once, started on a data directory of its own, spoken to
// over HTTP by plain and official clients, killed, and started again.
package e2e
