package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const providersAndCombo = `
defaults: {breaker: {jitter: 0}}
providers: [{id: a, kind: openai, base_url: "${BASE}", keys: [{name: k, env: NOT_SET}]}, {id: b, kind: demo}]
combos: [{name: fast, targets: [{provider: a, model: m}, {provider: b, model: steady}]}]
`

const faultsAndArrivals = `
name: an example
arrivals: [{to: 20s, rate: 1}]
faults: [{target: a/m, from: 5s, to: 10s, kind: server_error}]
`

func TestSimulate(t *testing.T) {
	env := map[string]string{"BASE": "http://localhost:1/v1"}
	both, script := write(t, providersAndCombo+faultsAndArrivals), write(t, faultsAndArrivals)
	file, log := write(t, providersAndCombo), write(t, requestPage)
	for name, test := range map[string]struct {
		args     []string
		code     int
		out, err string // parts of it
	}{
		"a script alone":          {[]string{"--script", both}, 0, "an example: 20 requests in 20s simulated, seed 1\n", ""},
		"a configuration file":    {[]string{"--script", script, "--config", file, "--combo", "fast", "--seed", "7"}, 0, "seed 7\n", ""},
		"a log":                   {[]string{"--replay", log, "--config", file}, 0, "simulation: 1 request in 1ms replayed", ""},
		"nothing":                 {nil, 1, "", "name a --script FILE, or a log to --replay"},
		"a file that isn't there": {[]string{"--script", "/nowhere.yaml"}, 1, "", "the script can't be read"},
		"a log that is none":      {[]string{"--replay", file}, 1, "", "the request log is not JSON"},
		"no combos":               {[]string{"--script", script}, 1, "error: combo: must be given", "the simulation has 1 problem"},
		"an empty script":         {[]string{"--script", write(t, ""), "--config", file}, 1, "error: holds 0 documents", "1 problem"},
		"two problems": {
			[]string{"--script", write(t, providersAndCombo+"arrivals: [{to: 1s, rate: x}]\nfaults: [{target: z, kind: hang, from: 5s, to: 4s}]\n")},
			1, "error: arrivals[0].rate: must be a number\nerror: faults[0].from: is at 5s", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got := execute(t, env, append([]string{"simulate"}, test.args...)...)
			if got.code != test.code || !strings.Contains(got.out, test.out) || !strings.Contains(got.err, test.err) {
				t.Errorf("code %d\nout: %s\nerr: %s", got.code, got.out, got.err)
			}
			if made, _ := filepath.Glob("*"); len(made) != 0 {
				t.Errorf("it made %q", made)
			}
		})
	}
}

func TestSimulateWritesJSONAndAPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	env := map[string]string{"BASE": "http://localhost:1/v1"}
	args := []string{"simulate", "--script", write(t, providersAndCombo+faultsAndArrivals), "--output", "json", "--html", page}
	got := execute(t, env, args...)
	var result struct {
		Policies []struct {
			Clients struct{ Answered int }
			Faults  []struct {
				Wasted    int
				Recovered *int `json:"recovered_after_ms"`
			}
		}
	}
	if err := json.Unmarshal([]byte(got.out), &result); err != nil || got.code != 0 {
		t.Fatalf("%v: %+v", err, got)
	}
	if p := result.Policies; len(p) != 1 || p[0].Clients.Answered != 20 || p[0].Faults[0].Wasted == 0 || p[0].Faults[0].Recovered == nil {
		t.Errorf("%s", got.out)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "<svg") {
		t.Errorf("%v: %.80s", err, text)
	}
	if again := execute(t, env, args...); again.out != got.out {
		t.Error("the second time it is another result")
	}
}

func TestHelpHasNoFlagsOfTests(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"simulate", "--help"}, {"serve", "--help"}} {
		if got := execute(t, nil, args...); strings.Contains(got.out+got.err, "test.") || got.code != 0 {
			t.Errorf("%v: %s", args, got.out)
		}
	}
}

const requestPage = `{"requests":[{"at":"2026-01-02T03:04:05.000Z","endpoint":"chat","combo":"fast","stream":true,
"attempts":[{"provider":"a","model":"m","key":"k","outcome":"ok","kind":null,"status":200,"ms":900,"first_token_ms":300}]}],"next":null}`

func TestSimulateReplaysTheLogOfAGateway(t *testing.T) {
	var asked []string
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization")+" "+r.URL.RequestURI())
		page := requestPage
		if r.URL.Query().Get("before") == "" {
			page = strings.Replace(page, `"next":null`, `"next":"41"`, 1)
		}
		_, _ = w.Write([]byte(page))
	}))
	defer gateway.Close()
	env := map[string]string{"OHMROUTE_ADMIN_TOKEN": "secret", "BASE": "http://localhost:1/v1"}
	got := execute(t, env, "simulate", "--replay", gateway.URL, "--config", write(t, providersAndCombo))
	if got.code != 0 || !strings.Contains(got.out, "2 requests in 1ms replayed") {
		t.Errorf("%+v", got)
	}
	want := "Bearer secret /api/v1/requests?limit=1000, Bearer secret /api/v1/requests?before=41&limit=1000"
	if said := strings.Join(asked, ", "); said != want {
		t.Errorf("asked %s, want %s", said, want)
	}
}
