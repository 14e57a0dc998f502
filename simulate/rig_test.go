package simulate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// twoTargets is the configuration of most scripts: a is asked first. Answers come at once and whole, so that no answer
// of before a fault is counted in it.
const twoTargets = `
defaults:
  breaker: {failure_threshold: 5, reset_timeout: 30s, cooldown: 0s, jitter: 0}
providers:
  - {id: a, kind: openai, base_url: "http://localhost:1/v1"}
  - {id: b, kind: openai, base_url: "http://localhost:2/v1"}
combos:
  - {name: fast, targets: [{provider: a, model: m}, {provider: b, model: m}]}
targets:
  - {target: a, first_token: 100ms, rest: 0s}
  - {target: b, first_token: 100ms, rest: 0s}
`

// prepare makes the plan of a script that has no problem.
func prepare(t *testing.T, in Input) *Plan {
	t.Helper()
	p, problems := Prepare(in)
	if p == nil {
		t.Fatalf("problems: %v", problems)
	}
	return p
}

// play runs a script of two targets with one policy.
func play(t *testing.T, script string) (*Result, *Outcome) {
	t.Helper()
	return run(t, Input{Script: []byte(twoTargets + script)})
}

func run(t *testing.T, in Input) (*Result, *Outcome) {
	t.Helper()
	r, err := prepare(t, in).Run()
	if err != nil {
		t.Fatal(err)
	}
	return r, &r.Policies[0]
}

// shown is a result in all its forms.
func shown(t *testing.T, r *Result) string {
	t.Helper()
	var out bytes.Buffer
	for _, show := range []func() error{
		func() error { return r.Text(&out) },
		func() error { return r.HTML(&out) },
		func() error { return json.NewEncoder(&out).Encode(r) },
	} {
		if err := show(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// wants compares what is given by name.
func wants[T comparable](t *testing.T, got, want map[string]T) {
	t.Helper()
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: %v, want %v", name, got[name], w)
		}
	}
}

// story is a policy's transitions in a line each.
func (o *Outcome) story() string {
	var lines []string
	for i := range o.Transitions {
		s := &o.Transitions[i]
		lines = append(lines, strings.Join([]string{s.At.String(), s.Name, s.To, s.Reason}, " "))
	}
	return strings.Join(lines, "\n")
}
