package combo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// act is what an upstream does with one attempt.
type act struct {
	after  time.Duration // before it answers
	fail   *providers.Failure
	chunks []beat // of a stream; nil: a plain answer
	body   string // of a plain answer
	raises bool   // panics
}

// beat is one read of a stream.
type beat struct {
	after time.Duration
	chunk providers.Chunk
	err   error
}

// call is one attempt as an upstream saw it.
type call struct {
	target string // provider/model
	key    string
	at     time.Time
	limits providers.Limits
}

// stage is where all upstreams of a test play: acts by "provider/model" or "provider/model@key", the last one again
// and again. A target without acts answers "hello".
type stage struct {
	mu    sync.Mutex
	acts  map[string][]act
	calls []call
}

// upstream is a providers.Provider that plays its acts on the stage.
type upstream struct {
	id    string
	stage *stage
}

func (u upstream) Send(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
	next := u.stage.next(call{target: u.id + "/" + a.Model, key: a.Key.Name, at: time.Now(), limits: a.Limits})
	if next.raises {
		panic("a bug in the provider")
	}
	limit, name := a.Limits.Response, "response"
	if a.Stream {
		limit, name = a.Limits.FirstToken, "first_token"
	}
	if f := pass(ctx, next.after, limit, name); f != nil {
		return nil, f
	}
	if next.fail != nil {
		return nil, next.fail
	}
	if a.Stream && next.chunks == nil {
		next.chunks = []beat{said(next.body), done()}
	}
	return &providers.Answer{
		Status: 200, ContentType: "application/json", UpstreamID: "up-1", Stream: a.Stream,
		Events: &events{ctx: ctx, act: next, stream: a.Stream, limit: limit},
	}, nil
}

func (s *stage) next(c call) act {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	for _, name := range []string{c.target + "@" + c.key, c.target} {
		if acts := s.acts[name]; len(acts) > 0 {
			if len(acts) > 1 {
				s.acts[name] = acts[1:]
			}
			return acts[0]
		}
	}
	return act{body: "hello"}
}

// pass lets time go by, unless a limit or the context ends it.
func pass(ctx context.Context, d, limit time.Duration, name string) *providers.Failure {
	limited := limit > 0 && limit < d
	if limited {
		d = limit
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		if limited {
			return &providers.Failure{Kind: providers.Timeout, Err: &providers.LimitError{Limit: name, After: limit}}
		}
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

func ended(ctx context.Context) *providers.Failure {
	if limit, ok := errors.AsType[*providers.LimitError](context.Cause(ctx)); ok {
		return &providers.Failure{Kind: providers.Timeout, Err: limit}
	}
	return &providers.Failure{Kind: providers.Canceled, Err: context.Cause(ctx)}
}

// events plays the beats of a stream, or one plain body.
type events struct {
	ctx       context.Context //nolint:containedctx // as real providers, whose events live under the attempt's context
	act       act
	stream    bool
	limit     time.Duration
	committed bool
	spoken    bool
	closed    chan struct{}
}

func (e *events) Next() (providers.Chunk, error) {
	if !e.stream {
		if e.spoken {
			return providers.Chunk{}, io.EOF
		}
		e.spoken = true
		return providers.Chunk{Data: []byte(e.act.body), Meaningful: true, Done: true, Usage: &providers.Usage{OutputTokens: 1}}, nil
	}
	if len(e.act.chunks) == 0 {
		return providers.Chunk{}, io.EOF
	}
	b := e.act.chunks[0]
	e.act.chunks = e.act.chunks[1:]
	limit := e.limit
	if e.spoken {
		limit = 0
	}
	if f := pass(e.ctx, b.after, limit, "first_token"); f != nil {
		return providers.Chunk{}, e.truncated(f)
	}
	e.spoken = e.spoken || b.chunk.Meaningful
	if f, ok := errors.AsType[*providers.Failure](b.err); ok {
		return providers.Chunk{}, e.truncated(f)
	}
	return b.chunk, b.err
}

func (e *events) truncated(f *providers.Failure) *providers.Failure {
	if e.committed && f.Kind != providers.Canceled {
		f = &providers.Failure{Kind: providers.Truncated, Status: f.Status, Message: f.Message, Err: f.Err}
	}
	return f
}

func (e *events) Commit()      { e.committed = true }
func (e *events) Close() error { return nil }

func said(text string) beat {
	return beat{chunk: providers.Chunk{Data: []byte("data: " + text + "\n\n"), Meaningful: true}}
}

func role() beat { return beat{chunk: providers.Chunk{Data: []byte("data: role\n\n")}} }

func done() beat {
	return beat{chunk: providers.Chunk{Data: []byte("data: [DONE]\n\n"), Done: true, FinishReason: "stop"}}
}

func dies(kind providers.Kind) beat { return beat{err: failure(kind)} }

func (b beat) later(d time.Duration) beat { b.after = d; return b }

func stream(beats ...beat) act { return act{chunks: beats} }

func fails(kind providers.Kind) act { return act{fail: failure(kind)} }

func failsWith(kind providers.Kind, hint time.Duration) act {
	f := failure(kind)
	f.Hint = hint
	return act{fail: f}
}

func hangs() act { return act{after: 24 * time.Hour} }

// failure is a failure as the classifier would make it.
func failure(kind providers.Kind) *providers.Failure {
	f := &providers.Failure{Kind: kind, Status: upstreamStatus[kind], Message: "upstream says " + string(kind)}
	if rule, _ := providers.RuleOf(kind); rule.Client.AsIs {
		f.Body, f.ContentType = []byte(`{"error":"`+string(kind)+`"}`), "application/json"
	}
	return f
}

var upstreamStatus = map[providers.Kind]int{
	providers.RateLimit: 429, providers.QuotaExhausted: 429, providers.Billing: 402, providers.Auth: 401,
	providers.Permission: 403, providers.ModelNotFound: 404, providers.ContextLength: 400, providers.ContentPolicy: 400,
	providers.Unsupported: 400, providers.ClientError: 422, providers.Overloaded: 503, providers.ServerError: 500,
	providers.Malformed: 200, providers.Truncated: 200, providers.ModelFault: 400,
}

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
	for _, name := range strings.Fields(targets) {
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
		if h.state.slots.used != 0 || len(h.state.slots.queue) != 0 {
			r.t.Errorf("%s: %d slots taken, %d waiting", id, h.state.slots.used, len(h.state.slots.queue))
		}
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
		if err == io.EOF {
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

func sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

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
