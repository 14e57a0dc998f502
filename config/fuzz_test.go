package config

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzProviderDocument: whatever is accepted can be put back unchanged, and nothing that is read makes the reader
// panic, tell nothing, or show a secret.
func FuzzProviderDocument(f *testing.F) {
	for _, seed := range []string{
		`{"id":"p","kind":"openai","base_url":"http://localhost:1/v1","models":["m",{"name":"n","price":{"input":1}}],"keys":[{"name":"k","value":"sk-hidden"}]}`,
		`{"id":"p","kind":"demo","breaker":{"jitter":0.1,"kinds":{"timeout":{"park":"1s","scope":"key"}}},"headers":{"a":"b"},"enabled":null}`,
		`{"id":1,"id":2,"unknown":[[[{}]]]}`, `[`, `{"breaker":{"window":1}}`, "{\"id\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	sealer, err := NewSealer(make([]byte, 32))
	if err != nil {
		f.Fatal(err)
	}
	l := &Live{o: LiveOptions{Sealer: sealer}}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, problems := readDocument(l, body, nil)
		if len(problems) > 0 {
			for _, problem := range problems {
				if problem.Message == "" || strings.Contains(problem.String(), "sk-hidden") {
					t.Errorf("%+v", problem)
				}
			}
			return
		}
		first, err := json.Marshal(p)
		if err != nil || !json.Valid(first) {
			t.Fatalf("%s: %v", first, err)
		}
		back, problems := readDocument(l, first, &p)
		if len(problems) > 0 {
			t.Fatalf("%s is refused: %q", first, lines(problems))
		}
		if !same(&providerSort, &back, &p) {
			t.Errorf("put back, it is another: %s", written(true, back.members))
		}
	})
}

func readDocument(l *Live, body []byte, old *Provider) (Provider, []Problem) {
	var p Provider
	root, problems := parseJSON(body)
	if len(problems) > 0 {
		return p, problems
	}
	r := reading{}
	r.read("", &root, p.members)
	if err := l.sealKeys(&p, old); err != nil {
		r.addf("", "%s", err)
	}
	if r.problems = append(r.problems, p.check("", &Defaults{})...); len(r.problems) == 0 {
		r.problems = p.checkClient("")
	}
	return p, r.problems
}

// FuzzParseFile: no file makes the reader panic or be silent about why there is none.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{ // short ones: making a long one shorter would take all the time there is
		"providers:\n- {id: a, kind: demo, models: [m]}\n", "combos: [{name: c, targets: [{combo: c}]}]\n",
		"defaults: {breaker: {jitter: .5, kinds: {timeout: {park: 1s}}}}\n", "a: &a [*a]\n", "? x\n: y\n", "{a: ${A:-b}, b: [", "<<: 1\n", "- !!str 1\n", "a: |\n  ${X}\n", "\t",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, problems := ParseFile(text, lookup(map[string]string{"A": "b"}))
		if (file == nil) != Errors(problems) {
			t.Errorf("a file: %v; problems: %q", file != nil, lines(problems))
		}
		for _, p := range problems {
			if p.Message == "" {
				t.Errorf("a problem without words at %q", p.Path)
			}
		}
	})
}
