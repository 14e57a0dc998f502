package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/server"
)

// running is a gateway in this process.
type running struct {
	*gateway
	out  *strings.Builder
	stop func() error
}

// begin opens a gateway and serves until stop.
func begin(t *testing.T, env map[string]string, file string, flags ...string) (*running, error) {
	t.Helper()
	r := &running{out: &strings.Builder{}}
	w := world{out: r.out, err: io.Discard, env: func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}}
	o := settings{listen: "127.0.0.1:0", dataDir: t.TempDir(), given: func(string) bool { return false }}
	for _, f := range flags {
		name, value, _ := strings.Cut(f, "=")
		switch name {
		case "listen":
			o.listen = value
		case "data-dir":
			o.dataDir = value
		case "no-demo":
			o.noDemo = true
		case "allow-anonymous":
			o.allowAnonymous = true
		}
	}
	f, problems := config.ParseFile([]byte(file), w.env)
	if f == nil {
		t.Fatal(problems)
	}
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	var err error
	if r.gateway, err = open(t.Context(), o, f, w, logger); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	var end error
	serving.Go(func() { end = r.run(ctx) })
	r.stop = func() error {
		cancel()
		serving.Wait()
		return end
	}
	t.Cleanup(func() { _ = r.stop() })
	return r, nil
}

// get asks a path and gives the status line and the body.
func (r *running) get(t *testing.T, path, token string) (status, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", r.listeners.Client.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
	answer := bufio.NewReader(conn)
	status, err = answer.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(answer)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(status), string(rest)
}

