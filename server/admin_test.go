package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const breakerPath = "/api/v1/breakers/target%3Ademo%2Fsteady"

func TestProvidersAndCombosOverHTTP(t *testing.T) {
	g := newGateway(t, false)
	provider := `{"id":"up","kind":"openai","base_url":"http://127.0.0.1:1/v1","models":["m"],"keys":[{"name":"k","value":"sk-very-secret"}]}`
	combo := `{"name":"a/b c","targets":[{"provider":"up","model":"m"}]}`

	re := g.admin(http.MethodPost, "/api/v1/providers", provider)
	if re.Code != http.StatusCreated || strings.Contains(re.Body.String(), "sk-very-secret") {
		t.Fatalf("create: %d %s", re.Code, re.Body)
	}
	if re := g.admin(http.MethodPost, "/api/v1/combos", combo); re.Code != http.StatusCreated {
		t.Fatalf("create combo: %d %s", re.Code, re.Body)
	}
	t.Run("a duplicate is a conflict", func(t *testing.T) {
		g.admin(http.MethodPost, "/api/v1/providers", provider).wantError(409, "already_exists")
	})
	t.Run("a name with a slash is reached escaped, and what was read can be put back", func(t *testing.T) {
		const path = "/api/v1/combos/a%2Fb%20c"
		before := g.must(http.MethodGet, path, "")
		after := g.must(http.MethodPut, path, before.Body.String())
		if before.Body.String() != after.Body.String() {
			t.Errorf("before %s\nafter %s", before.Body, after.Body)
		}
	})
	t.Run("a provider that a combo uses stays", func(t *testing.T) {
		e := g.admin(http.MethodDelete, "/api/v1/providers/up", "").wantError(409, "in_use")
		if !strings.Contains(e["message"].(string), "a/b c") {
			t.Errorf("the combo is not named: %v", e)
		}
	})
	t.Run("every problem is told at once with its path", func(t *testing.T) {
		e := g.admin(http.MethodPost, "/api/v1/combos", `{"name":"x","strategi":"priority","targets":[{"provider":"nobody","model":"m"}]}`).
			wantError(400, "validation_failed")
		var paths []string
		for _, d := range e["details"].([]any) {
			paths = append(paths, d.(map[string]any)["path"].(string))
		}
		if !slices.Contains(paths, "strategi") || !slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, "targets[0]") }) {
			t.Errorf("paths %v", paths)
		}
	})
	t.Run("an outdated version is refused with the newer document, and nothing is overwritten", func(t *testing.T) {
		for path, change := range map[string][2]string{
			"/api/v1/providers/up":     {`"enabled":true`, `"enabled":false`},
			"/api/v1/combos/a%2Fb%20c": {`"strategy":"priority"`, `"strategy":"random"`},
		} {
			before := g.must(http.MethodGet, path, "")
			etag, read := before.Header().Get("ETag"), before.Body.String()
			newer := g.must(http.MethodPut, path, strings.Replace(read, change[0], change[1], 1))
			for _, refused := range []reply{
				g.admin(http.MethodPut, path, read, "If-Match", etag),
				g.admin(http.MethodDelete, path, "", "If-Match", etag),
				g.admin(http.MethodPut, path, read),
			} {
				current := refused.wantError(http.StatusConflict, "version_conflict")["current"]
				if !reflect.DeepEqual(current, any(newer.json())) || refused.Header().Get("ETag") != newer.Header().Get("ETag") {
					t.Errorf("%s: %s %s", path, refused.Header().Get("ETag"), refused.Body)
				}
				if strings.Contains(refused.Body.String(), "sk-very-secret") {
					t.Errorf("%s: the answer holds a secret", path)
				}
			}
			if now := g.must(http.MethodGet, path, ""); now.Body.String() != newer.Body.String() {
				t.Errorf("%s: overwritten with %s", path, now.Body)
			}
			if re := g.admin(http.MethodPut, path, read, "If-Match", "*"); re.Code != http.StatusOK {
				t.Errorf("%s: any version is asked for: %d %s", path, re.Code, re.Body)
			}
			g.must(http.MethodPut, path, regexp.MustCompile(`,"version":[0-9]+`).ReplaceAllString(read, ""))
		}
	})
	t.Run("deleting answers 204, and then there is nothing", func(t *testing.T) {
		if re := g.admin(http.MethodDelete, "/api/v1/combos/a%2Fb%20c", ""); re.Code != http.StatusNoContent || re.Body.Len() != 0 {
			t.Errorf("delete: %d %s", re.Code, re.Body)
		}
		g.admin(http.MethodGet, "/api/v1/combos/a%2Fb%20c", "").wantError(404, "not_found")
		g.must(http.MethodDelete, "/api/v1/providers/up", "")
		if list := g.must(http.MethodGet, "/api/v1/providers", "").json()["providers"].([]any); len(list) != 0 {
			t.Errorf("left: %v", list)
		}
	})
}

