package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// input is a document that is written, and the least that has to be in it for all its members to be reached.
type input struct{ schema, collection, base string }

var inputs = []input{
	{"ProviderInput", "/api/v1/providers", `{"id":"x","kind":"openai","base_url":"http://127.0.0.1:1/v1","models":[{"name":"m"}],"keys":[{"name":"k","env":"K"}]}`},
	{"ComboInput", "/api/v1/combos", `{"name":"x","targets":[{"provider":"p","model":"m"}]}`},
	{"ClientKeyInput", "/api/v1/keys", `{"name":"x"}`},
}

// TestTheMembersAndRangesOfTheDocumentAreTheServers asks the server, member by member, what it takes.
func TestTheMembersAndRangesOfTheDocumentAreTheServers(t *testing.T) {
	for _, in := range inputs {
		t.Run(in.schema, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGateway(t, false)
				g.must(http.MethodPost, "/api/v1/providers", `{"id":"p","kind":"demo"}`)
				a := asker{g, in}
				a.object(readDocument(t).root.in("components", "schemas", in.schema), "")
			})
		})
	}
}

// asker sends documents in which one member is another than in the base.
type asker struct {
	*gateway
	input
}

// complaint is what the server says of the member at a path, empty if nothing is wrong with it.
func (a *asker) complaint(path string, value any) string {
	a.t.Helper()
	var document any
	if err := json.Unmarshal([]byte(a.base), &document); err != nil {
		a.t.Fatal(err)
	}
	body := asJSON(changed(document, strings.Split(strings.ReplaceAll(path, "[0]", ".[0]"), "."), value))
	re := a.admin(http.MethodPost, a.collection, body)
	switch re.Code {
	case http.StatusCreated:
		name, _ := re.json()["id"].(string)
		if name == "" {
			name, _ = re.json()["name"].(string)
		}
		a.must(http.MethodDelete, a.collection+"/"+name, "")
	case http.StatusBadRequest:
		for _, problem := range re.envelope()["details"].([]any) {
			if problem := problem.(map[string]any); problem["path"] == path {
				return problem["message"].(string)
			}
		}
	default:
		a.t.Fatalf("%s at %s: status %d: %s", asJSON(value), path, re.Code, re.Body)
	}
	return ""
}

// changed is a document with a value put at a way down into it; what is missing on the way is made.
func changed(document any, way []string, value any) any {
	switch {
	case len(way) == 0:
		return value
	case way[0] == "[0]":
		list, _ := document.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = changed(list[0], way[1:], value)
		return list
	default:
		object, _ := document.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		object[way[0]] = changed(object[way[0]], way[1:], value)
		return object
	}
}

// object compares the members of an object with those that the server takes, and goes down into them.
func (a *asker) object(schema spot, path string) {
	prefix := path
	if path != "" {
		prefix += "."
	}
	var known []string
	for name, property := range schema.target().in("properties").members() {
		if strings.HasSuffix(name, "_ms") || ownOfProviders(path, name) {
			continue
		}
		known = append(known, name)
		if property.target().in("readOnly").value != true && property.in("readOnly").value != true {
			a.member(property, prefix+name)
		}
	}
	_, list, _ := strings.Cut(a.complaint(prefix+"zzzzzz", 1), "there are ")
	taken := strings.Split(list, ", ")
	slices.Sort(known)
	slices.Sort(taken)
	if !slices.Equal(known, taken) {
		a.t.Errorf("%s at %q: the server takes %v, openapi.json has %v", a.schema, path, taken, known)
	}
}

// ownOfProviders are members of a kind's settings that a model can't change.
func ownOfProviders(path, name string) bool {
	return strings.HasPrefix(path, "models[0].breaker.kinds.") && slices.Contains([]string{"counts", "scope", "failover"}, name)
}

