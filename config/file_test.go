package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func lookup(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := vars[name]
		return value, set
	}
}

const wholeFile = `
server:
  listen: 127.0.0.1:${PORT:-4700}
  admin_listen: localhost:4701
  drain_timeout: 5s
  max_body: 1048576
  metrics_token: scrape-me
  allow_anonymous: true
  allowed_hosts: [gateway.example.com]
  allowed_origins: ["https://app.example.com", "*"]
  request_log: 50
database: sqlite:/var/lib/ohmroute/state.db
defaults:
  model: fast
  breaker: {failure_threshold: 7, jitter: 0.0}
  retry: {max_retries: 3, base: 50ms}
  timeouts: {connect: 3s, total: 1m}
  keepalive: 20s
  when_exhausted: {do: reject}
  registry: {flush_interval: 500ms, sweep_interval: 10m, idle_after: 20m, max_breakers: 100}
providers:
  - &groq
    id: groq
    kind: openai
    preset: groq
    models: [llama, {name: "70b", context_window: 131072}]
    keys:
      - {name: a, env: GROQ_A}
      - name: b
        value: "${GROQ_B}"
    max_concurrency: ${LIMIT}
    strict: ${STRICT:-true}
  - <<: *groq
    id: groq-eu
    headers: {x-region: "cost: $${not} ${REGION:-eu}"}
combos:
  - name: fast
    aliases: [quick]
    strategy: weighted
    targets:
      - {provider: groq, model: llama, weight: 3}
      - {provider: groq-eu, model: 70b, only_on: [rate_limit]}
      - combo: slow
  - name: slow
    targets: [{provider: groq, model: 70b}]
keys:
  - {name: app, value: 0123456789abcdef, combos: [fast, groq/llama], requests_per_minute: 60, parallel: 2, expires_at: "2031-01-01T00:00:00Z"}
  - {name: ci, env: CI_KEY}
`

func TestAWholeFileIsRead(t *testing.T) {
	f, problems := ParseFile([]byte(wholeFile), lookup(map[string]string{"GROQ_B": "gsk_${x}", "LIMIT": "12"}))
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	s := f.Server
	if s.Listen != "127.0.0.1:4700" || s.AdminListen != "localhost:4701" || s.DrainTimeout != 5*time.Second || s.MaxBody != 1<<20 ||
		s.MetricsToken != "scrape-me" || !s.AllowAnonymous || s.RequestLog != (RequestLog{MaxRows: 50}) || len(s.AllowedHosts)+len(s.AllowedOrigins) != 3 {
		t.Errorf("server: %+v", s)
	}
	if r := f.Defaults.Registry; r != (Registry{500 * time.Millisecond, 10 * time.Minute, 20 * time.Minute, 100}) {
		t.Errorf("registry: %+v", r)
	}
	groq, eu := f.Providers[0], f.Providers[1]
	if groq.MaxConcurrency != 12 || !groq.Strict || *groq.Keys[1].value != "gsk_${x}" || groq.Keys[0].Weight != 1 || groq.Models[1].ContextWindow != 131072 {
		t.Errorf("provider: %+v", groq)
	}
	if eu.ID != "groq-eu" || eu.Kind != "openai" || eu.Headers["x-region"] != "cost: ${not} eu" || len(eu.Models) != 2 {
		t.Errorf("merged provider: %+v", eu)
	}
	if k := f.Keys[0]; k.Name != "app" || k.RequestsPerMinute != 60 || k.Parallel != 2 || k.ExpiresAt.Year() != 2031 || *k.secret != "0123456789abcdef" {
		t.Errorf("key: %+v", k)
	}
	missing := lines(f.Unset(lookup(map[string]string{"GROQ_A": "x"})))
	want := []string{"providers[1].keys[0].env", "keys[1].env"}
	if len(missing) != 2 && !slices.ContainsFunc(missing, func(m string) bool { return strings.HasPrefix(m, want[1]) }) {
		t.Errorf("unset: %q", missing)
	}
}

