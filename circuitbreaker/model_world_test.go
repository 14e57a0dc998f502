package circuitbreaker_test

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

// source decides what happens next: rapid in the property test, the input's bytes in the fuzz target.
type source interface {
	pick(n int) int // 0 to n-1
}

// referee is told about a disagreement: *testing.T or *rapid.T.
type referee interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
}

var epoch = time.UnixMilli(1_700_000_000_000).UTC()

// The breakers of the model's world: a provider with one key and two models, walked along every kind of path.
var (
	theProvider = circuitbreaker.ProviderName("p")
	theKey      = circuitbreaker.KeyName("p", "k")
	modelA      = circuitbreaker.TargetName("p", "a")
	modelB      = circuitbreaker.TargetName("p", "b")
	worldNames  = []string{theKey, theProvider, modelA, modelB}
	worldPaths  = [][3]string{
		{theProvider, theKey, modelA},
		{theProvider, theKey, modelB},
		{"", "", modelA},
		{theProvider, "", modelB},
		{theProvider, theKey, ""},
	}
	worldKinds = []circuitbreaker.Kind{"server_error", "rate_limit", "auth"}
)

// world drives a registry and one machine per name with the same steps.
type world struct {
	t        referee
	names    []string
	paths    [][3]string
	src      source
	now      time.Duration
	steps    int
	store    *storetest.Memory
	registry *circuitbreaker.Registry
	machines map[string]*machine
	secret   string                             // of the key: its fingerprint
	ways     map[[3]string]*circuitbreaker.Path // made once, as a router does
	breakers map[string]*circuitbreaker.Breaker // kept by somebody for as long as the process lives
	held     []*holding
	spare    []*circuitbreaker.Permits    // settled, to be used again
	walks    [3][]begun                   // the parks that each walk under way began, and ignores
	recent   []step                       // the last steps, for the report of a disagreement
	checked  map[string]int               // how many moves of a machine were compared
	entered  map[circuitbreaker.State]int // transitions to each state
}

// step is one line of the report.
type step struct {
	now    time.Duration
	format string
	args   []any
}

// holding is a permit of the package beside the tickets of the model: the three of a path, or the one of a breaker.
type holding struct {
	path    *circuitbreaker.Permits
	one     *circuitbreaker.Permit
	tickets []*ticket
	walk    int // whose request it is, noWalk if nobody asks again for it
}

// noWalk is no walk.
const noWalk = -1

// begun is a park as both sides number it.
type begun struct {
	of     *machine
	number int
	real   uint64
}

func newWorld(t referee, src source) *world {
	w := &world{t: t, src: src, secret: "hmac", names: worldNames, paths: worldPaths, entered: map[circuitbreaker.State]int{}, machines: map[string]*machine{}}
	for _, name := range w.names {
		w.machines[name] = newMachine(name, drawSettings(src))
	}
	w.begin()
	return w
}

// begin starts the first process, with an empty disk.
func (w *world) begin() {
	w.store, w.checked = storetest.NewMemory(), map[string]int{}
	w.boot()
}

// boot makes a registry on what the store holds, as a process does that starts. The configuration may be there before what was
// learned, or after it.
func (w *world) boot() {
	w.registry = circuitbreaker.NewRegistry(circuitbreaker.Options{
		Store: w.store, Now: w.clock, Logger: slog.New(slog.DiscardHandler), FlushInterval: flushInterval, IdleAfter: 1000 * time.Hour,
	})
	w.ways, w.breakers = map[[3]string]*circuitbreaker.Path{}, map[string]*circuitbreaker.Breaker{}
	configured := w.src.pick(2) == 1
	if configured {
		w.configure()
	}
	if err := w.registry.Restore(w.t.Context()); err != nil {
		w.t.Fatalf("restore: %v", err)
	}
	if !configured {
		w.configure()
	}
}

// path is the way of these names, made at its first use, and now and then made anew.
func (w *world) path(names [3]string) *circuitbreaker.Path {
	if w.ways[names] == nil || w.src.pick(16) == 15 {
		w.ways[names] = w.registry.Path(names[0], names[1], names[2])
	}
	return w.ways[names]
}

// breaker is like path.
func (w *world) breaker(name string) *circuitbreaker.Breaker {
	if w.breakers[name] == nil || w.src.pick(4) == 3 {
		w.breakers[name] = w.registry.Get(name)
	}
	return w.breakers[name]
}

func (w *world) clock() time.Time { return epoch.Add(w.now) }

func (w *world) at(d time.Duration) time.Time {
	if d == never {
		return time.Time{}
	}
	return epoch.Add(d)
}

func (w *world) machinesOf(names ...string) []*machine {
	var ms []*machine
	for _, name := range names {
		if name != "" {
			ms = append(ms, w.machines[name])
		}
	}
	return ms
}

// askAll is Path.Acquire: peek at all; if all admit, acquire one after the other.
func askAll(ms []*machine, now, lease time.Duration, ignore func(*machine) []int) ([]*ticket, []*refusal) {
	if rs := peekAll(ms, now, ignore); len(rs) > 0 {
		return nil, rs
	}
	var ts []*ticket
	for _, m := range ms {
		t, _ := m.ask(now, lease, ignore(m))
		ts = append(ts, t)
	}
	return ts, nil
}

// forceAll is Path.AcquireForced: only ISOLATED refuses; each breaker is forced only if it refuses.
func forceAll(ms []*machine, now, lease time.Duration, ignore func(*machine) []int) ([]*ticket, []*refusal) {
	var rs []*refusal
	for _, m := range ms {
		if m.state == circuitbreaker.Isolated {
			rs = append(rs, m.peek(now, nil))
		}
	}
	if len(rs) > 0 {
		return nil, rs
	}
	var ts []*ticket
	for _, m := range ms {
		t, _ := m.force(now, lease, ignore(m))
		ts = append(ts, t)
	}
	return ts, nil
}

// peekAll gives the refusals that may be reported: those with the longest retry-after, which is more than any time if there is
// none to give.
func peekAll(ms []*machine, now time.Duration, ignore func(*machine) []int) []*refusal {
	var rs []*refusal
	for _, m := range ms {
		if r := m.peek(now, ignore(m)); r != nil {
			rs = append(rs, r)
		}
	}
	if len(rs) == 0 {
		return nil
	}
	far := func(r *refusal) time.Duration {
		if r.retryAt == never {
			return 1<<63 - 1
		}
		return r.retryAt
	}
	longest := slices.MaxFunc(rs, func(a, b *refusal) int { return int(min(max(far(a)-far(b), -1), 1)) })
	return slices.DeleteFunc(rs, func(r *refusal) bool { return far(r) != far(longest) })
}
