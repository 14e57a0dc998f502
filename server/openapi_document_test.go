package server

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// apiDocument is openapi.json as a program reads it.
type apiDocument struct {
	root     spot
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by pointer
}

const documentURL = "https://gateway.example/openapi.json"

func readDocument(tb testing.TB) *apiDocument {
	tb.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(openAPI)))
	if err != nil {
		tb.Fatal(err)
	}
	d := &apiDocument{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	d.root = spot{doc: d, value: value}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, value); err != nil {
		tb.Fatal(err)
	}
	return d
}

// spot is a value of the document and where it stands, as a JSON pointer.
type spot struct {
	doc   *apiDocument
	at    string
	value any
}

// in goes down by names, through references; the value of what isn't there is nil.
func (s spot) in(names ...string) spot {
	for _, name := range names {
		s = s.target()
		s = spot{s.doc, s.at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name), s.object()[name]}
	}
	return s
}

func (s spot) object() map[string]any {
	object, _ := s.value.(map[string]any)
	return object
}

func (s spot) text() string {
	text, _ := s.value.(string)
	return text
}

// reference is what a reference points to, empty for what is none.
func (s spot) reference() string {
	to, _ := s.object()["$ref"].(string)
	return to
}

// target follows a reference; what is none is its own target.
func (s spot) target() spot {
	for to := s.reference(); to != ""; to = s.reference() {
		s = s.doc.find(strings.TrimPrefix(to, "#"))
	}
	return s
}

// find goes to a JSON pointer.
func (d *apiDocument) find(pointer string) spot {
	s := d.root
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		s = s.in(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return s
}

// members are those of an object, sorted by name.
func (s spot) members() map[string]spot {
	members := map[string]spot{}
	for name := range s.object() {
		members[name] = s.in(name)
	}
	return members
}

// items are those of a list.
func (s spot) items() []spot {
	list, _ := s.value.([]any)
	items := make([]spot, len(list))
	for i, item := range list {
		items[i] = spot{s.doc, s.at + "/" + strconv.Itoa(i), item}
	}
	return items
}

// schema compiles the schema that stands here.
func (s spot) schema() (*jsonschema.Schema, error) {
	if compiled := s.doc.schemas[s.at]; compiled != nil {
		return compiled, nil
	}
	compiled, err := s.doc.compiler.Compile(documentURL + "#" + (&url.URL{Path: s.at}).EscapedPath())
	if err == nil {
		s.doc.schemas[s.at] = compiled
	}
	return compiled, err
}

// validate holds a value, as JSON is read, to the schema that stands here.
func (s spot) validate(value any) error {
	compiled, err := s.schema()
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// operation is one call that the document describes.
type operation struct {
	spot
	method, path string // path as a template: /api/v1/providers/{id}
	item         spot
}

// operations are sorted by path and method.
func (d *apiDocument) operations() []operation {
	var all []operation
	paths := d.root.in("paths").members()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost, http.MethodPut} {
			if at := paths[path].in(strings.ToLower(method)); at.value != nil {
				all = append(all, operation{at, method, path, paths[path]})
			}
		}
	}
	return all
}

// called finds an operation by its id.
func (d *apiDocument) called(tb testing.TB, id string) operation {
	tb.Helper()
	all := d.operations()
	i := slices.IndexFunc(all, func(o operation) bool { return o.id() == id })
	if i < 0 {
		tb.Fatalf("no operation %s", id)
	}
	return all[i]
}

// matching finds the operation of a call; one that is named in full goes before a template.
func (d *apiDocument) matching(method, path string) (operation, bool) {
	segments := strings.Split(path, "/")
	var found operation
	for _, o := range d.operations() {
		template := strings.Split(o.path, "/")
		fits := func(segment, part string) bool { return part == segment || strings.HasPrefix(part, "{") }
		if o.method == method && slices.EqualFunc(segments, template, fits) && (found.path == "" || o.path == path) {
			found = o
		}
	}
	return found, found.path != ""
}

func (o operation) id() string { return o.in("operationId").text() }

// parameters are those of the operation and of its path, by place and name: "query limit".
func (o operation) parameters() map[string]spot {
	all := map[string]spot{}
	for _, p := range slices.Concat(o.item.in("parameters").items(), o.in("parameters").items()) {
		all[p.in("in").text()+" "+p.in("name").text()] = p.target()
	}
	return all
}

// at is the path of a call of the operation, each parameter with its example or, if there is one, with name.
func (o operation) at(name string) string {
	path := o.path
	for key, p := range o.parameters() {
		if parameter, ok := strings.CutPrefix(key, "path "); ok {
			value := name
			if value == "" {
				value = p.in("example").text()
			}
			path = strings.ReplaceAll(path, "{"+parameter+"}", url.PathEscape(value))
		}
	}
	return path
}

// security is what the operation asks of its callers: its own or the document's.
func (o operation) security() spot {
	if own := o.in("security"); own.value != nil {
		return own
	}
	return o.doc.root.in("security")
}
