package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outcome is what a run of the program left behind.
type outcome struct {
	code     int
	out, err string
}

func execute(t *testing.T, env map[string]string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(args, world{out: &out, err: &errs, env: func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}})
	return outcome{code, out.String(), errs.String()}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ohmroute.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCommandLine(t *testing.T) {
	for name, test := range map[string]struct {
		args     []string
		env      map[string]string
		code     int
		out, err string // parts of it
	}{
		"no arguments: help":       {nil, nil, 0, "Available Commands:", ""},
		"version":                  {[]string{"version"}, nil, 0, "ohmroute ", ""},
		"help of a command":        {[]string{"serve", "--help"}, nil, 0, "--allow-anonymous", ""},
		"completion":               {[]string{"completion", "bash"}, nil, 0, "__start_ohmroute", ""},
		"an unknown command":       {[]string{"sevre"}, nil, 1, "", `ohmroute: unknown command "sevre"`},
		"an unknown flag":          {[]string{"serve", "--lisen", "x"}, nil, 1, "", "unknown flag: --lisen"},
		"an argument too many":     {[]string{"serve", "now"}, nil, 1, "", `unknown command "now"`},
		"a wrong log level":        {[]string{"serve", "--log-level", "loud"}, nil, 1, "", "must be one of debug, info, warn, error"},
		"a wrong log level in env": {[]string{"serve"}, map[string]string{"OHMROUTE_LOG_LEVEL": "loud"}, 1, "", `OHMROUTE_LOG_LEVEL: "loud" is no value for it`},
		"a wrong switch in env":    {[]string{"serve"}, map[string]string{"OHMROUTE_NO_DEMO": "perhaps"}, 1, "", "OHMROUTE_NO_DEMO"},
		"check without a file":     {[]string{"check"}, nil, 0, "there is nothing to check", ""},
		"check of a missing file":  {[]string{"check", "--config", "/nowhere.yaml"}, nil, 1, "", "can't be read"},
		"serve of a missing file":  {[]string{"serve", "--config", "/nowhere.yaml"}, nil, 1, "", "can't be read"},
		"postgres": {
			[]string{"serve", "--listen", "127.0.0.1:0", "--database", "postgres://u:hidden@h/d"},
			nil, 1, "",
			"database can't be PostgreSQL yet",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got := execute(t, test.env, test.args...)
			if got.code != test.code || !strings.Contains(got.out, test.out) || !strings.Contains(got.err, test.err) {
				t.Errorf("code %d\nout: %s\nerr: %s", got.code, got.out, got.err)
			}
			if strings.Contains(got.out+got.err, "hidden") {
				t.Error("a password is shown")
			}
			if made, _ := filepath.Glob("*"); len(made) != 0 {
				t.Errorf("it made %q", made)
			}
		})
	}
}

func TestCheckNamesEveryProblem(t *testing.T) {
	broken := `
providers:
- {id: a, kind: openai, base_url: "http://localhost:1/v1", keys: [{name: k, value: "${MISSING}"}], max_concurency: 3}
combos:
- {name: c, targets: [{provider: b, model: m}]}
`
	for name, test := range map[string]struct {
		text string
		args []string
		env  map[string]string
		code int
		out  string
	}{
		"a file that is fine": {"providers: [{id: a, kind: demo}]\n", nil, nil, 0, "FILE is fine\n"},
		"a file with errors": {
			broken, nil, nil, 1,
			`error: providers[0].keys[0].value: the environment variable MISSING is not set
error: providers[0].max_concurency: unknown member; did you mean "max_concurrency"?
error: combos[0].targets[0].provider: there is no provider "b"
`,
		},
		"keys whose variable is not set": {
			"providers: [{id: a, kind: demo, keys: [{name: x, env: SET}, {name: y, env: UNSET}]}]\n", nil,
			map[string]string{"SET": "sk"},
			1,
			"error: providers[0].keys[1].env: the environment variable UNSET is not set\n",
		},
		"warnings": {
			"providers: [{id: a, kind: demo}]\ncombos: [{name: c, targets: [{provider: a, model: steady, weight: 0}]}]\n", nil, nil, 0,
			"warning: combos[0].targets: no target is in the pool: each is drained or a fallback (only_on)\nFILE can be used; it has 1 warning\n",
		},
		"warnings, strictly": {
			"providers: [{id: a, kind: demo}]\ncombos: [{name: c, targets: [{provider: a, model: steady, weight: 0}]}]\n",
			[]string{"--strict"},
			nil, 1,
			"error: combos[0].targets: no target is in the pool: each is drained or a fallback (only_on)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, test.text)
			got := execute(t, test.env, append([]string{"check", "--config", path}, test.args...)...)
			if want := strings.ReplaceAll(test.out, "FILE", path); got.code != test.code || got.out != want {
				t.Errorf("code %d\n%s\nwant %d\n%s", got.code, got.out, test.code, want)
			}
			if (got.err != "") != (test.code != 0) {
				t.Errorf("stderr: %q", got.err)
			}
		})
	}
}

func TestServeRefusesABrokenFileWithAllItsProblems(t *testing.T) {
	t.Chdir(t.TempDir())
	got := execute(t, nil, "serve", "--config", write(t, "sever: {}\ndatabase: mysql:x\n"))
	if got.code != 1 || !strings.Contains(got.err, `error: sever: unknown member; did you mean "server"?`) || !strings.Contains(got.err, "error: database: must begin with sqlite:") {
		t.Errorf("%+v", got)
	}
}