func TestBreakersOverHTTP(t *testing.T) {
	g := newGateway(t, true)
	t.Run("a configured one that was never used is closed", func(t *testing.T) {
		b := g.must(http.MethodGet, breakerPath, "").json()
		if b["state"] != "CLOSED" || b["persistence"] != "ok" || len(b["transitions"].([]any)) != 0 {
			t.Errorf("%v", b)
		}
	})
	t.Run("isolate says by whom and why, release leads to HALF_OPEN, both are listed", func(t *testing.T) {
		b := g.must(http.MethodPost, breakerPath+"/isolate", `{"by":"me","reason":"maintenance"}`).json()
		held, _ := b["isolated"].(map[string]any)
		if b["state"] != "ISOLATED" || held["by"] != "me" || held["reason"] != "maintenance" {
			t.Errorf("%v", b)
		}
		if b := g.must(http.MethodPost, breakerPath+"/release", "").json(); b["state"] != "HALF_OPEN" {
			t.Errorf("%v", b)
		}
		g.admin(http.MethodPost, breakerPath+"/release", "").wantError(409, "not_isolated")
		var to []string
		for _, tr := range g.must(http.MethodGet, breakerPath, "").json()["transitions"].([]any) {
			to = append(to, tr.(map[string]any)["to"].(string))
		}
		if !slices.Equal(to, []string{"ISOLATED", "HALF_OPEN"}) {
			t.Errorf("transitions to %v", to)
		}
	})
	t.Run("listings are filtered by state and scope", func(t *testing.T) {
		list := g.must(http.MethodGet, "/api/v1/breakers?state=HALF_OPEN&scope=target", "").json()
		breakers := list["breakers"].([]any)
		if len(breakers) != 1 || breakers[0].(map[string]any)["name"] != "target:demo/steady" {
			t.Errorf("%v", breakers)
		}
		if p := list["persistence"].(map[string]any); p["status"] != "ok" || p["oldest_unsaved_ms"] == nil {
			t.Errorf("persistence %v", p)
		}
		g.admin(http.MethodGet, "/api/v1/breakers?state=BROKEN", "").wantError(400, "invalid_parameter")
		g.admin(http.MethodGet, "/api/v1/breakers?scope=galaxy", "").wantError(400, "invalid_parameter")
	})
	t.Run("the fleet's picture lists what is not closed", func(t *testing.T) {
		s := g.must(http.MethodGet, "/api/v1/breaker-state", "").json()
		b := s["breakers"].([]any)
		if len(b) != 1 || b[0].(map[string]any)["half_open_on"].([]any)[0] != "local" || len(s["instances"].([]any)) != 1 {
			t.Errorf("%v", s)
		}
	})
	t.Run("reset all leaves isolated ones unless told, and says so", func(t *testing.T) {
		g.must(http.MethodPost, "/api/v1/breakers/target%3Ademo%2Fflaky/isolate", "")
		r := g.must(http.MethodPost, "/api/v1/breakers/reset", "").json()
		if len(r["isolated"].([]any)) != 1 || !slices.Contains(r["reset"].([]any), any("target:demo/steady")) {
			t.Errorf("%v", r)
		}
		r = g.must(http.MethodPost, "/api/v1/breakers/reset", `{"include_isolated":true}`).json()
		if len(r["isolated"].([]any)) != 0 {
			t.Errorf("%v", r)
		}
		if b := g.must(http.MethodPost, breakerPath+"/reset", "").json(); b["state"] != "CLOSED" {
			t.Errorf("%v", b)
		}
	})
	t.Run("bad input is refused", func(t *testing.T) {
		g.admin(http.MethodGet, "/api/v1/breakers/target%3Ademo%2Fnobody", "").wantError(404, "not_found")
		g.admin(http.MethodPost, "/api/v1/breakers/nobody/reset", "").wantError(404, "not_found")
		g.admin(http.MethodPost, "/api/v1/breakers/reset", `{"include_isolatet":true}`).wantError(400, "invalid_json")
		for body, want := range map[string][]any{
			`{"by":7}`:                        {"by", "must be a string"},
			`{"include_isolated":"yes"}`:      {"include_isolated", "must be true or false"},
			`{"by":"me","resaon":"x"}`:        {"resaon", "unknown member"},
			`{"By":"me"}`:                     {"By", "unknown member"},
			`[]`:                              {"", "the body must be an object"},
			`{"by":"me"} {}`:                  {"", "the body is not JSON, or goes on after its JSON value"},
			`{"include_isolated":1,"all":[]}`: {"all", "unknown member", "include_isolated", "must be true or false"},
		} {
			path := breakerPath + "/isolate"
			if strings.Contains(body, "include") {
				path = "/api/v1/breakers/reset"
			}
			var got []any
			for _, d := range g.admin(http.MethodPost, path, body).wantError(400, "invalid_json")["details"].([]any) {
				got = append(got, d.(map[string]any)["path"], d.(map[string]any)["message"])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", body, got, want)
			}
		}
		g.admin(http.MethodPost, breakerPath+"/isolate", `{"by":"a\nb"}`).wantError(400, "invalid_parameter")
		g.admin(http.MethodPost, breakerPath+"/isolate", `{"reason":"`+strings.Repeat("x", 501)+`"}`).wantError(400, "invalid_parameter")
		g.admin(http.MethodPost, "/api/v1/providers", strings.Repeat(" ", maxAdminBody+1)).wantError(413, "request_too_large")
	})
}