func TestARequestLogIsANumberOfRowsOrAnObject(t *testing.T) {
	for text, want := range map[string]RequestLog{
		"":                            {},
		"request_log: 50":             {MaxRows: 50},
		"request_log: ${ROWS:-70}":    {MaxRows: 70},
		"request_log: null":           {},
		"request_log: {}":             {},
		"request_log: {max_age: 24h}": {MaxAge: 24 * time.Hour},
		"request_log:\n    max_rows: ${ROWS:-90}":                     {MaxRows: 90},
		"request_log: {max_rows: 90, max_age: 1m, max_size: 2097152}": {MaxRows: 90, MaxAge: time.Minute, MaxSize: 2 << 20},
	} {
		f, problems := ParseFile([]byte("server:\n  "+text+"\n"), lookup(nil))
		if len(problems) > 0 || f.Server.RequestLog != want {
			t.Errorf("%s: got %+v, %q", text, f, lines(problems))
		}
	}
}

func TestEveryProblemOfAFileIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nothing":         {"", nil},
		"only a comment":  {"# later\n", nil},
		"an empty header": {"---\n", nil},
		"broken YAML":     {"providers:\n  - id: a\n   kind: b\n", []string{"broken YAML at line 3, column 4: value is not allowed in this context"}},
		"two documents":   {"database: sqlite:a\n---\ndatabase: sqlite:b\n", []string{"holds 2 documents; it must be one"}},
		"a list":          {"- a\n", []string{"must be an object, not a list"}},
		"a scalar":        {"hello\n", []string{"must be an object, not a string"}},
		"depth":           {strings.Repeat("[", 100_000), []string{"nested deeper than 64 levels"}},
		"an alias bomb":   {aliasBomb(), []string{"holds more than 500,000 values"}},
		"a variable in a default": {
			"database: sqlite:${A:-${B}}\nserver: {listen: '${A:-$${B}'}\n",
			[]string{
				"database: has a ${ within a ${NAME:-default}: a default is plain text and names no other variable",
				"server.listen: has a ${ within a ${NAME:-default}: a default is plain text and names no other variable",
			},
		},
		"duplicate keys": {
			"database: sqlite:a\ndatabase: sqlite:b\nserver: {listen: ':1', listen: ':2'}\n",
			[]string{"database: stands twice", "server.listen: stands twice"},
		},
		"unknown members": {
			"sever: {}\nserver: {lisen: a}\ndefaults: {registry: {max_breaker: 3}}\n",
			[]string{
				`server.lisen: unknown member; did you mean "listen"?`,
				`defaults.registry.max_breaker: unknown member; did you mean "max_breakers"?`,
				`sever: unknown member; did you mean "server"?`,
			},
		},
		"variables": {
			"providers:\n- id: a\n  kind: openai\n  base_url: ${URL}\n  keys:\n  - {name: k, env: A}\n  - {name: l, value: '${KEY}'}\n  - {name: m, env: \"${\"}\n  headers: {x-a: '${1x}'}\n  max_concurrency: ${WORD:-many}\n",
			[]string{
				"providers[0].base_url: the environment variable URL is not set",
				"providers[0].keys[1].value: the environment variable KEY is not set",
				"providers[0].keys[2].env: has a ${ without its }",
				"providers[0].headers.x-a: has a ${...} that is neither ${NAME} nor ${NAME:-default}",
				"providers[0].max_concurrency: must be a whole number, not a string",
				"providers[0].keys[2]: must have env (the name of an environment variable) or value (the key itself)",
			},
		},
		"anchors": {"database: *nowhere\n", []string{"database: names an anchor that isn't there"}},
		"tags":    {"database: !secret x\n", []string{"database: has a tag that isn't known here: !secret"}},
		"nan":     {"defaults: {breaker: {jitter: .nan}}\n", []string{"defaults.breaker.jitter: must be a finite number"}},
		"addresses": {
			"server: {listen: '4700', admin_listen: 'a:b', drain_timeout: 0s, max_body: 1, allowed_hosts: ['a/b'], allowed_origins: ['app.example.com'], request_log: 0}\ndatabase: postgres://u:secret@h/d\n",
			[]string{
				`server.listen: must be host:port, such as 127.0.0.1:4700, not "4700"`,
				`server.admin_listen: must have a port from 0 to 65,535, and has "b"`,
				"server.drain_timeout: must be at least 1ms, not 0s",
				"server.max_body: must be 1,024 to 1,073,741,824, not 1",
				`server.allowed_hosts[0]: must be the name of a host, such as gateway.example.com, not "a/b"`,
				`server.allowed_origins[0]: must be an origin, such as https://app.example.com, not "app.example.com"`,
				"server.request_log: must be 1 to 1,000,000, not 0",
				"database: can't be PostgreSQL yet: this version keeps its state in SQLite, as in sqlite:/var/lib/ohmroute/ohmroute.db",
			},
		},
		"the request log": {
			"server: {request_log: {max_rows: 0, max_age: 24, max_size: 1024, max_ages: 1h}}\n",
			[]string{
				"server.request_log.max_rows: must be 1 to 1,000,000, not 0",
				`server.request_log.max_age: must be a duration with its unit, such as "30s", not the bare number 24`,
				"server.request_log.max_size: must be 1,048,576 to 1,073,741,824, not 1024",
				`server.request_log.max_ages: unknown member; did you mean "max_age"?`,
			},
		},
		"a request log of another form": {
			"server: {request_log: [50]}\n", []string{"server.request_log: must be a whole number or an object, not a list"},
		},
		"a request log that is a word": {
			"server:\n  request_log: ${ROWS:-many}\n", []string{"server.request_log: must be a whole number, not a string"},
		},
		"breakers, told where they stand": {
			"defaults: {breaker: {degraded_at: 0.2, failure_threshold: -1}, model: nothing}\nproviders:\n- {id: a, kind: demo, breaker: {window: 3m}, models: [{name: steady, breaker: {recovers_at: 0.1, jitter: 2}}]}\n",
			[]string{
				"defaults.breaker.failure_threshold: must be 0 to 1000000, not -1",
				"defaults.breaker.recovers_at: must be less than degraded_at 0.2, not 0.3",
				`defaults.model: there is neither a combo nor a provider/model "nothing"`,
				"providers[0].breaker.window: must be 1s to 2m0s, not 3m0s",
				"providers[0].models[0].breaker.jitter: must be 0 to 1, not 2",
			},
		},
		"duplicates": {
			`
providers: [{id: a, kind: demo}, {id: a, kind: demo}]
combos:
- {name: x, aliases: [y], targets: [{provider: a, model: steady}]}
- {name: x, targets: [{provider: a, model: steady}]}
- {name: z, aliases: [y, x, z], targets: [{provider: a, model: steady}, {provider: a, model: steady}]}
keys: [{name: k, value: 0123456789abcdef, sha256: ab}, {name: k}, {name: l, env: A, combos: [xx]}]
`,
			[]string{
				"keys[0].sha256: must be a SHA-256 in 64 hexadecimal digits",
				`providers[1].id: stands twice: "a" is also providers[0]`,
				`combos[1].name: stands twice: "x" is also combos[0].name`,
				`combos[2].aliases[0]: stands twice: "y" is also combos[0].aliases[0]`,
				`combos[2].aliases[1]: stands twice: "x" is also combos[0].name`,
				"combos[2].aliases[2]: is the combo's own name",
				"warning: combos[2].targets[1]: is the same target as targets[0]; a request asks it once",
				`keys[1].name: stands twice: "k" is also keys[0]`,
				"keys[1]: must have one of env (the name of an environment variable), value and sha256",
				`keys[2].combos[0]: there is neither a combo nor a provider/model "xx"`,
			},
		},
		"cycles": {
			"combos: [{name: a, targets: [{combo: b}]}, {name: b, targets: [{combo: c}]}, {name: c, targets: [{combo: a}]}, {name: d, targets: [{combo: a}]}]\n",
			[]string{
				"combos[0].targets[0].combo: makes a cycle: a -> b -> c -> a",
				"combos[1].targets[0].combo: makes a cycle: b -> c -> a -> b",
				"combos[2].targets[0].combo: makes a cycle: c -> a -> b -> c",
			},
		},
		"depth of combos": {
			nested(9),
			[]string{"combos[0].targets[0].combo: combos nest 9 deep here, and 8 is the most: c0 -> c1 -> c2 -> c3 -> c4 -> c5 -> c6 -> c7 -> c8"},
		},
		"the deepest that goes": {nested(8), nil},
		"nobody in the pool": {
			"providers: [{id: a, kind: demo}]\ncombos: [{name: x, targets: [{provider: a, model: steady, weight: 0}]}]\n",
			[]string{"warning: combos[0].targets: no target is in the pool: each is drained or a fallback (only_on)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, problems := ParseFile([]byte(test.text), lookup(nil))
			if got := lines(problems); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if (f == nil) != Errors(problems) {
				t.Error("there must be a file exactly if there is no error")
			}
		})
	}
}

