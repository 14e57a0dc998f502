package simulate

import (
	"fmt"
	"strings"
	"testing"
)

// told are problems in a line each.
func told(t *testing.T, in Input) string {
	t.Helper()
	p, problems := Prepare(in)
	if p != nil {
		t.Fatal("nothing is wrong with it")
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func TestEveryProblemOfAScriptIsNamed(t *testing.T) {
	words := strings.Join(failures(), ", ")
	for name, test := range map[string]struct{ script, want string }{
		"times that can't be": {
			`
arrivals:
  - {from: 10m, to: 10m, rate: 1}
  - {rate: 1}
  - {to: 5m}
  - {from: -1s, to: 90000h, rate: 0}
  - {from: 1500us, to: 5, rate: 1}
faults:
  - {target: a, from: 3m, to: 2m, kind: hang}
  - {target: a, from: 10m, kind: hang}
  - {target: a, kind: flap, up: 0s}
`, `arrivals[3].from: must be 0s to 744h, not -1s
arrivals[3].to: must be 0s to 744h, not 90000h
arrivals[3].rate: must be 0.001 to 10000, not 0
arrivals[4].from: must be whole milliseconds, not 1500us
arrivals[4].to: must be a duration with its unit, such as "90s" or "1m30s"
arrivals[0].to: must be later than from: nothing happens from 10m to 10m
arrivals[1].to: must be given
arrivals[2].rate: must be given, in requests per second
faults[0].to: must be later than from: nothing happens from 3m to 2m
faults[1].from: is at 10m, after the last request (10m): nobody would notice
faults[2]: flap needs down and up over 0s`,
		},
		"faults that say nothing": {
			`
arrivals: [{to: 1m, rate: 1, streamed: 2, distribution: bursts}]
faults:
  - {}
  - {target: c/m, kind: hang, delay: 1s, retry_after: 1s}
  - {target: a/m, kind: broken, share: 0}
  - {target: a/m, kind: slow}
  - {target: a/m, kind: server_error, up: 1s}
  - {target: a/m, kind: flap, with: hang}
  - {target: a/m, kind: canceled}
`, `arrivals[0].streamed: must be 0 to 1, not 2
arrivals[0].distribution: must be steady or poisson, not "bursts"
faults[0].target: must be given, as provider/model, or a provider for all its models
faults[0].kind: must be given: one of ` + words + `, hang, slow, flap
faults[1].retry_after: means nothing in a fault of kind hang
faults[1].delay: means nothing in a fault of kind hang
faults[2].share: must be over 0: a fault that never hits is none
faults[2].kind: must be one of ` + words + `, hang, slow, flap, not "broken"
faults[3].delay: must be given and over 0s: by how much later a slow target answers
faults[4].up: means nothing in a fault of kind server_error
faults[5].with: must be one of ` + words + `, not "hang"
faults[6].kind: must be one of ` + words + `, hang, slow, flap, not "canceled"
faults[1].target: "c/m" is no target that the combo reaches; these are a/m, b/m`,
		},
		"members": {
			`
seeds: 1
combo: [x]
targets: {}
arrivals:
  - {to: 1m, rate: 1, rate: 2, burst: 3}
  - 5
policies: [{}, {name: x, defaults: {breaker: {failure_threshold: -1}}}, {name: x}]
`, `seeds: unknown member; there are name, seed, combo, targets, faults, arrivals, policies, defaults, providers, combos
combo: must be a string, not a list
targets: stands twice
arrivals[0].rate: stands twice
arrivals[0].burst: unknown member; there are from, to, rate, streamed, distribution, sessions
arrivals[1]: must be an object, not a number
policies[0].name: must be given
policies[2].name: stands twice: "x" is also policies[1]
policies[1].defaults.breaker.failure_threshold: must be 0 to 1000000, not -1`,
		},
		"no requests":       {"faults: []\n", "arrivals: must have at least one element: without requests nothing happens"},
		"none by chance":    {"arrivals: [{to: 1ms, rate: 0.001, distribution: poisson}]\n", "arrivals: bring no request at all"},
		"too many requests": {"arrivals: [{to: 10h, rate: 10}]\n", "arrivals: are about 360000 requests; at most 100000 can be simulated"},
		"a combo that isn't there": {
			"arrivals: [{to: 1m, rate: 1}]\ncombo: slow\n",
			"combo: there is no combo and no model slow with a target; there are fast",
		},
		"a provider of a policy": {
			"arrivals: [{to: 1m, rate: 1}]\npolicies: [{name: x, providers: [{id: b, breaker: {cooldown: 5}}]}]\n",
			`policies[0].providers[0].breaker.cooldown: must be a duration with its unit, such as "30s", not the bare number 5`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(t, Input{Script: []byte(twoTargets + test.script)}); got != test.want {
				t.Errorf("problems:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func TestATextThatIsNoScriptIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "holds 0 documents; it must be one",
		"a: 1\n---\nb: 2\n":               "holds 2 documents; it must be one",
		"[]":                              "must be an object, not a list",
		"a: {":                            "broken YAML",
		"a: *b":                           "names an anchor that isn't there",
		strings.Repeat("[", 100):          "nested deeper than 64",
		"arrivals: [{to: 1m, rate: 1}]\n": "there is no combo",
	} {
		if got := told(t, Input{Script: []byte(text)}); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

const onBothKeys = `
arrivals: [{to: 10s, rate: 1, streamed: 0}]
targets: [{target: a, first_token: 100ms, rest: 0s}]
faults: [{target: a/m, key: KEY, from: 5s, to: 6s, kind: auth}]
policies: [{name: x, defaults: {breaker: {jitter: 0}}}]
`

func TestAConfigurationFileHasTheCombos(t *testing.T) {
	file := `
server: {listen: "127.0.0.1:1"}
providers:
  - {id: a, kind: openai, base_url: "${BASE:-http://localhost:1/v1}", keys: [{name: k, env: UNSET}, {name: l, env: UNSET2}]}
combos:
  - {name: one, aliases: [uno], targets: [{combo: two}]}
  - {name: two, targets: [{provider: a, model: m}]}
`
	script := func(key string) []byte {
		return []byte(strings.Replace(onBothKeys, "KEY", key, 1))
	}
	for _, name := range []string{"one", "uno", "two", "a/m"} {
		_, o := run(t, Input{Script: script("l"), Config: []byte(file), Combo: name})
		if o.Clients.Answered != 10 || o.Faults[0].Wasted != 1 || o.Combo != name {
			t.Errorf("%s: %+v, want the sibling key to answer", name, o.Clients)
		}
		if got := fmt.Sprint(o.story()); got != "5.1s key:a/l OPEN immediate-open" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, test := range []struct {
		in   Input
		want string
	}{
		{Input{Script: script("k"), Config: []byte(file)}, "combo: must be given: one of one, two"},
		{Input{Script: script("x"), Config: []byte(file), Combo: "one"}, `faults[0].key: provider "a" has no key "x"`},
		{Input{Script: script("k"), Config: []byte("combos: 1\n")}, "combos: must be a list, not the number 1"},
		{Input{Script: script("k"), Config: []byte("combos: {\n")}, "broken YAML"},
		{Input{Script: append([]byte(twoTargets), "policies: []\narrivals: [{to: 1s, rate: 1}]\n"...), Config: []byte(file), Combo: "one"}, "providers: stands in the script, and there is a configuration file too: one has to go"},
	} {
		if got := told(t, test.in); !strings.Contains(got, test.want) {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
}

func FuzzScript(f *testing.F) {
	for _, s := range []string{twoTargets, crowd, "a: &x {b: *x}", "<<: {a: 1}", "faults: [{kind: flap, to: 1ms}]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, problems := Prepare(Input{Script: text}); (p == nil) == (len(problems) == 0) {
			t.Errorf("a plan: %t, problems: %v", p != nil, problems)
		}
	})
}
