package translate

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// partialCall are the arguments of a call that come in pieces. A piece says for a path, "$.items[0].name", a value or
// what a text goes on with; the call is whole with the first event that doesn't say that it goes on.
type partialCall struct {
	name string
	root partialValue
}

// partialValue is a value that is not known whole.
type partialValue struct {
	raw     string // JSON of a value that came at once
	text    []byte
	isText  bool
	isList  bool
	keys    []string // of the members, in their order; a list's are its indexes
	members map[string]*partialValue
}

// deepestArguments is how deep a path may lead.
const deepestArguments = 64

// piece takes up the next piece of the call's arguments.
func (r *geminiReader) piece(call gjson.Result, said []event) []event {
	for _, p := range call.Get("partialArgs").Array() {
		if v := r.partly.root.at(p.Get("jsonPath").String()); v != nil {
			v.take(p)
		}
	}
	if args := call.Get("args|@ugly"); args.IsObject() && args.Raw != "{}" {
		r.partly.root.raw = args.Raw
	}
	if call.Get("willContinue").Bool() {
		return said
	}
	return r.whole(said)
}

// whole says the arguments that came in pieces.
func (r *geminiReader) whole(said []event) []event {
	if r.partly == nil {
		return said
	}
	if root := &r.partly.root; root.raw == "" {
		root.raw = "{}"
	}
	var w writer
	r.partly.root.write(&w)
	r.partly = nil
	return r.argued(string(w.b), said)
}

func (v *partialValue) take(p gjson.Result) {
	if text := p.Get("stringValue"); text.Exists() {
		v.isText = true
		v.text = append(v.text, text.String()...)
		return
	}
	for _, name := range []string{"numberValue", "boolValue"} {
		if value := p.Get(name); value.Exists() {
			v.raw = value.Raw
			return
		}
	}
	if p.Get("nullValue").Exists() {
		v.raw = "null"
	}
}

// at is the value that a path leads to from the arguments as a whole, which are an object; nil if it can't be read.
func (v *partialValue) at(path string) *partialValue {
	steps := stepsOf(strings.TrimPrefix(path, "$"))
	if len(steps) == 0 || steps[0].index {
		return nil
	}
	for _, s := range steps {
		v = v.member(s)
	}
	return v
}

func (v *partialValue) member(s step) *partialValue {
	if m := v.members[s.key]; m != nil {
		return m
	}
	if v.members == nil {
		v.members, v.isList = map[string]*partialValue{}, s.index
	}
	m := &partialValue{}
	v.members[s.key], v.keys = m, append(v.keys, s.key)
	return m
}

// step leads to a member of an object or to an item of a list.
type step struct {
	key   string
	index bool
}

// stepsOf reads the steps of a path; none if it is too long or can't be read.
func stepsOf(path string) []step {
	var steps []step
	for path != "" {
		s, rest, ok := nextStep(path)
		if !ok || len(steps) == deepestArguments {
			return nil
		}
		steps, path = append(steps, s), rest
	}
	return steps
}

// nextStep reads the first step of a path: ".name", "[0]" or "['name']".
func nextStep(path string) (s step, rest string, ok bool) {
	if name, dotted := strings.CutPrefix(path, "."); dotted {
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			end = len(name)
		}
		return step{key: name[:end]}, name[end:], end > 0
	}
	inner, bracket := strings.CutPrefix(path, "[")
	if !bracket || inner == "" {
		return step{}, "", false
	}
	if quote := inner[:1]; quote == "'" || quote == `"` {
		s.key, rest, ok = strings.Cut(inner[1:], quote+"]")
		return s, rest, ok
	}
	s.index = true
	s.key, rest, ok = strings.Cut(inner, "]")
	_, err := strconv.ParseUint(s.key, 10, 31)
	return s, rest, ok && err == nil
}

// write writes the value: its members, if it has any.
func (v *partialValue) write(w *writer) {
	switch {
	case len(v.keys) > 0 && v.isList:
		w.begin('[')
		for _, key := range v.keys {
			v.members[key].write(w)
		}
		w.end(']')
	case len(v.keys) > 0:
		w.begin('{')
		for _, key := range v.keys {
			w.key(key)
			v.members[key].write(w)
		}
		w.end('}')
	case v.isText:
		w.text(string(v.text))
	case v.raw != "":
		w.raw(v.raw)
	default:
		w.raw("null")
	}
}
