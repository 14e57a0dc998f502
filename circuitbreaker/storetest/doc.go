// Package storetest proves an implementation of circuitbreaker.Store: Run is the suite that each
// must pass. Memory is the smallest one, for tests of what uses a store.
package storetest
