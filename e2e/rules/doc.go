// Package rules holds every rule of the routing and failure specifications as a test through HTTP: the whole gateway,
// wired as the program wires it, stands between a client and scripted upstreams, and is seen from outside only, through
// what its clients get, what its upstreams get, and the admin API.
//
// Most tests run in virtual time (testing/synctest) over pipes instead of a network, so that they wait for hours and
// compare times exactly; those of load, aborts and floods run over TCP with a database on disk.
package rules
