package combo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a router over upstreams on a stage. The combo "c" has the targets of the test; nothing is jittered.
type rig struct {
	*stage
	t        *testing.T
	cfg      *Config
	router   *Router
	breakers *circuitbreaker.Registry
	draw     float64 // what the router draws
}

// newRig makes a rig for targets "provider/model ...". change may alter the configuration. Call it in a bubble.
func newRig(t *testing.T, targets string, change ...func(c *Config)) *rig {
	t.Helper()
	r := &rig{t: t, stage: &stage{acts: map[string][]act{}}, draw: 0.5}
	c := DefaultCombo()
	c.Name = "c"
	r.cfg = &Config{Providers: map[string]*Provider{}, Combos: map[string]*Combo{"c": &c}, Aliases: map[string]string{}, Direct: DefaultCombo()}
	for name := range strings.FieldsSeq(targets) {
		c.Targets = append(c.Targets, r.target(name))
	}
	for _, f := range change {
		f(r.cfg)
	}
	settings := circuitbreaker.DefaultSettings()
	settings.Jitter = 0
	settings.Kinds = providers.DefaultRules().BreakerKinds(true)
	r.breakers = circuitbreaker.NewRegistry(circuitbreaker.Options{Default: settings, TrackPermits: true})
	r.breakers.Configure(t.Context(), r.names(settings))
	r.router = NewRouter(r.cfg, r.breakers, Options{Rand: func() float64 { return r.draw }})
	t.Cleanup(r.settled)
	return r
}

// names are the breakers of the configuration.
func (r *rig) names(s circuitbreaker.Settings) map[string]circuitbreaker.Configured {
	names := map[string]circuitbreaker.Configured{}
	for id, p := range r.cfg.Providers {
		names[circuitbreaker.ProviderName(id)] = circuitbreaker.Configured{Settings: s}
		for _, k := range p.Keys {
			names[circuitbreaker.KeyName(id, k.Name)] = circuitbreaker.Configured{Settings: s}
		}
	}
	for _, c := range r.cfg.Combos {
		for _, t := range c.Targets {
			names[circuitbreaker.TargetName(t.Provider, t.Model)] = circuitbreaker.Configured{Settings: s}
		}
	}
	return names
}

// target names a target of the rig, whose provider is made if need be.
func (r *rig) target(name string) Target {
	id, model, _ := strings.Cut(name, "/")
	if r.cfg.Providers[id] == nil {
		r.cfg.Providers[id] = &Provider{ID: id, Kind: "demo", Client: upstream{id, r.stage}, Limits: DefaultLimits(), Enabled: true}
	}
	return Target{Provider: id, Model: model}
}

// settled fails the test if anything that an attempt takes is still taken.
func (r *rig) settled() {
	r.t.Helper()
	if left := r.breakers.Unsettled(); len(left) > 0 {
		r.t.Errorf("permits left unsettled: %v", left)
	}
	table := r.router.table.Load()
	states := map[string]*targetState{}
	for name, l := range table.legs {
		states[name] = l.state
	}
	for id, h := range table.hosts {
		states[id+"/(unlisted)"] = &h.state.unlisted
		h.state.slots.mu.Lock()
		if h.state.slots.used != 0 || len(h.state.slots.queue) != 0 {
			r.t.Errorf("%s: %d slots taken, %d waiting", id, h.state.slots.used, len(h.state.slots.queue))
		}
		h.state.slots.mu.Unlock()
		if h.state.retries.underWay != 0 {
			r.t.Errorf("%s: %d retries under way", id, h.state.retries.underWay)
		}
	}
	for name, s := range states {
		if n := s.inFlight.Load(); n != 0 {
			r.t.Errorf("%s: %d requests under way", name, n)
		}
		if len(s.tokens.waiting) != 0 {
			r.t.Errorf("%s: %d wait for a first token", name, len(s.tokens.waiting))
		}
		if s.measuring.Load() {
			r.t.Errorf("%s: still being measured", name)
		}
	}
	for _, n := range table.nodes {
		if n.state.waiting.Load() != 0 {
			r.t.Errorf("%s: somebody still waits", n.Name)
		}
	}
}

// plays sets what a target does, attempt by attempt.
func (r *rig) plays(target string, acts ...act) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts[target] = acts
}

// asked are the targets asked so far, in order, with their keys if they have some; it forgets them.
func (r *rig) asked() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, c := range r.calls {
		name := c.target
		if c.key != "" {
			name += "@" + c.key
		}
		names = append(names, name)
	}
	r.calls = nil
	return strings.Join(names, " ")
}

// said is what came of a request.
type result struct {
	text   string // the bytes that the client got
	answer *Answer
	err    *Error // before or after the commit
	took   time.Duration
}

// report is the request's.
func (r result) report() Report {
	if r.answer != nil {
		return r.answer.Report()
	}
	return r.err.Report()
}

// ask sends a plain request for a model.
func (r *rig) ask(model string) result { r.t.Helper(); return r.send(r.t.Context(), r.request(model)) }

// stream sends a streamed request for a model.
func (r *rig) stream(model string) result {
	r.t.Helper()
	req := r.request(model)
	req.Stream = true
	return r.send(r.t.Context(), req)
}

