package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// plainOf is what encoding/json would make of a tree without duplicate members.
func plainOf(t *testing.T, n *node) any {
	t.Helper()
	switch n.form {
	case formFlag:
		return n.text == "true"
	case formNumber:
		return json.Number(n.text)
	case formText:
		return n.text
	case formList:
		list := []any{}
		for i := range n.items {
			list = append(list, plainOf(t, &n.items[i]))
		}
		return list
	case formObject:
		object := map[string]any{}
		for i := range n.members {
			object[n.members[i].name] = plainOf(t, &n.members[i].value)
		}
		return object
	default:
		return nil
	}
}

// FuzzJSON: the parser takes what encoding/json takes, up to a depth, and reads it alike.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e+3,true,false,null,"x"],"b":{}}`, ` [ ] `, `"\u00e9\"\\"`, `{"a":1,"a":2}`, `[1,]`, `{"a" 1}`, `7`, "{\"\\u0061\":\"a,:]}\"}", `"\ud800"`, `nul`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		root, problems := parseJSON(body)
		if len(problems) > 0 {
			if problems[0].Message == errDepth.Error() || strings.Contains(problems[0].Message, "UTF-8") {
				return
			}
			if json.Valid(body) {
				t.Errorf("%q is refused: %q", body, lines(problems))
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatalf("%q is accepted: %v", body, err)
		}
		if got := plainOf(t, &root); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %#v, want %#v", body, got, want)
		}
	})
}
