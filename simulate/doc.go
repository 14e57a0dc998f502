// Package simulate plays a script of faults and arrivals against a combo and its breakers in virtual time, and tells
// what clients would have seen.
//
//	script + configuration -> Prepare -> a plan: arrivals, and one policy for each variant of the configuration
//	plan -> Run -> for each policy, in a bubble of virtual time:
//	     arrivals -> combo.Router.Route -> circuitbreaker.Registry -> a target that plays its faults
//	     -> what became of each request, each call and each breaker
//	-> Result -> Text, JSON, HTML
//
// Router, breakers and configuration are the product's own, unchanged: they wait with real timers, and in a bubble of
// testing/synctest those timers wait in virtual time. What is played here are the targets only.
//
// # The same seed gives the same bytes
//
// Requests run in goroutines of their own, and a scheduler knows no order. So they take turns: one request runs at a
// time, from its wake-up until it waits again, and among those that wake at the same instant the one that arrived
// first goes first. Whatever is drawn comes from generators made from the seed, one for each purpose.
package simulate
