package rules

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/config/configtest"
	"github.com/ohmroute/ohmroute/db"
	"github.com/ohmroute/ohmroute/e2e/pipes"
	"github.com/ohmroute/ohmroute/providers/providertest"
	"github.com/ohmroute/ohmroute/server"
)

// noJitter is the file of all worlds; a test adds lines, which belong to what their indentation says.
const noJitter = "defaults:\n  breaker:\n    jitter: 0"

const adminToken = "admin-token-of-the-rules"

// world is a running gateway, its upstreams and a client.
type world struct {
	t      *testing.T
	url    string // of the gateway
	client *http.Client
	pipes  *pipes.Listener // nil: a network

	mu    sync.Mutex
	hosts map[string]*host

	stop  context.CancelFunc
	done  chan error
	first []func() // before the server is told to end
	end   []func() // in this order, after the server has ended
}

// virtual runs a test against a gateway whose clock, like the test's, is the bubble's. yaml are further lines
// of its configuration file, see noJitter.
func virtual(t *testing.T, test func(w *world), yaml ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, circuitbreaker.Options{TrackPermits: true}, &configtest.Documents{}, pipes.New(), yaml...)
		defer w.close()
		test(w)
	})
}

// both runs a test for a plain request and for a streamed one: the verdict has to be the same.
func both(t *testing.T, test func(w *world, streamed bool), yaml ...string) {
	t.Helper()
	for name, streamed := range map[string]bool{"plain": false, "streamed": true} {
		t.Run(name, func(t *testing.T) { virtual(t, func(w *world) { test(w, streamed) }, yaml...) })
	}
}