func (a *asker) member(schema spot, path string) {
	target := schema.target()
	for _, choice := range target.in("anyOf").items() {
		a.member(choice, path)
	}
	if target.in("properties").value != nil {
		a.object(target, path)
	}
	if target.in("propertyNames").value != nil {
		key := target.in("propertyNames", "enum").items()[0].text()
		a.member(target.in("additionalProperties"), path+"."+key)
	}
	if items := target.in("items"); items.value != nil {
		a.member(items, path+"[0]")
	}
	good, bad := edges(target, path)
	for _, value := range good {
		if wrong := a.complaint(path, value); wrong != "" {
			a.t.Errorf("%s: %s is refused, and openapi.json allows it: %s", path, asJSON(value), wrong)
		}
	}
	for _, value := range bad {
		if a.complaint(path, value) == "" {
			a.t.Errorf("%s: %s is taken, and openapi.json forbids it", path, asJSON(value))
		}
	}
}

// edges are values at the edges of what a schema allows, on either side.
func edges(schema spot, path string) (good, bad []any) {
	switch strings.TrimPrefix(schema.at, "/components/schemas/") {
	case "Duration":
		good, bad = []any{"1ms", "1s"}, []any{"0s", "999us", "-1s", "1", 5}
		if strings.HasSuffix(path, ".window") { // its description says 1s to 2m
			good, bad = []any{"1s", "2m"}, append(bad, "999ms", "2m1ms")
		}
		return good, bad
	case "DurationOrZero":
		return []any{"0s", "1ms"}, []any{"999us", "-1s", "1", 5}
	}
	integers := strings.Contains(fmt.Sprint(schema.in("type").value), "integer")
	for keyword, step := range map[string]float64{"minimum": -0.25, "maximum": 0.25} {
		edge, ok := schema.in(keyword).value.(json.Number)
		if !ok {
			continue
		}
		n, err := edge.Float64()
		if err != nil {
			panic(err) // the document is checked elsewhere
		}
		if integers {
			step *= 4
		}
		bad = append(bad, n+step)
		if !strings.HasSuffix(path, "recovers_at") || keyword == "minimum" { // it has to be less than degraded_at
			good = append(good, n)
		}
	}
	for _, word := range schema.in("enum").items() {
		good = append(good, word.value)
	}
	switch {
	case len(schema.in("enum").items()) > 0:
		bad = append(bad, "no-such-word")
	case schema.in("type").text() == "boolean":
		good, bad = []any{true, false}, []any{"yes"}
	case schema.in("maxLength").value != nil:
		good, bad = []any{strings.Repeat("é", 128)}, []any{"", strings.Repeat("x", 129), " x", "a\nb"}
	}
	return good, bad
}

// TestTheWordsOfTheDocumentAreTheProducts: neither side knows one that the other doesn't.
func TestTheWordsOfTheDocumentAreTheProducts(t *testing.T) {
	d := readDocument(t)
	for schema, words := range productWords(t) {
		var listed []string
		for _, word := range d.root.in("components", "schemas", schema, "enum").items() {
			listed = append(listed, word.text())
		}
		slices.Sort(listed)
		slices.Sort(words)
		if !slices.Equal(listed, words) {
			t.Errorf("%s: openapi.json has %v, the product %v", schema, listed, words)
		}
	}
}

// TestTheDefaultsOfTheDocumentAreTheProducts compares what descriptions name as a default.
func TestTheDefaultsOfTheDocumentAreTheProducts(t *testing.T) {
	d := readDocument(t)
	for schema, defaults := range productDefaults() {
		properties := d.root.in("components", "schemas", schema, "properties")
		for _, name := range slices.Sorted(maps.Keys(properties.object())) {
			description := properties.object()[name].(map[string]any)["description"]
			_, said, found := strings.Cut(fmt.Sprint(description), "Default `")
			said, _, _ = strings.Cut(said, "`")
			if want, known := defaults[name]; known != found || said != want {
				t.Errorf("%s.%s: openapi.json says %q, the product %q", schema, name, said, want)
			}
		}
	}
}
