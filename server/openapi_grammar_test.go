package server

import (
	"encoding/json"
	"strings"
	"testing"
)

// openAPIForm is one sort of object of OpenAPI 3.1: the fields that it may have, each with the sort of its value, and
// those that it must have. "map x" and "list x" hold any number of x.
type openAPIForm struct {
	required string
	fields   map[string]string
}

// openAPIForms are the sorts of objects as far as the document uses them.
var openAPIForms = map[string]openAPIForm{
	"document": {"openapi info paths", map[string]string{
		"openapi": "text", "info": "info", "servers": "list server", "paths": "map path", "components": "components",
		"security": "list requirement", "tags": "list tag",
	}},
	"info":     {"title version", map[string]string{"title": "text", "version": "text", "summary": "text", "description": "text", "license": "license"}},
	"license":  {"name", map[string]string{"name": "text", "identifier": "text"}},
	"server":   {"url", map[string]string{"url": "text", "description": "text", "variables": "map variable"}},
	"variable": {"default", map[string]string{"default": "text", "enum": "list text", "description": "text"}},
	"tag":      {"name", map[string]string{"name": "text", "description": "text"}},
	"path": {"", map[string]string{
		"parameters": "list parameter", "get": "operation", "put": "operation", "post": "operation", "delete": "operation",
	}},
	"operation": {"operationId summary tags responses", map[string]string{
		"tags": "list text", "summary": "text", "description": "text", "operationId": "text", "parameters": "list parameter",
		"requestBody": "body", "responses": "map response", "security": "list requirement",
	}},
	"parameter": {"name in schema description", map[string]string{
		"name": "text", "in": "text", "description": "text", "required": "flag", "schema": "schema", "example": "any",
	}},
	"body": {"content", map[string]string{"description": "text", "required": "flag", "content": "map media"}},
	"media": {"schema", map[string]string{
		"schema": "schema", "x-itemSchema": "schema", "example": "any", "examples": "map example",
	}},
	"example":  {"summary value", map[string]string{"summary": "text", "value": "any"}},
	"response": {"description", map[string]string{"description": "text", "headers": "map header", "content": "map media"}},
	"header":   {"schema", map[string]string{"description": "text", "required": "flag", "schema": "schema"}},
	"components": {"", map[string]string{
		"securitySchemes": "map scheme", "parameters": "map parameter", "headers": "map header", "responses": "map response",
		"schemas": "map schema",
	}},
	"scheme":        {"type description", map[string]string{"type": "text", "description": "text", "name": "text", "in": "text", "scheme": "text"}},
	"requirement":   {"", nil}, // any scheme
	"discriminator": {"propertyName", map[string]string{"propertyName": "text", "mapping": "map text"}},
	"schema": {"", map[string]string{
		"$ref": "text", "description": "text", "type": "any", "enum": "list any", "const": "any", "format": "text", "pattern": "text",
		"default": "any", "examples": "list any", "readOnly": "flag",
		"minimum": "number", "maximum": "number", "minLength": "number", "maxLength": "number",
		"properties": "map schema", "required": "list text", "additionalProperties": "schema or flag", "propertyNames": "schema",
		"dependentRequired": "map any", "items": "schema", "minItems": "number", "maxItems": "number", "uniqueItems": "flag",
		"allOf": "list schema", "anyOf": "list schema", "oneOf": "list schema", "discriminator": "discriminator",
	}},
}

// sections are where what can be referred to stands.
var sections = map[string]string{
	"parameter": "#/components/parameters/", "header": "#/components/headers/", "response": "#/components/responses/",
	"schema": "#/components/schemas/",
}

// grammar holds a document to the forms and collects what stands in it.
type grammar struct {
	t     *testing.T
	found map[string][]spot // by form
	used  map[string]bool   // references
}

func (g *grammar) check(s spot, form string) {
	if elements, ok := strings.CutPrefix(form, "list "); ok {
		if _, list := s.value.([]any); !list {
			g.t.Errorf("%s is no list", s.at)
		}
		for _, item := range s.items() {
			g.check(item, elements)
		}
		return
	}
	if elements, ok := strings.CutPrefix(form, "map "); ok {
		if s.object() == nil {
			g.t.Errorf("%s is no object", s.at)
		}
		for _, member := range s.members() {
			g.check(member, elements)
		}
		return
	}
	if form == "schema or flag" {
		if form = "flag"; s.object() != nil {
			form = "schema"
		}
	}
	if f, ok := openAPIForms[form]; ok {
		g.object(s, form, f)
		return
	}
	right := true
	switch form {
	case "text":
		right = s.text() != ""
	case "flag":
		_, right = s.value.(bool)
	case "number":
		_, right = s.value.(json.Number)
	}
	if !right {
		g.t.Errorf("%s is no %s, or empty", s.at, form)
	}
}

func (g *grammar) object(s spot, form string, f openAPIForm) {
	object := s.object()
	if object == nil {
		g.t.Errorf("%s is no object, but should be a %s", s.at, form)
		return
	}
	if to := s.reference(); to != "" {
		g.used[to] = true
		if section := sections[form]; section == "" || !strings.HasPrefix(to, section) || s.target().value == nil {
			g.t.Errorf("%s refers to %s, which is no %s", s.at, to, form)
		}
		if form != "schema" {
			if len(object) > 1 {
				g.t.Errorf("%s: what stands beside a reference is ignored", s.at)
			}
			return
		}
	}
	g.found[form] = append(g.found[form], s)
	if f.fields == nil {
		return
	}
	for name := range object {
		elements, known := f.fields[name]
		if !known {
			g.t.Errorf("%s: a %s has no field %s", s.at, form, name)
			continue
		}
		g.check(spot{s.doc, s.at + "/" + name, object[name]}, elements)
	}
	for name := range strings.FieldsSeq(f.required) {
		if object[name] == nil {
			g.t.Errorf("%s: a %s needs the field %s", s.at, form, name)
		}
	}
}
