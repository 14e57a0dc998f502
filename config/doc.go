// Package config is what an operator wrote: providers, combos, client keys and the file that may hold them all, read
// strictly, checked as a whole, stored, and turned into the immutable values that the router and the breakers run on.
//
// A document goes one way, whether it came over HTTP as JSON or from the YAML file:
//
//	bytes -> tree -> members of a Provider or a Combo -> checked against the whole -> stored -> Built -> applied
//
// Every step reports all the problems that it finds, each with its path; nothing is applied while one is left.
// Live holds the current configuration and is the only place where it changes.
package config