func (r *rig) request(model string) *providers.Request {
	return &providers.Request{Endpoint: providers.Chat, Model: model, Body: []byte(`{"model":"` + model + `"}`), Start: time.Now(), RequestID: "req-1"}
}

// send routes a request and reads its answer to the end.
func (r *rig) send(ctx context.Context, req *providers.Request) result {
	r.t.Helper()
	begin := time.Now()
	a, err := r.router.Route(ctx, req)
	if err != nil {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			r.t.Fatalf("Route: %T %v, want an *Error", err, err)
		}
		return result{err: e, took: time.Since(begin)}
	}
	defer a.Close()
	res := result{answer: a}
	var text strings.Builder
	for {
		data, err := a.Next()
		text.Write(data)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			res.err, _ = errors.AsType[*Error](err)
			break
		}
	}
	res.text, res.took = text.String(), time.Since(begin)
	return res
}

// trip makes a breaker refuse: OPEN for its reset timeout.
func (r *rig) trip(name string) {
	r.t.Helper()
	for range 5 {
		var p circuitbreaker.Permit
		if e := r.breakers.Get(name).AcquireForced(&p, circuitbreaker.Ask{Now: time.Now()}, "test"); e != nil {
			r.t.Fatal(e)
		}
		p.Failure(time.Now(), providers.ServerError, 0)
	}
	r.state(name, circuitbreaker.Open)
}

// park makes a breaker refuse for a while with a single failure.
func (r *rig) park(name string, hint time.Duration) {
	r.t.Helper()
	var p circuitbreaker.Permit
	if e := r.breakers.Get(name).Acquire(&p, circuitbreaker.Ask{Now: time.Now()}); e != nil {
		r.t.Fatal(e)
	}
	if p.Failure(time.Now(), providers.ServerError, hint) == 0 {
		r.t.Fatalf("%s was not parked", name)
	}
}

// state fails the test if a breaker is in another state.
func (r *rig) state(name string, want circuitbreaker.State) {
	r.t.Helper()
	if s, _ := r.breakers.Status(name, time.Now()); s.State != want {
		r.t.Errorf("%s is %s, want %s", name, s.State, want)
	}
}

// counts fails the test if the breakers have counted other failures; those that are not named have none.
func (r *rig) counts(want map[string]int) {
	r.t.Helper()
	got := map[string]int{}
	for _, s := range r.breakers.List(time.Now()) {
		if s.FailureCount != 0 {
			got[s.Name] = s.FailureCount
		}
	}
	if !maps.Equal(got, want) {
		r.t.Errorf("failures counted: %v, want %v", got, want)
	}
}

// sayAttempts writes attempts shortly: "a/m failed:timeout, b/m ok".
func sayAttempts(attempts []Attempt) string {
	var words []string
	for _, a := range attempts {
		s := fmt.Sprintf("%s/%s %s", a.Provider, a.Model, a.Outcome)
		if a.Key != "" {
			s = fmt.Sprintf("%s/%s@%s %s", a.Provider, a.Model, a.Key, a.Outcome)
		}
		if detail := string(a.Kind) + string(a.SkipReason); detail != "" {
			s += ":" + detail
		}
		if a.Forced {
			s += " forced"
		}
		words = append(words, s)
	}
	return strings.Join(words, ", ")
}

func wantAttempts(t *testing.T, got []Attempt, want ...string) {
	t.Helper()
	if s := sayAttempts(got); s != strings.Join(want, ", ") {
		t.Errorf("attempts: %s\nwant:     %s", s, strings.Join(want, ", "))
	}
}

// keys gives a provider keys of weight 1.
func keys(names ...string) []providers.Key {
	var keys []providers.Key
	for _, name := range names {
		keys = append(keys, providers.Key{Name: name, Secret: "secret-" + name, Weight: 1})
	}
	return keys
}

// with changes the combo "c" of a rig.
func with(change func(c *Combo)) func(*Config) {
	return func(cfg *Config) { change(cfg.Combos["c"]) }
}

// provider changes one provider of a rig.
func provider(id string, change func(p *Provider)) func(*Config) {
	return func(cfg *Config) { change(cfg.Providers[id]) }
}

// wait lets time go by.
func (r *rig) wait(d time.Duration) { <-time.After(d) }

// probe takes the probe of a breaker whose wait has passed, until the test ends.
func (r *rig) probe(name string) *circuitbreaker.Permit {
	r.t.Helper()
	p := new(circuitbreaker.Permit)
	if e := r.breakers.Get(name).Acquire(p, circuitbreaker.Ask{Now: time.Now()}); e != nil || !p.Probe() {
		r.t.Fatalf("no probe of %s: %v", name, e)
	}
	r.later(func() { p.NoVerdict(time.Now()) })
	return p
}

// later does something at the end of the test, before what is left is looked for.
func (r *rig) later(f func()) { r.t.Cleanup(f) }

// change changes a provider of the running configuration.
func (r *rig) change(id string, change func(p *Provider)) {
	next := *r.cfg
	next.Providers = maps.Clone(r.cfg.Providers)
	p := *next.Providers[id]
	change(&p)
	next.Providers[id] = &p
	r.cfg = &next
	r.router.Swap(r.cfg)
}

// model declares something of the model "m" of a provider.
func (r *rig) model(id string, m Model) {
	r.change(id, func(p *Provider) { p.Models = map[string]Model{"m": m} })
}
