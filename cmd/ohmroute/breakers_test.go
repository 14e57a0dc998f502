package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// tool runs breakers against a gateway.
func tool(t *testing.T, r *running, args ...string) outcome {
	t.Helper()
	env := map[string]string{"OHMROUTE_ADMIN_TOKEN": r.secrets.AdminToken, "USER": "ada"}
	return execute(t, env, append([]string{"breakers", "--server", r.listeners.Client.Addr().String()}, args...)...)
}

func TestBreakersAreListedAndOperatedFromTheCommandLine(t *testing.T) {
	r, err := begin(t, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	const target = "target:demo/steady"
	steps := []struct {
		name string
		args []string
		code int
		out  string // a part
		err  string
	}{
		{"a listing", nil, 0, target + "  CLOSED", ""},
		{"one", []string{"list", target}, 0, "NAME", ""},
		{"one that isn't there", []string{"list", "target:demo/none", target}, 1, target, "target:demo/none: "},
		{"isolated", []string{"isolate", target, "--reason", "lunch"}, 0, "ISOLATED", ""},
		{"isolated, by whom and why", []string{"list", "--state", "isolated"}, 0, "by ada: lunch", ""},
		{"another state", []string{"list", "--state", "open"}, 0, "NAME", ""},
		{"no state", []string{"list", "--state", "ajar"}, 1, "", "one of CLOSED, DEGRADED"},
		{"reset of all", []string{"reset"}, 0, "still isolated: " + target, ""},
		{"released", []string{"release", target}, 0, "HALF_OPEN", ""},
		{"released twice", []string{"release", target}, 1, "", "not isolated"},
		{"reset of one", []string{"reset", target}, 0, "CLOSED", ""},
		{"one, without list", []string{target}, 0, target + "  CLOSED", ""},
		{"one in another state", []string{"list", target, "--state", "open"}, 0, "NAME  STATE  COUNT  RETRY IN  WHY\n", ""},
		{"one of another scope", []string{target, "--scope", "key"}, 0, "NAME  STATE  COUNT  RETRY IN  WHY\n", ""},
		{"one in this state", []string{"list", target, "--state", "closed"}, 0, target, ""},
		{"a mistyped command", []string{"lits"}, 1, "", `unknown command "lits"`},
		{"watching what isn't there", []string{"watch", "target:demo/none"}, 1, "", "target:demo/none: "},
		{"nothing to isolate", []string{"isolate"}, 1, "", "requires at least 1 arg"},
	}
	for _, step := range steps {
		o := tool(t, r, step.args...)
		if o.code != step.code || !strings.Contains(o.out, step.out) || !strings.Contains(o.err, step.err) {
			t.Errorf("%s: code %d, out\n%s\nerr %s", step.name, o.code, o.out, o.err)
		}
	}
	var listed struct {
		Breakers []circuitbreaker.Status `json:"breakers"`
	}
	if o := tool(t, r, "--output", "json", "list", target); json.Unmarshal([]byte(o.out), &listed) != nil || listed.Breakers[0].Name != target {
		t.Errorf("as JSON: %s", o.out)
	}
	o := execute(t, map[string]string{"OHMROUTE_ADMIN_TOKEN": r.secrets.AdminToken},
		"__complete", "breakers", "--server", r.listeners.Client.Addr().String(), "isolate", target, "target:demo/")
	if !strings.HasPrefix(o.out, "target:demo/flaky\n:") {
		t.Errorf("completed with %q", o.out)
	}
	o = execute(t, map[string]string{"OHMROUTE_ADMIN_TOKEN": r.secrets.AdminToken, "OHMROUTE_SERVER": r.listeners.Client.Addr().String()},
		"__complete", "breakers", "isolate", "target:demo/s")
	if !strings.HasPrefix(o.out, target+"\n") {
		t.Errorf("with the server in the environment it completes with %q", o.out)
	}
	o = execute(t, map[string]string{"OHMROUTE_ADMIN_TOKEN": "not-the-token-at-all"}, "breakers", "--server", r.listeners.Client.Addr().String())
	if o.code != 1 || !strings.Contains(o.err, "this is not the admin token") {
		t.Errorf("a wrong token: %+v", o)
	}
	if o := execute(t, nil, "breakers", "--data-dir", t.TempDir()); o.code != 1 || !strings.Contains(o.err, "OHMROUTE_ADMIN_TOKEN") {
		t.Errorf("no token: %+v", o)
	}
}

// lines hands out what is written line by line.
type lines struct {
	mu   sync.Mutex
	rest bytes.Buffer
	c    chan string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest.Write(p)
	for {
		line, err := l.rest.ReadString('\n')
		if err != nil {
			l.rest.WriteString(line)
			return len(p), nil
		}
		l.c <- line
	}
}

// watch runs breakers watch until the end of the test. The channel of its lines is closed when it has ended.
func watch(t *testing.T, r *running, names ...string) <-chan string {
	t.Helper()
	out := &lines{c: make(chan string, 100)}
	root := rootCommand(world{out: out, err: io.Discard, env: func(name string) (string, bool) {
		return r.secrets.AdminToken, name == "OHMROUTE_ADMIN_TOKEN"
	}})
	root.SetArgs(append([]string{"breakers", "--server", r.listeners.Client.Addr().String(), "watch"}, names...))
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		defer close(out.c)
		if err := root.ExecuteContext(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(watching.Wait)
	t.Cleanup(cancel)
	return out.c
}

// moved moves breakers until a line comes, which must be of steady: a watcher that has just come may miss what happened
// before.
func moved(t *testing.T, r *running, shown <-chan string, names ...string) {
	t.Helper()
	for {
		for _, name := range names {
			tool(t, r, "isolate", name)
			tool(t, r, "reset", name)
		}
		select {
		case line := <-shown:
			if !strings.Contains(line, "target:demo/steady  ") || !strings.Contains(line, " -> ") {
				t.Errorf("it prints %q", line)
			}
			return
		default:
		}
	}
}

func TestWatchPrintsTransitionsAsTheyHappen(t *testing.T) {
	r, err := begin(t, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	shown := watch(t, r)
	if line := <-shown; !strings.HasPrefix(line, "all of ") {
		t.Errorf("it begins with %q", line)
	}
	moved(t, r, shown, "target:demo/steady")
}

func TestWatchOfANameShowsThisOneAlone(t *testing.T) {
	r, err := begin(t, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	shown := watch(t, r, "target:demo/steady")
	for _, begins := range []string{"NAME", "target:demo/steady"} {
		if line := <-shown; !strings.HasPrefix(line, begins) {
			t.Errorf("it begins with %q, want %q", line, begins)
		}
	}
	moved(t, r, shown, "target:demo/flaky", "target:demo/steady")
}

func TestATableFitsTheTerminal(t *testing.T) {
	all := []circuitbreaker.Status{
		{Name: "target:a-provider-with-a-long-name/and-a-model-with-a-longer-one", State: circuitbreaker.Open, Enforce: true, FailureThreshold: 5},
		{Name: "key:a/b", State: circuitbreaker.Isolated, Enforce: true, Isolated: &circuitbreaker.Isolation{By: "me", Reason: strings.Repeat("because ", 20)}},
	}
	for width, colours := range map[int]bool{8: true, 20: false, 40: true, 60: true, 80: false, 200: true} {
		var out bytes.Buffer
		w := world{out: &out, env: func(string) (string, bool) { return map[bool]string{false: "1"}[colours], !colours }}
		printTable(w, terminal{is: true, width: width}, all)
		if width > 20 && strings.Contains(out.String(), "\x1b[31mOPEN") != colours {
			t.Errorf("colours %v:\n%s", colours, out.String())
		}
		for line := range strings.Lines(out.String()) {
			plain := strings.NewReplacer("\x1b[31m", "", "\x1b[35m", "", "\x1b[0m", "").Replace(strings.TrimRight(line, "\n"))
			if width >= 40 && !strings.HasPrefix(line, "NAME") && !strings.Contains(line, "target:a-provider-w") && !strings.Contains(line, "key:a/b") {
				t.Errorf("no name can be told on a terminal of %d: %s", width, plain)
			}
			if n := len([]rune(plain)); n > width {
				t.Errorf("%d columns on a terminal of %d: %s", n, width, plain)
			}
		}
	}
}
