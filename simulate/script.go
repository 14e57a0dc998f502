package simulate

import (
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/providers"
)

// script is what is played, as it was written. Times are counted from the begin of the simulation.
type script struct {
	name     string
	seed     uint64
	combo    string
	targets  []behaviour
	faults   []fault
	arrivals []arrivals
	policies []policy
	config   value // the members of a configuration file; without any, another file has them
}

// behaviour is how a target answers as long as nothing is wrong with it.
type behaviour struct {
	target     string        // provider/model, or a provider for all its models
	firstToken time.Duration // of a stream, after the request
	rest       time.Duration // from the first token to the end; a plain answer comes then
	spread     float64       // both vary by this share, up and down
}

// fault is something wrong with a target for a while. Where several are, each draws in the order of the script, and
// the first that hits is played.
type fault struct {
	target     string
	key        string        // only calls with that key of the provider; empty: all
	from, to   time.Duration // to: unending for the end of the simulation
	kind       string        // a failure kind, hang, slow or flap
	share      float64       // of the calls
	retryAfter time.Duration // the hint that comes with a failure; 0: none
	delay      time.Duration // until a failure; what is added to an answer of a slow target
	down, up   time.Duration // of flap, which begins with down
	with       providers.Kind
	given      map[string]bool // members that stand in the script
	path       string
}

// The kinds of faults that are no kinds of failures.
const (
	hang = "hang" // takes the request and never answers
	slow = "slow" // answers, later
	flap = "flap" // fails and works by turns
)

const (
	unending     = time.Duration(-1)
	defaultDelay = 100 * time.Millisecond
	defaultPhase = 20 * time.Second
)

// arrivals is traffic for a while.
type arrivals struct {
	from, to     time.Duration
	rate         float64 // requests per second
	streamed     float64 // share of them
	distribution string
	sessions     uint64 // clients that come by turns; 0: each request is another one's
}

// The distributions of arrivals.
const (
	steady  = "steady"  // at equal distances
	poisson = "poisson" // at random distances
)

const (
	leastRate = 0.001
	mostRate  = 10_000
)

// configMembers are the members of a configuration file that a script may have.
var configMembers = []string{"defaults", "providers", "combos"}

// readScript reads a script strictly.
func readScript(text []byte) (*script, []config.Problem) {
	root, problems := parse(text)
	if len(problems) > 0 {
		return nil, problems
	}
	s := &script{seed: 1, config: value{sort: isObject}}
	var r reader
	fields := []field{
		r.text("name", &s.name),
		r.count("seed", &s.seed, 1<<63-1),
		r.text("combo", &s.combo),
		objects(&r, "targets", &s.targets, r.behaviour),
		objects(&r, "faults", &s.faults, r.fault),
		objects(&r, "arrivals", &s.arrivals, r.arrivals),
		objects(&r, "policies", &s.policies, r.policy),
	}
	for _, name := range configMembers {
		fields = append(fields, field{name, func(_ string, v *value) {
			s.config.members = append(s.config.members, member{name, *v})
		}})
	}
	r.object("", &root, fields...)
	return s, r.problems
}

func (r *reader) behaviour(path string, v *value, b *behaviour) {
	*b = usual
	r.object(path, v,
		r.text("target", &b.target),
		r.duration("first_token", &b.firstToken),
		r.duration("rest", &b.rest),
		r.decimal("spread", &b.spread, 0, 1),
	)
}

// usual is how a target behaves that the script says nothing about.
var usual = behaviour{firstToken: 500 * time.Millisecond, rest: 2 * time.Second}

func (r *reader) fault(path string, v *value, f *fault) {
	*f = fault{
		to: unending, share: 1, delay: defaultDelay, down: defaultPhase, up: defaultPhase,
		with: providers.ServerError, given: map[string]bool{}, path: path,
	}
	for _, m := range v.members {
		f.given[m.name] = m.value.sort != isNull
	}
	with := string(f.with)
	r.object(path, v,
		r.text("target", &f.target),
		r.text("key", &f.key),
		r.duration("from", &f.from),
		r.duration("to", &f.to),
		r.text("kind", &f.kind),
		r.decimal("share", &f.share, 0, 1),
		r.duration("retry_after", &f.retryAfter),
		r.duration("delay", &f.delay),
		r.duration("down", &f.down),
		r.duration("up", &f.up),
		r.text("with", &with),
	)
	f.with = providers.Kind(with)
}

func (r *reader) arrivals(path string, v *value, a *arrivals) {
	*a = arrivals{to: unending, streamed: 1, distribution: steady}
	r.object(path, v,
		r.duration("from", &a.from),
		r.duration("to", &a.to),
		r.decimal("rate", &a.rate, leastRate, mostRate),
		r.decimal("streamed", &a.streamed, 0, 1),
		r.text("distribution", &a.distribution),
		r.count("sessions", &a.sessions, maxRequests),
	)
}

func (r *reader) policy(path string, v *value, p *policy) {
	p.path, p.over = path, value{sort: isObject}
	fields := []field{r.text("name", &p.name), r.text("combo", &p.combo)}
	for _, name := range configMembers {
		fields = append(fields, field{name, func(_ string, v *value) {
			p.over.members = append(p.over.members, member{name, *v})
		}})
	}
	r.object(path, v, fields...)
}

// covers tells whether a name in a script, of a target or a provider, stands for a target.
func covers(name, target string) bool {
	return name == target || !strings.Contains(name, "/") && strings.HasPrefix(target, name+"/")
}

// hits tells whether a fault is there for a call of a target at a time, sent with a key.
func (f *fault) hits(target, key string, at time.Duration) bool {
	return covers(f.target, target) && (f.key == "" || f.key == key) && f.during(at)
}

// during tells whether a fault is there at a time, and in the phase in which it fails.
func (f *fault) during(t time.Duration) bool {
	if t < f.from || t >= f.to {
		return false
	}
	return f.kind != flap || (t-f.from)%(f.down+f.up) < f.down
}

// failure is the kind that calls fail with; "" for faults whose calls don't fail by themselves.
func (f *fault) failure() providers.Kind {
	switch f.kind {
	case hang, slow:
		return ""
	case flap:
		return f.with
	default:
		return providers.Kind(f.kind)
	}
}