func TestExplainChangesNothing(t *testing.T) {
	g := newGateway(t, true)
	g.must(http.MethodPost, "/api/v1/breakers/target%3Ademo%2Fflaky/isolate", `{}`)
	look := func() string { // when a breaker was first looked up is no state of it
		return updatedAt.ReplaceAllString(g.must(http.MethodGet, "/api/v1/breakers", "").Body.String(), "")
	}
	before := look()
	for name, body := range map[string]string{
		"without a request":          "",
		"with a request":             `{"model":"demo","messages":[{"role":"user","content":"x"}]}`,
		"with one that has no model": `{"messages":[{"role":"user","content":"x"}]}`,
		"with an empty one":          `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := g.must(http.MethodPost, "/api/v1/combos/demo/explain", body).json()["candidates"].([]any)
			first := c[0].(map[string]any)
			if len(c) != 2 || first["admitted"] != false || first["skip_reason"] != "isolated" {
				t.Errorf("%v", c)
			}
		})
	}
	g.admin(http.MethodPost, "/api/v1/combos/nobody/explain", "").wantError(404, "model_not_found")
	g.admin(http.MethodPost, "/api/v1/combos/demo/explain", "{").envelope()
	if after := look(); before != after {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

var updatedAt = regexp.MustCompile(`"updated_at":[^,}]*`)

func TestProviderTestAsksEveryModelPastTheBreakers(t *testing.T) {
	g := newGateway(t, true)
	g.must(http.MethodPost, breakerPath+"/isolate", `{}`)
	results := g.must(http.MethodPost, "/api/v1/providers/demo/test", "").json()["results"].([]any)
	found := map[string]map[string]any{}
	for _, r := range results {
		r := r.(map[string]any)
		found[r["model"].(string)] = r
	}
	if r := found["steady"]; r == nil || r["ok"] != true || r["status"] != 200.0 {
		t.Errorf("steady: %v", r)
	}
	g.admin(http.MethodPost, "/api/v1/providers/nobody/test", "").wantError(404, "not_found")
	g.must(http.MethodPost, "/api/v1/providers", `{"id":"keyless","kind":"demo","models":["steady"],"keys":[{"name":"k","env":"OHMROUTE_TEST_UNSET"}]}`)
	untested := g.must(http.MethodPost, "/api/v1/providers/keyless/test", "").json()["results"].([]any)[0].(map[string]any)
	if untested["ok"] != false || !strings.Contains(untested["message"].(string), "OHMROUTE_TEST_UNSET is not set") {
		t.Errorf("without its key: %v", untested)
	}
	g.ask(http.MethodPost, "/v1/chat/completions", `{"model":"keyless/steady","messages":[]}`).wantError(503, "all_targets_unavailable")
	g.must(http.MethodGet, "/api/v1/breakers/key%3Akeyless%2Fk", "")
}

func TestModelsForBothDialects(t *testing.T) {
	g := newGateway(t, true)
	list := g.ask(http.MethodGet, "/v1/models?limit=1000", "").json()
	data := list["data"].([]any)
	if list["object"] != "list" || list["has_more"] != false || list["first_id"] != data[0].(map[string]any)["id"] {
		t.Errorf("%v", list)
	}
	for _, path := range []string{"/v1/models/demo", "/v1/models/demo%2Fsteady", "/v1/models/demo/steady", "/models/demo%2fsteady"} {
		re := g.ask(http.MethodGet, path, "")
		if re.Code != 200 {
			t.Errorf("%s: %d %s", path, re.Code, re.Body)
			continue
		}
		m := re.json()
		for _, member := range []string{"id", "object", "created", "owned_by", "type", "display_name", "created_at"} {
			if m[member] == nil {
				t.Errorf("%s: no %s in %v", path, member, m)
			}
		}
	}
	for _, path := range []string{"/v1/models/nobody", "/v1/models/demo%252Fsteady", "/v1/models/demo%2Fsteady%2F"} {
		e := g.ask(http.MethodGet, path, "").wantError(404, "model_not_found")
		if e["type"] != "not_found_error" {
			t.Errorf("%s: %v", path, e)
		}
	}
}

func TestKeysAreHeldToWhatTheyMayUse(t *testing.T) {
	g := newGateway(t, true)
	g.must(http.MethodPost, "/api/v1/combos", `{"name":"mine","aliases":["nick"],"targets":[{"provider":"demo","model":"steady"}]}`)
	made := g.admin(http.MethodPost, "/api/v1/keys", `{"name":"k","combos":["nick"],"requests_per_minute":2}`)
	if made.Code != 201 {
		t.Fatalf("%d %s", made.Code, made.Body)
	}
	key := made.json()["key"].(string)
	auth := []string{"Authorization", "Bearer " + key}
	if list := g.must(http.MethodGet, "/api/v1/keys", ""); strings.Contains(list.Body.String(), key) {
		t.Error("the secret is listed")
	}
	t.Run("it sees what it may use", func(t *testing.T) {
		if re := g.ask(http.MethodGet, "/v1/models/nick", "", auth...); re.Code != http.StatusOK || re.json()["id"] != "nick" {
			t.Errorf("by its alias: %d %s", re.Code, re.Body)
		}
		g.ask(http.MethodGet, "/v1/models/demo", "", auth...).wantError(404, "model_not_found")
		data := g.ask(http.MethodGet, "/v1/models", "", auth...).json()["data"].([]any)
		if len(data) != 1 || data[0].(map[string]any)["id"] != "mine" {
			t.Errorf("%v", data)
		}
	})
	t.Run("and uses nothing else, and no more than it may", func(t *testing.T) {
		body := func(model string) string {
			return `{"model":"` + model + `","messages":[{"role":"user","content":"x"}]}`
		}
		g.ask(http.MethodPost, "/v1/chat/completions", body("demo"), auth...).wantError(403, "model_not_allowed")
		for range 2 { // these count among no minute's requests
			g.ask(http.MethodPost, "/v1/chat/completions", `{"model":`, auth...).wantError(400, "invalid_json")
		}
		for range 2 {
			if re := g.ask(http.MethodPost, "/v1/chat/completions", body("nick"), auth...); re.Code != 200 {
				t.Errorf("%d %s", re.Code, re.Body)
			}
		}
		re := g.ask(http.MethodPost, "/v1/chat/completions", body("nick"), auth...)
		re.wantError(429, "rate_limit_exceeded")
		if re.Header().Get("Retry-After") != "30" {
			t.Errorf("Retry-After %q", re.Header().Get("Retry-After"))
		}
	})
	t.Run("what was refused is in the log and counted, with its key", func(t *testing.T) {
		type row struct {
			Combo     string
			Model     string
			Outcome   string
			Status    int
			Code      string
			ClientKey string `json:"client_key"`
		}
		var log struct{ Requests []row }
		if err := json.Unmarshal(g.must(http.MethodGet, "/api/v1/requests", "").Body.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		want := []row{
			{"mine", "nick", "rejected", 429, "rate_limit_exceeded", "k"},
			{"mine", "nick", "ok", 200, "", "k"},
			{"mine", "nick", "ok", 200, "", "k"},
			{"", "", "rejected", 400, "invalid_json", "k"},
			{"", "", "rejected", 400, "invalid_json", "k"},
			{"demo", "demo", "rejected", 403, "model_not_allowed", "k"},
		}
		if !slices.Equal(log.Requests, want) {
			t.Errorf("got  %+v\nwant %+v", log.Requests, want)
		}
		page := scrape(g)
		for labels, n := range map[string]int{
			`combo="mine",outcome="ok"`: 2, `combo="mine",outcome="rejected"`: 1, `combo="demo",outcome="rejected"`: 1, `combo="other",outcome="rejected"`: 2,
		} {
			if line := fmt.Sprintf("ohmroute_requests_total{%s} %d\n", labels, n); !strings.Contains(page, line) {
				t.Errorf("%s is missing", line)
			}
		}
	})
}
