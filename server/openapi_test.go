package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheDocumentIsOpenAPI holds openapi.json to the rules of OpenAPI 3.1, as far as they can be checked without a network.
func TestTheDocumentIsOpenAPI(t *testing.T) {
	d := readDocument(t)
	g := &grammar{t: t, found: map[string][]spot{}, used: map[string]bool{}}
	g.check(d.root, "document")
	if v := d.root.in("openapi").text(); !strings.HasPrefix(v, "3.1.") {
		t.Errorf("openapi %q", v)
	}
	t.Run("every component is described and used", func(t *testing.T) {
		for _, section := range []string{"schemas", "parameters", "headers", "responses"} {
			for _, c := range d.root.in("components", section).members() {
				if !g.used["#"+c.at] || c.in("description").text() == "" {
					t.Errorf("nothing refers to %s, or it has no description", c.at)
				}
			}
		}
	})
	t.Run("ids of operations are unique and fit to be names", func(t *testing.T) {
		seen := map[string]bool{}
		for _, o := range g.found["operation"] {
			id := o.in("operationId").text()
			if seen[id] || !regexp.MustCompile(`^[a-z][A-Za-z]+$`).MatchString(id) {
				t.Errorf("%s: operationId %q", o.at, id)
			}
			seen[id] = true
		}
	})
	t.Run("every operation has one tag, and every tag is described and used", func(t *testing.T) {
		described := map[string]bool{}
		for _, tag := range d.root.in("tags").items() {
			described[tag.in("name").text()] = tag.in("description").text() != ""
		}
		used := map[string]bool{}
		for _, o := range g.found["operation"] {
			tags := o.in("tags").items()
			if len(tags) != 1 || !described[tags[0].text()] {
				t.Errorf("%s: tags %v", o.at, o.in("tags").value)
				continue
			}
			used[tags[0].text()] = true
		}
		if len(used) != len(described) {
			t.Errorf("used are %v, described %v", used, described)
		}
	})
	t.Run("security is defined", func(t *testing.T) { checkSecurity(t, d, g) })
	t.Run("parameters of paths are declared", func(t *testing.T) { checkParameters(t, d) })
	t.Run("every schema is one of JSON Schema 2020-12", func(t *testing.T) {
		for _, s := range g.found["schema"] {
			if _, err := s.schema(); err != nil {
				t.Errorf("%s: %v", s.at, err)
			}
		}
	})
	t.Run("every object is closed, or says that it is open", func(t *testing.T) {
		for _, s := range g.found["schema"] {
			if s.in("type").text() == "object" && s.reference() == "" && s.in("additionalProperties").value == nil && s.in("properties").value != nil {
				t.Errorf("%s does not say what other members it may have", s.at)
			}
		}
	})
	t.Run("whatever a generated client makes a type of has a name", func(t *testing.T) {
		for _, s := range g.found["schema"] {
			named := strings.Count(s.at, "/") == strings.Count("/components/schemas/Name", "/") && strings.HasPrefix(s.at, "/components/schemas/")
			typed := s.object()["enum"] != nil || s.object()["type"] == "object" && s.object()["additionalProperties"] != true
			if typed && !named {
				t.Errorf("%s belongs among the components", s.at)
			}
		}
	})
	t.Run("examples and defaults fit their schemas", func(t *testing.T) { checkExamples(t, g) })
}

func checkSecurity(t *testing.T, d *apiDocument, g *grammar) {
	used := map[string]bool{}
	for _, requirement := range g.found["requirement"] {
		for name, scopes := range requirement.members() {
			used[name] = true
			if d.root.in("components", "securitySchemes", name).value == nil || len(scopes.items()) > 0 {
				t.Errorf("%s: %s is no scheme, or has scopes", requirement.at, name)
			}
		}
	}
	for name := range d.root.in("components", "securitySchemes").object() {
		if !used[name] {
			t.Errorf("nothing asks for %s", name)
		}
	}
}

func checkParameters(t *testing.T, d *apiDocument) {
	for _, o := range d.operations() {
		if n := len(o.item.in("parameters").items()) + len(o.in("parameters").items()); n != len(o.parameters()) {
			t.Errorf("%s: a parameter stands twice", o.id())
		}
		var declared, named []string
		for key, p := range o.parameters() {
			if name, ok := strings.CutPrefix(key, "path "); ok {
				declared = append(declared, name)
				if p.in("required").value != true {
					t.Errorf("%s: a parameter of the path must be required", p.at)
				}
			}
		}
		for _, match := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(o.path, -1) {
			named = append(named, match[1])
		}
		if !slices.Equal(declared, named) {
			t.Errorf("%s declares %v", o.path, declared)
		}
	}
}

func checkExamples(t *testing.T, g *grammar) {
	fits := func(example, schema spot) {
		if err := schema.validate(example.value); err != nil && example.value != nil {
			t.Errorf("%s: %v", example.at, err)
		}
	}
	for _, s := range g.found["schema"] {
		plain := spot{s.doc, s.at, s.value}
		for _, example := range plain.in("examples").items() {
			fits(example, s)
		}
		if own, ok := s.object()["default"]; ok {
			fits(spot{s.doc, s.at + "/default", own}, s)
		}
	}
	for _, form := range []string{"parameter", "media"} {
		for _, s := range g.found[form] {
			fits(s.in("example"), spot{s.doc, s.at + "/schema", s.object()["schema"]})
			for _, example := range s.in("examples").members() {
				fits(example.in("value"), spot{s.doc, s.at + "/schema", s.object()["schema"]})
			}
		}
	}
}

// asked says which security the document has for the routes of a role.
var asked = map[role]string{
	roleOpen:    `[]`,
	roleClient:  `[{},{"clientKey":[]},{"clientKeyHeader":[]}]`,
	roleMetrics: `[{},{"adminToken":[]},{"session":[]},{"metricsToken":[]}]`,
	roleAdmin:   `[{"adminToken":[]},{"session":[]}]`,
	roleLogin:   `[]`,
}

// TestTheDocumentAndTheRoutesAreTheSame walks the whole table: a new row of the admin side fails until it is described.
func TestTheDocumentAndTheRoutesAreTheSame(t *testing.T) {
	d := readDocument(t)
	described := map[string]operation{}
	for _, o := range d.operations() {
		described[o.method+" "+o.path] = o
	}
	for _, rt := range routes {
		path := regexp.MustCompile(`:(\w+)`).ReplaceAllString(strings.Replace(rt.path, "*", "{id}", 1), "{$1}")
		if rt.role == roleClient {
			path = clientPrefixes[0] + path
		}
		o, ok := described[rt.method+" "+path]
		delete(described, rt.method+" "+path)
		switch {
		case ok:
			if got, err := json.Marshal(o.security().value); err != nil || string(got) != asked[rt.role] {
				t.Errorf("%s %s asks for %s (%v), want %s", rt.method, path, got, err, asked[rt.role])
			}
		case strings.HasPrefix(path, "/api/v1/") || quietRoutes[rt.path]:
			t.Errorf("%s %s is not in openapi.json", rt.method, path)
		}
	}
	for call := range described {
		t.Errorf("%s is in openapi.json and is no route", call)
	}
}

func TestTheDocumentIsServed(t *testing.T) {
	g := newGateway(t, false)
	re := g.must(http.MethodGet, "/api/v1/openapi.json", "")
	if re.Header().Get("Content-Type") != "application/json" || !bytes.Equal(re.Body.Bytes(), openAPI) {
		t.Errorf("%v, %d bytes", re.Header(), re.Body.Len())
	}
}
