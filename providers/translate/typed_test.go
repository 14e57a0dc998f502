package translate

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestMembersAreReadAsWhatTheyHaveToBe(t *testing.T) {
	list := func(v gjson.Result, param string) (string, error) {
		elements, err := listAt(v, param)
		var text strings.Builder
		for _, e := range elements {
			text.WriteString(e.Raw + ";")
		}
		return text.String(), err
	}
	for name, c := range map[string]struct {
		read func(gjson.Result, string) (string, error)
		json string
		want string
		bad  bool
	}{
		"text":             {textAt, `"a\n"`, "a\n", false},
		"no text":          {textAt, `7`, "", true},
		"null for a text":  {textAt, `null`, "", false},
		"number":           {numberAt, `1.50e2`, "1.50e2", false},
		"no number":        {numberAt, `"7"`, "", true},
		"flag":             {flagAt, `false`, "false", false},
		"no flag":          {flagAt, `0`, "", true},
		"object":           {objectAt, `{"a": 1}`, `{"a": 1}`, false},
		"no object":        {objectAt, `[]`, "", true},
		"list":             {list, `[1,"b"]`, `1;"b";`, false},
		"no list":          {list, `{}`, "", true},
		"null for a list":  {list, `null`, "", false},
		"null for a flag":  {flagAt, `null`, "", false},
		"null for numbers": {numberAt, `null`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.read(gjson.Parse(c.json), "some.member")
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			refused, ok := errors.AsType[*Refused](err)
			if ok != c.bad || ok && (!refused.Broken || refused.Param != "some.member") {
				t.Errorf("got error %+v", err)
			}
		})
	}
}