func TestAFirstStartServesTheDemoAndShowsTheTokenOnce(t *testing.T) {
	dir := t.TempDir()
	r, err := begin(t, nil, "", "data-dir="+dir)
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(dir, "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	if status, body := r.get(t, "/api/v1/combos", strings.TrimSpace(string(token))); status != "HTTP/1.0 200 OK" || !strings.Contains(body, `"name":"demo"`) {
		t.Errorf("%s %s", status, body)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	first := r.out.String()
	for _, part := range []string{"listening on http://127.0.0.1:", strings.TrimSpace(string(token)), filepath.Join(dir, "admin.token"), "curl -N http://127.0.0.1:", `"model":"demo"`} {
		if !strings.Contains(first, part) {
			t.Errorf("no %q in\n%s", part, first)
		}
	}
	again, err := begin(t, nil, "", "data-dir="+dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	if second := again.out.String(); strings.Contains(second, strings.TrimSpace(string(token))) || !strings.Contains(second, "in "+filepath.Join(dir, "admin.token")) {
		t.Errorf("the second start says\n%s", second)
	}
}

func TestABusyPortIsAClearError(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := filepath.Join(t.TempDir(), "data")
	_, err = begin(t, nil, "", "listen="+taken.Addr().String(), "data-dir="+dir)
	if err == nil || !strings.Contains(err.Error(), "can't listen on "+taken.Addr().String()) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the data directory was made all the same")
	}
}

// beginInMemory starts a gateway whose data directory can't be made.
func beginInMemory(t *testing.T) *running {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := begin(t, nil, "", "data-dir="+filepath.Join(file, "data"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestADataDirectoryThatCanNotBeWrittenIsServedFromMemory(t *testing.T) {
	r := beginInMemory(t)
	token := r.secrets.AdminToken
	if status, body := r.get(t, "/api/v1/combos", token); status != "HTTP/1.0 200 OK" || !strings.Contains(body, `"name":"demo"`) {
		t.Errorf("%s %s", status, body)
	}
	if status, body := r.get(t, "/readyz", ""); !strings.HasPrefix(status, "HTTP/1.0 200") || !strings.Contains(body, "persistence") || !strings.Contains(body, "secrets") {
		t.Errorf("%s %s", status, body)
	}
	_, err := r.live.CreateProvider(t.Context(), []byte(`{"id":"p","kind":"openai","base_url":"http://localhost:1/v1"}`))
	if !errors.Is(err, config.ErrPersistence) {
		t.Errorf("got %v", err)
	}
	if err := r.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if said := r.out.String(); !strings.Contains(said, token) || !strings.Contains(said, "another one at each start") {
		t.Errorf("it said\n%s", said)
	}
}

func TestAnEndThatLosesStateIsAnError(t *testing.T) {
	r := beginInMemory(t)
	if _, err := r.breakers.Isolate("target:demo/steady", "ada", ""); err != nil {
		t.Fatal(err)
	}
	if err := r.stop(); err == nil || !strings.Contains(err.Error(), "not everything is on disk") {
		t.Errorf("it ended with %v", err)
	}
}

func TestADamagedDatabaseIsAnErrorAndLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ohmroute.db")
	if err := os.WriteFile(path, []byte("this is not a database, and long enough to be taken for a file of something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := begin(t, nil, "", "data-dir="+dir); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if text, _ := os.ReadFile(path); !strings.HasPrefix(string(text), "this is not") {
		t.Error("the file was changed")
	}
}

func TestWhoeverCanBeReachedFromOutsideAsksForAKey(t *testing.T) {
	for name, test := range map[string]struct {
		file  string
		flags []string
		fails bool
	}{
		"without keys":            {"", nil, true},
		"unless anybody may":      {"", []string{"allow-anonymous"}, false},
		"or the file says so":     {"server: {allow_anonymous: true}", nil, false},
		"with a key in the file":  {"keys: [{name: k, value: 0123456789abcdef}]", nil, false},
		"but not for a key later": {"providers: [{id: a, kind: demo}]", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := begin(t, nil, test.file, append(test.flags, "listen=0.0.0.0:0")...)
			if errors.Is(err, server.ErrAnonymous) != test.fails || test.fails && !strings.Contains(err.Error(), "--allow-anonymous") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFlagsBeatTheEnvironmentAndThatBeatsTheFile(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		env  map[string]string
		file string
		want string
	}{
		"the default":     {want: defaultListen},
		"the file":        {file: "127.0.0.1:1", want: "127.0.0.1:1"},
		"the environment": {file: "127.0.0.1:1", env: map[string]string{"OHMROUTE_LISTEN": "127.0.0.1:2"}, want: "127.0.0.1:2"},
		"the flag": {
			file: "127.0.0.1:1", env: map[string]string{"OHMROUTE_LISTEN": "127.0.0.1:2"},
			args: []string{"--listen", "127.0.0.1:3"}, want: "127.0.0.1:3",
		},
		"an empty variable": {file: "127.0.0.1:1", env: map[string]string{"OHMROUTE_LISTEN": ""}, want: "127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world{out: io.Discard, err: io.Discard, env: func(name string) (string, bool) {
				value, set := test.env[name]
				return value, set
			}}
			cmd := serveCommand(w)
			if err := cmd.ParseFlags(test.args); err != nil {
				t.Fatal(err)
			}
			if err := fromEnvironment(cmd.Flags(), w.env); err != nil {
				t.Fatal(err)
			}
			o := settings{listen: cmd.Flag("listen").Value.String(), given: cmd.Flags().Changed}
			if got := o.address(test.file); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestReloadPutsTheFileIntoForceOrNothing(t *testing.T) {
	path := write(t, "providers: [{id: a, kind: demo}]\n")
	r, err := begin(t, nil, "providers: [{id: a, kind: demo}]\n")
	if err != nil {
		t.Fatal(err)
	}
	o := settings{config: path}
	for _, step := range []struct {
		text string
		want int
	}{
		{"providers: [{id: a, kind: demo}, {id: b, kind: demo}]\n", 2},
		{"providers: [{id: a, kind: dem}]\n", 2},
		{"providers: []\nserver: {drain_timeout: 1s}\n", 0},
	} {
		if err := os.WriteFile(path, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		r.reload(t.Context(), o, r.world)
		if got := len(r.live.Providers()); got != step.want {
			t.Errorf("after %q: %d providers, want %d", step.text, got, step.want)
		}
	}
}
