package simulate

import (
	"cmp"
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/config"
)

// Input is what a simulation is made of.
type Input struct {
	Script []byte // YAML; nil only if there is a Log
	Config []byte // a configuration file; nil: the script has its members
	Combo  string // what clients name in model; empty: what the script says, or the only combo there is
	Seed   *uint64
	Log    *Log                             // replaces the arrivals, and says what the targets did; nil: none
	Env    func(name string) (string, bool) // for ${NAME} in the configuration; nil: none is set
}

// Plan is a simulation that can be run. It is immutable.
type Plan struct {
	script   *script
	log      *Log
	policies []policy
	requests []arrival
	end      time.Duration // of the arrivals
}

// arrival is one request on its way in.
type arrival struct {
	at       time.Duration
	streamed bool
	session  uint64
	endpoint string
}

// Prepare reads and checks everything, and names every problem with its path; with one there is no plan.
func Prepare(in Input) (*Plan, []config.Problem) {
	if in.Env == nil {
		in.Env = func(string) (string, bool) { return "", false }
	}
	s, problems := &script{seed: 1, config: value{sort: isObject}}, []config.Problem(nil)
	if in.Script != nil {
		if s, problems = readScript(in.Script); s == nil {
			return nil, problems
		}
	}
	if in.Seed != nil {
		s.seed = *in.Seed
	}
	p := &Plan{script: s, log: in.Log}
	replayed := unending
	if in.Log != nil {
		replayed = in.Log.end()
	}
	end, impossible := s.check(problems, replayed)
	p.end = end
	problems = append(append(problems, impossible...), p.build(in)...)
	if problems = once(problems); len(problems) > 0 {
		return nil, problems
	}
	nothing := config.Problem{Path: "arrivals", Message: "bring no request at all"}
	if in.Log == nil {
		p.requests = s.draw()
	} else {
		name := p.traffic(in.Combo)
		p.requests = in.Log.arrivals(name)
		nothing = config.Problem{Message: "the log has no request of combo " + name}
	}
	if len(p.requests) == 0 {
		return nil, []config.Problem{nothing}
	}
	return p, nil
}

// build makes the policies.
func (p *Plan) build(in Input) []config.Problem {
	s := p.script
	b := &base{text: in.Config, tree: s.config, env: in.Env}
	var problems []config.Problem
	if in.Config != nil {
		tree, broken := parse(in.Config)
		if len(broken) > 0 {
			_, broken = config.ParseFile(in.Config, in.Env)
			return broken
		}
		b.tree = tree
		for _, m := range s.config.members {
			problems = append(problems, config.Problem{Path: m.name, Message: "stands in the script, and there is a configuration file too: one has to go"})
		}
	}
	p.policies = slices.Clone(s.policies)
	if len(p.policies) == 0 {
		p.policies = []policy{{name: unchanged}}
	}
	var targets []string
	for i := range p.policies {
		own := &p.policies[i]
		own.combo = cmp.Or(own.combo, in.Combo, s.combo)
		problems = append(problems, own.build(b)...)
		targets = append(targets, own.targets...)
	}
	if len(problems) == 0 {
		slices.Sort(targets)
		problems = s.reached(slices.Compact(targets), p.policies[0].breakers)
	}
	return problems
}

// traffic names the combo whose requests are replayed, as the log names it.
func (p *Plan) traffic(wanted string) string {
	first := &p.policies[0]
	name := cmp.Or(wanted, p.script.combo, first.combo)
	return cmp.Or(first.routing.Aliases[name], name)
}

// once keeps one problem of each path and message: policies share most of theirs.
func once(problems []config.Problem) []config.Problem {
	var kept []config.Problem
	for _, p := range problems {
		if !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// Run plays the plan, once for each policy.
func (p *Plan) Run() (*Result, error) {
	r := p.begun()
	for i := range p.policies {
		w := newWorld(p, &p.policies[i])
		if err := w.run(); err != nil {
			return nil, err
		}
		r.Policies = append(r.Policies, w.result())
	}
	return r, nil
}
