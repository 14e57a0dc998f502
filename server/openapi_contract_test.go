package server

import (
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract holds calls of a gateway and their answers to the document, and remembers what of the document was seen.
type contract struct {
	*gateway
	doc  *apiDocument
	seen map[string]bool // "getProvider 404", and the pointers of members that stood in valid JSON
}

func newContract(tb testing.TB) *contract {
	tb.Helper()
	return &contract{doc: readDocument(tb), seen: map[string]bool{}}
}

// with is the contract with a gateway.
func (c *contract) with(g *gateway) *contract { return &contract{g, c.doc, c.seen} }

// admin calls the admin side as the document says.
func (c *contract) admin(method, path, body string, headers ...string) reply {
	c.t.Helper()
	return c.held(c.gateway.admin(method, path, body, headers...), method, path, body)
}

// must is admin for a call that has to work.
func (c *contract) must(method, path, body string) reply {
	c.t.Helper()
	re := c.admin(method, path, body)
	if re.Code >= 300 {
		c.t.Fatalf("%s %s answered %d: %s", method, path, re.Code, re.Body)
	}
	return re
}

// ask calls without the admin token.
func (c *contract) ask(method, path, body string, headers ...string) reply {
	c.t.Helper()
	return c.held(c.gateway.ask(method, path, body, headers...), method, path, body)
}

// held compares a call and its answer with the document.
func (c *contract) held(re reply, method, target, body string) reply {
	c.t.Helper()
	path, query, _ := strings.Cut(target, "?")
	o, ok := c.doc.matching(method, path)
	if !ok {
		c.t.Fatalf("%s %s is not in openapi.json", method, path)
	}
	if re.Code < 300 {
		c.askedFor(o, query, body)
	}
	status := strconv.Itoa(re.Code)
	answer := o.in("responses", status)
	if answer.value == nil {
		answer = o.in("responses", "default")
	}
	if answer.value == nil {
		c.t.Errorf("%s answered %d, which is not in openapi.json: %s", o.id(), re.Code, re.Body)
		return re
	}
	c.seen[o.id()+" "+answer.at[strings.LastIndex(answer.at, "/")+1:]] = true
	c.headers(o, re, answer.in("headers"))
	c.content(o.id()+" "+status, re, answer.target().in("content"))
	return re
}

// askedFor holds a request that was accepted to the document.
func (c *contract) askedFor(o operation, query, body string) {
	c.t.Helper()
	asked, err := url.ParseQuery(query)
	if err != nil {
		c.t.Fatal(err)
	}
	parameters := o.parameters()
	for name, values := range asked {
		p, known := parameters["query "+name]
		if !known {
			c.t.Errorf("%s takes no %s", o.id(), name)
			continue
		}
		c.fits(o.id()+"?"+name, p.in("schema"), typed(p.in("schema"), values[0]))
		c.seen[p.at] = true
	}
	takes := o.in("requestBody")
	if body == "" {
		if takes.in("required").value == true {
			c.t.Errorf("%s took no body, and the document says that it is required", o.id())
		}
		return
	}
	media := takes.in("content", "application/json")
	if media.value == nil {
		c.t.Errorf("%s takes no JSON", o.id())
		return
	}
	c.fits(o.id()+" took what", media.in("schema"), c.parsed(body))
}

// typed is the text of a parameter or a header as its schema wants it.
func typed(schema spot, text string) any {
	if n, err := strconv.Atoi(text); err == nil && schema.target().in("type").text() == "integer" {
		return n
	}
	return text
}

// transportHeaders are those that HTTP itself describes.
var transportHeaders = []string{"Content-Type", "Content-Length", "Cache-Control", "Connection", "Vary", "X-Accel-Buffering"}

func (c *contract) headers(o operation, re reply, described spot) {
	c.t.Helper()
	for name, h := range described.members() {
		value := re.Header().Get(name)
		if value == "" && h.in("required").value != true {
			continue
		}
		if value == "" {
			c.t.Errorf("%s answered %d without %s", o.id(), re.Code, name)
			continue
		}
		c.fits(o.id()+" "+name, h.in("schema"), typed(h.in("schema"), value))
	}
	for name := range re.Header() {
		known := slices.ContainsFunc(slices.Collect(maps.Keys(described.object())), func(d string) bool { return strings.EqualFold(d, name) })
		if !known && !slices.Contains(transportHeaders, name) {
			c.t.Errorf("%s answered %d with the header %s, which is not in openapi.json", o.id(), re.Code, name)
		}
	}
}

func (c *contract) content(what string, re reply, described spot) {
	c.t.Helper()
	if described.value == nil {
		if re.Body.Len() > 0 {
			c.t.Errorf("%s has a body, and the document says none: %s", what, re.Body)
		}
		return
	}
	media, _, err := mime.ParseMediaType(re.Header().Get("Content-Type"))
	if err != nil {
		c.t.Errorf("%s: content type: %v", what, err)
		return
	}
	schema := described.in(media, "schema")
	switch {
	case schema.value == nil:
		c.t.Errorf("%s is %s, which is not in openapi.json", what, media)
	case media == "application/json":
		c.fits(what, schema, c.parsed(re.Body.String()))
	default:
		c.fits(what, schema, re.Body.String())
	}
}

func (c *contract) parsed(text string) any {
	c.t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		c.t.Fatalf("no JSON: %v in %s", err, text)
	}
	return value
}

// fits holds a value to a schema and remembers its members.
func (c *contract) fits(what string, schema spot, value any) {
	c.t.Helper()
	if err := schema.validate(value); err != nil {
		c.t.Errorf("%s doesn't fit openapi.json: %v\n%v", what, err, value)
		return
	}
	c.note(schema, value)
}

// note remembers which members of a schema a valid value has. Null says nothing of what the member may be.
func (c *contract) note(schema spot, value any) {
	schema = schema.target()
	for _, part := range schema.in("allOf").items() {
		c.note(part, value)
	}
	for _, choice := range slices.Concat(schema.in("anyOf").items(), schema.in("oneOf").items()) {
		if choice.validate(value) == nil {
			c.note(choice, value)
		}
	}
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			c.note(schema.in("items"), item)
		}
	case map[string]any:
		properties := schema.in("properties").object()
		for name, member := range value {
			if _, known := properties[name]; !known {
				c.note(schema.in("additionalProperties"), member)
			} else if member != nil {
				property := schema.in("properties", name)
				c.seen[property.at] = true
				c.note(property, member)
			}
		}
	}
}

// complete reports what of the document was never seen: answers of operations, parameters, members of schemas.
func (c *contract) complete(t *testing.T) {
	for _, o := range c.doc.operations() {
		for status := range o.in("responses").object() {
			if status != "500" && !c.seen[o.id()+" "+status] { // only a bug answers so, and all of them alike
				t.Errorf("%s never answered %s", o.id(), status)
			}
		}
		for key, p := range o.parameters() {
			if strings.HasPrefix(key, "query ") && !c.seen[p.at] {
				t.Errorf("%s was never asked with %s", o.id(), key)
			}
		}
	}
	if !c.seen["getRequest 500"] {
		t.Error("no bug was answered")
	}
	for name, schema := range c.doc.root.in("components", "schemas").members() {
		for _, property := range schema.in("properties").members() {
			if !c.seen[property.at] {
				t.Errorf("%s: nothing had the member %s", name, property.at)
			}
		}
	}
}

// served is for a request that a test makes by itself.
func (c *contract) served(r *http.Request, body string) reply {
	c.t.Helper()
	re := c.serve(r)
	return c.held(re, r.Method, r.URL.RequestURI(), body)
}