// nested is a file of combos that nest so deep.
func nested(depth int) string {
	var b strings.Builder
	b.WriteString("providers: [{id: a, kind: demo}]\ncombos:\n")
	for i := range depth - 1 {
		b.WriteString("- {name: c" + string(rune('0'+i)) + ", targets: [{combo: c" + string(rune('1'+i)) + "}]}\n")
	}
	b.WriteString("- {name: c" + string(rune('0'+depth-1)) + ", targets: [{provider: a, model: steady}]}\n")
	return b.String()
}

// aliasBomb doubles its size with every line.
func aliasBomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := range 30 {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return b.String()
}

func TestAYAMLErrorDoesNotQuoteTheFile(t *testing.T) {
	_, problems := ParseFile([]byte("providers:\n- keys:\n  - value: sk-secret\n   name: [\n"), lookup(nil))
	if len(problems) == 0 || strings.Contains(problems[0].Message, "sk-secret") {
		t.Errorf("got %q", lines(problems))
	}
}

func TestAVariableThatIsSetToNothingTakesTheDefault(t *testing.T) {
	f, problems := ParseFile([]byte("defaults: {model: '${M:-}'}\ndatabase: ${D:-sqlite:x.db}\n"), lookup(map[string]string{"D": ""}))
	if len(problems) > 0 || f.Database != "sqlite:x.db" || f.Defaults.Model != "" {
		t.Errorf("got %+v, %q", f, lines(problems))
	}
}