// onDisk starts a gateway that listens on TCP and keeps its state in a database. It ends with the test.
func onDisk(t *testing.T, yaml ...string) *world {
	t.Helper()
	store, err := db.Open(t.Context(), db.Options{Path: t.TempDir() + "/ohmroute.db", Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, circuitbreaker.Options{Store: store.Breakers()}, store, nil, yaml...)
	w.end = append(w.end, func() {
		if err := store.Close(); err != nil {
			t.Errorf("database: %v", err)
		}
	})
	t.Cleanup(w.close)
	return w
}

var quiet = slog.New(slog.DiscardHandler)

// newWorld wires a gateway as cmd/ohmroute does.
func newWorld(t *testing.T, o circuitbreaker.Options, store config.Store, p *pipes.Listener, yaml ...string) *world {
	t.Helper()
	w := &world{t: t, url: "http://localhost:4700", pipes: p, hosts: map[string]*host{}, done: make(chan error, 1)}
	file, problems := config.ParseFile([]byte(strings.Join(append([]string{noJitter}, yaml...), "\n")), nil)
	if file == nil {
		t.Fatal(problems)
	}
	sealer, err := config.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	o.Logger = quiet
	breakers := circuitbreaker.NewRegistry(o)
	if err := breakers.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	var router *combo.Router
	live, err := config.OpenLive(t.Context(), config.LiveOptions{
		Store: store, Sealer: sealer, File: file, Logger: quiet, Dial: w.dialer(),
		Apply: func(b *config.Built) {
			breakers.Configure(context.WithoutCancel(t.Context()), b.Breakers)
			if router == nil {
				router = combo.NewRouter(b.Routing, breakers, combo.Options{})
				return
			}
			router.Swap(b.Routing)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	breakers.Start()
	requests, _ := store.(server.RequestStore) // the database's; without it memory does
	srv, err := server.New(server.Options{
		Router: router, Breakers: breakers, Config: live, AdminToken: adminToken, Version: "test", Logger: quiet,
		Settings: file.Server, Requests: requests,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.serve(srv)
	w.end = append(w.end, live.Close, func() {
		if open := breakers.Unsettled(); len(open) > 0 {
			t.Errorf("permits were left unsettled: %v", open)
		}
		if err := breakers.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("breakers: %v", err)
		}
	})
	return w
}

// dialer connects the gateway to its upstreams; nil: over the network.
func (w *world) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	if w.pipes == nil {
		return nil
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		id, _, _ := strings.Cut(address, ".test:")
		w.mu.Lock()
		h := w.hosts[id]
		w.mu.Unlock()
		if h == nil {
			return nil, &net.DNSError{Err: "no such host", Name: address, IsNotFound: true}
		}
		return h.dial(ctx, network, address)
	}
}

// serve starts the server and makes a client for it.
func (w *world) serve(s *server.Server) {
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	w.stop = stop
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256}
	w.client = &http.Client{Transport: transport}
	var l net.Listener = w.pipes
	if w.pipes != nil {
		transport.DialContext = w.pipes.Dial
	} else {
		var err error
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			w.t.Fatal(err)
		}
		w.url = "http://" + l.Addr().String()
	}
	go func() { w.done <- s.Run(ctx, server.Listeners{Client: l}) }()
}

// close ends the gateway and looks at what it leaves behind. It is idempotent.
func (w *world) close() {
	if w.stop == nil {
		return
	}
	for _, f := range w.first {
		f()
	}
	w.stop()
	w.stop = nil
	w.client.CloseIdleConnections()
	if err := <-w.done; err != nil {
		w.t.Errorf("Run: %v", err)
	}
	for _, f := range w.end {
		f()
	}
	w.client.CloseIdleConnections()
}

// atEnd does something while the gateway still runs.
func (w *world) atEnd(f func()) { w.first = append(w.first, f) }

// provider makes a provider of kind openai with an upstream of its own. members are further members of its document.
func (w *world) provider(id string, members ...string) *host {
	w.t.Helper()
	h := w.host(id)
	w.must(http.MethodPost, "/api/v1/providers", object(append([]string{
		`"id":` + quote(id), `"kind":"openai"`, `"base_url":` + quote(h.base),
	}, members...)...))
	return h
}

// host is the upstream of a provider, started when it is first asked for.
func (w *world) host(id string) *host {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.hosts[id]
	if h == nil {
		if w.pipes != nil {
			h = newHost(w.t, id)
		} else {
			up := providertest.NewUpstream(w.t)
			h = &host{Upstream: up, base: up.URL()}
		}
		w.hosts[id] = h
	}
	return h
}

// combo makes a combo. targets are "provider/model", or JSON objects; members are further members of its document.
func (w *world) combo(name, targets string, members ...string) {
	w.t.Helper()
	w.must(http.MethodPost, "/api/v1/combos", comboDocument(name, targets, members...))
}

func comboDocument(name, targets string, members ...string) string {
	var list []string
	for target := range strings.SplitSeq(targets, " ") {
		if target == "" {
			continue
		}
		provider, model, _ := strings.Cut(target, "/")
		weight := ""
		if at := strings.LastIndexByte(model, '*'); at >= 0 {
			model, weight = model[:at], `,"weight":`+model[at+1:]
		}
		only := ""
		if at := strings.LastIndexByte(model, '?'); at >= 0 {
			kinds, err := json.Marshal(strings.Split(model[at+1:], ","))
			if err != nil {
				panic(err)
			}
			model, only = model[:at], `,"only_on":`+string(kinds)
		}
		if provider == "" { // "/name" is another combo
			list = append(list, `{"combo":`+quote(model)+weight+only+`}`)
			continue
		}
		list = append(list, `{"provider":`+quote(provider)+`,"model":`+quote(model)+weight+only+`}`)
	}
	return object(append([]string{`"name":` + quote(name), `"targets":[` + strings.Join(list, ",") + `]`}, members...)...)
}

// pair makes the providers one and two with the model m each and the combo c that asks them in this order.
func (w *world) pair(members ...string) (one, two *host) {
	w.t.Helper()
	one, two = w.provider("one", models, oneKey("one")), w.provider("two", models, oneKey("two"))
	w.combo("c", "one/m two/m", members...)
	two.Script("", "chat from two")
	return one, two
}

// models is the list of models of most providers.
const models = `"models":["m"]`

// oneKey is the key k, whose secret names the provider.
func oneKey(provider string) string {
	return `"keys":[{"name":"k","value":"sk-secret-of-` + provider + `"}]`
}

func object(members ...string) string { return "{" + strings.Join(members, ",") + "}" }

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// admin calls the admin API.
func (w *world) admin(method, path, body string) *reply {
	w.t.Helper()
	return w.call(w.t.Context(), method, path, body, "Authorization", "Bearer "+adminToken)
}

// must is admin for a call that has to work.
func (w *world) must(method, path, body string) *reply {
	w.t.Helper()
	r := w.admin(method, path, body)
	if r.status >= 300 {
		w.t.Fatalf("%s %s %s answered %d: %s", method, path, body, r.status, r.body)
	}
	return r
}

// read decodes what the admin API shows.
func (w *world) read(path string, v any) {
	w.t.Helper()
	r := w.must(http.MethodGet, path, "")
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		w.t.Fatalf("%s: %v in %s", path, err, r.body)
	}
}

// reset closes every breaker.
func (w *world) reset() {
	w.t.Helper()
	w.must(http.MethodPost, "/api/v1/breakers/reset", `{"include_isolated":true}`)
}

func escaped(name string) string { return url.PathEscape(name) }
