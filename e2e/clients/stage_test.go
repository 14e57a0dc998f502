package clients

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/process"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

const (
	escapedModel = "openai/gpt-4o mini" // clients have to escape it in a path
	unknownModel = "nobody/knows this"
)

// stage is a gateway with a scripted host of each dialect behind it. One client at a time plays on it.
type stage struct {
	gateway *process.Gateway
	hosts   map[string]*providertest.Upstream // by dialect
	key     string                            // of a client
}

// neverOpens are settings of a breaker that keep scenarios apart.
var neverOpens = object{"failure_threshold": 1000000, "cooldown": "0s", "kinds": object{"billing": object{"counts": false}}}

// newStage starts a gateway with a configuration file that has, for every dialect, two providers of the same host and
// a combo for each scenario.
func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{hosts: map[string]*providertest.Upstream{}}
	var providers, combos []object
	for name, d := range dialects {
		s.hosts[name] = providertest.NewUpstream(t)
		for _, id := range []string{name, name + "-first"} {
			provider := object{
				"id": id, "kind": d.kind, "base_url": s.hosts[name].URL(), "breaker_scope": "target", "breaker": neverOpens,
			}
			if d.kind == "openai" {
				provider["dialects"] = []string{name}
			}
			providers = append(providers, provider)
		}
		for _, sc := range scenarios {
			combos = append(combos, sc.combo(name))
		}
	}
	for _, sc := range otherScenarios {
		if sc.name != unknownModel {
			combos = append(combos, object{"name": sc.name, "targets": []object{{"provider": sc.host, "model": "m"}}})
		}
	}

	dir := t.TempDir()
	file := filepath.Join(dir, "ohmroute.yaml")
	if err := os.WriteFile(file, []byte(asJSON(object{"providers": providers, "combos": combos})), 0o600); err != nil {
		t.Fatal(err)
	}
	s.gateway = process.Start(t, filepath.Join(dir, "data"), "--no-demo", "--config", file)
	var made struct{ Key string }
	s.gateway.Must(http.StatusCreated, http.MethodPost, "/api/v1/keys", object{"name": "test"}, &made)
	s.key = made.Key
	return s
}

// played is what came of a scenario.
type played struct {
	result
	name   string // of the scenario
	op     string
	pieces string // of text, as the client told of them while it read a stream
	asked  []providertest.Request
	first  []providertest.Request // those that went to the combo's first target, if the scenario has one
}

// play lets a client do what a scenario says against a target of a dialect.
func (s *stage) play(t *testing.T, c client, endpoint, target string, sc scenario) played {
	t.Helper()
	d, host := dialects[target], s.hosts[target]
	host.Forget()
	host.Script(sc.name, sc.scripts(d)...)
	if sc.first != nil {
		host.Script(firstModel(sc.name), sc.first(d)...)
	}
	r := request{Endpoint: endpoint, Op: sc.op, Model: sc.model(target), Key: s.key}
	if sc.wrongKey {
		r.Key = "wrong"
	}

	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	p := played{name: sc.name, op: sc.op}
	progress := func(piece string) {
		p.pieces += piece
		if sc.leaves {
			leave()
		}
	}
	gone := host.Gone()
	if sc.leaves && sc.op != "stream" {
		go func() {
			if _, err := host.Await(ctx, 1); err == nil {
				leave()
			}
		}()
	}
	p.result = ask(ctx, t, c, r, progress)
	if sc.leaves {
		waiting, cancel := context.WithTimeout(t.Context(), process.Patience)
		defer cancel()
		if err := host.AwaitGone(waiting, gone+1); err != nil {
			t.Error("the client left and its upstream was not cancelled")
		}
	}
	for _, asked := range host.Requests() {
		if asked.Model == firstModel(sc.name) {
			p.first = append(p.first, asked)
		} else {
			p.asked = append(p.asked, asked)
		}
	}
	return p
}