func TestTheSameDocumentReadsTheSameAsJSONAndAsYAML(t *testing.T) {
	body := `{"id":"p","kind":"openai","base_url":"http://localhost:1/v1","models":["m",{"name":"n","price":{"input":1e-1,"output":2}}],"breaker":{"jitter":1e-1},"keys":[{"name":"k","env":"A"}],"headers":null}`
	r := newRig(t, newMemory(), nil)
	over := r.provider(body)
	f, problems := ParseFile([]byte(`{"providers":[`+body+`]}`), lookup(nil))
	if f == nil {
		t.Fatal(lines(problems))
	}
	file := f.Providers[0].withPreset()
	file.Origin = over.Origin
	a, _ := json.Marshal(over)
	if b, _ := json.Marshal(file); string(a) != string(b) {
		t.Errorf("HTTP %s\nfile %s", a, b)
	}
}

func TestDatabasePath(t *testing.T) {
	for dsn, want := range map[string]string{
		"":                    "data/ohmroute.db",
		"sqlite:/a/b.db":      "/a/b.db",
		"sqlite:///a/b.db":    "/a/b.db",
		"sqlite:b.db":         "b.db",
		"postgres://u:p@h/db": "database can't be PostgreSQL yet: this version keeps its state in SQLite, as in sqlite:/var/lib/ohmroute/ohmroute.db",
		"sqlite:":             "database must name a file, as in sqlite:/var/lib/ohmroute/ohmroute.db, without options",
		"sqlite:a?mode=ro":    "database must name a file, as in sqlite:/var/lib/ohmroute/ohmroute.db, without options",
		"mysql://x":           "database must begin with sqlite:, as in sqlite:/var/lib/ohmroute/ohmroute.db",
	} {
		got, err := DatabasePath(dsn, "data")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", dsn, got, want)
		}
	}
}
