package simulate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/providers"
)

// maxRequests bounds a simulation.
const maxRequests = 100_000

// checker finds what in a script can't happen. A time that could not be read has been reported and is left alone.
type checker struct {
	reader
	script *script
	end    time.Duration // of the arrivals
	broken map[string]bool
}

// check resolves what the script leaves open, and finds what is impossible. replayed is when a replayed log ends,
// unending without one.
func (s *script) check(earlier []config.Problem, replayed time.Duration) (end time.Duration, problems []config.Problem) {
	c := checker{script: s, broken: map[string]bool{}}
	for _, p := range earlier {
		c.broken[p.Path] = true
	}
	c.arrivals(replayed)
	for i := range s.faults {
		c.fault(&s.faults[i])
	}
	c.targets()
	c.policies()
	return c.end, c.problems
}

// addf reports a problem unless there is one at the path or, for a member, at what has it.
func (c *checker) addf(path, format string, args ...any) {
	above := path[:max(strings.LastIndexByte(path, '.'), 0)]
	if !c.broken[path] && (above == "" || !c.broken[above]) {
		c.reader.addf(path, format, args...)
	}
}

func (c *checker) arrivals(replayed time.Duration) {
	s := c.script
	if replayed != unending {
		if c.end = replayed; len(s.arrivals) > 0 {
			c.addf("arrivals", "must not be there: the log that is replayed has the arrivals")
		}
		return
	}
	if len(s.arrivals) == 0 {
		c.addf("arrivals", "must have at least one element: without requests nothing happens")
	}
	total := 0.0
	for i := range s.arrivals {
		a, path := &s.arrivals[i], at("arrivals", i)
		if a.to == unending {
			c.addf(path+".to", "must be given")
			continue
		}
		if a.from >= a.to {
			c.addf(path+".to", "must be later than from: nothing happens from %s to %s", shortest(a.from), shortest(a.to))
		}
		if a.rate == 0 {
			c.addf(path+".rate", "must be given, in requests per second")
		}
		if a.distribution != steady && a.distribution != poisson {
			c.addf(path+".distribution", "must be %s or %s, not %q", steady, poisson, a.distribution)
		}
		total += a.rate * (a.to - a.from).Seconds()
		c.end = max(c.end, a.to)
	}
	if total > maxRequests {
		c.addf("arrivals", "are about %.0f requests; at most %d can be simulated", math.Ceil(total), maxRequests)
	}
}

func (c *checker) fault(f *fault) {
	if f.to == unending {
		f.to = c.end
	}
	switch known := c.end > 0; {
	case known && f.from >= c.end:
		c.addf(f.path+".from", "is at %s, after the last request (%s): nobody would notice", shortest(f.from), shortest(c.end))
	case f.from >= f.to && known:
		c.addf(f.path+".to", "must be later than from: nothing happens from %s to %s", shortest(f.from), shortest(f.to))
	}
	if f.target == "" {
		c.addf(f.path+".target", "must be given, as provider/model, or a provider for all its models")
	}
	if f.share == 0 {
		c.addf(f.path+".share", "must be over 0: a fault that never hits is none")
	}
	c.kind(f)
	if f.kind == flap && (f.down == 0 || f.up == 0) {
		c.addf(f.path, "flap needs down and up over 0s")
	}
}

// useless are the members of a fault that say nothing in faults of some kinds.
var useless = map[string][]string{
	hang: {"retry_after", "delay", "down", "up", "with"},
	slow: {"retry_after", "down", "up", "with"},
	flap: {},
}

func (c *checker) kind(f *fault) {
	path := f.path + ".kind"
	if f.kind == "" {
		c.addf(path, "must be given: one of %s", strings.Join(kinds(), ", "))
		return
	}
	if !slices.Contains(kinds(), f.kind) {
		c.addf(path, "must be one of %s, not %q", strings.Join(kinds(), ", "), f.kind)
		return
	}
	not, special := useless[f.kind]
	if !special {
		not = []string{"down", "up", "with"}
	}
	for _, name := range not {
		if f.given[name] {
			c.addf(f.path+"."+name, "means nothing in a fault of kind %s", f.kind)
		}
	}
	if f.kind == slow && (!f.given["delay"] || f.delay == 0) {
		c.addf(f.path+".delay", "must be given and over 0s: by how much later a slow target answers")
	}
	if with := string(f.with); f.kind == flap && !slices.Contains(failures(), with) {
		c.addf(f.path+".with", "must be one of %s, not %q", strings.Join(failures(), ", "), with)
	}
}

// kinds are the words for kind.
func kinds() []string { return append(failures(), hang, slow, flap) }

// failures are the kinds of failures that a target can be the cause of: a client that leaves is none.
func failures() []string {
	var names []string
	for _, k := range providers.Kinds() {
		if k != providers.Canceled {
			names = append(names, string(k))
		}
	}
	return names
}

func (c *checker) targets() {
	first := map[string]int{}
	for i := range c.script.targets {
		path, name := at("targets", i)+".target", c.script.targets[i].target
		if name == "" {
			c.addf(path, "must be given, as provider/model, or a provider for all its models")
		} else if j, twice := first[name]; twice {
			c.addf(path, "stands twice: %q is also targets[%d]", name, j)
		}
		first[name] = i
	}
}

func (c *checker) policies() {
	first := map[string]int{}
	for i := range c.script.policies {
		path, name := at("policies", i)+".name", c.script.policies[i].name
		if name == "" {
			c.addf(path, "must be given")
		} else if j, twice := first[name]; twice {
			c.addf(path, "stands twice: %q is also policies[%d]", name, j)
		}
		first[name] = i
	}
}

// reached finds what the script says of targets that no policy reaches, and of keys that no provider has.
func (s *script) reached(targets []string, breakers map[string]circuitbreaker.Configured) []config.Problem {
	var r reader
	look := func(path, name string) {
		if name != "" && !slices.ContainsFunc(targets, func(t string) bool { return covers(name, t) }) {
			r.addf(path, "%q is no target that the combo reaches; these are %s", name, strings.Join(targets, ", "))
		}
	}
	for i := range s.targets {
		look(at("targets", i)+".target", s.targets[i].target)
	}
	for i := range s.faults {
		f := &s.faults[i]
		look(f.path+".target", f.target)
		provider, _, _ := strings.Cut(f.target, "/")
		if _, ok := breakers[circuitbreaker.KeyName(provider, f.key)]; f.key != "" && !ok {
			r.addf(f.path+".key", "provider %q has no key %q", provider, f.key)
		}
	}
	return r.problems
}

// describe says what a fault is, for people.
func (f *fault) describe() string {
	s := f.kind
	switch f.kind {
	case slow:
		s += " by " + shortest(f.delay)
	case flap:
		s += fmt.Sprintf(" (%s, %s down, %s up)", f.with, shortest(f.down), shortest(f.up))
	}
	if f.key != "" {
		s += ", key " + f.key
	}
	if f.share < 1 {
		s += fmt.Sprintf(", %g of calls", f.share)
	}
	if f.retryAfter > 0 {
		s += ", Retry-After " + shortest(f.retryAfter)
	}
	return s
}
