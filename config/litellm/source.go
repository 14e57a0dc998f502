package litellm

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// object is a mapping of the file. What nobody took from it is noted at the end.
type object struct {
	path    string
	members yaml.MapSlice
	taken   map[string]bool
	notes   *notes
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_./*:@-]+$`)

// at is the path of a member.
func (o *object) at(name any) string {
	text := fmt.Sprint(name)
	if !plainName.MatchString(text) {
		text = strconv.Quote(text)
	}
	if o.path == "" {
		return text
	}
	return o.path + "." + text
}

// asObject is nil, with a note, if the value is no mapping.
func (n *notes) asObject(path string, value any) *object {
	members, ok := value.(yaml.MapSlice)
	if !ok {
		n.addf(path, "is no mapping, and left out")
		return nil
	}
	return &object{path: path, members: members, notes: n}
}

// take gives a member's value, the last one if it stands twice; false if it is absent or null.
func (o *object) take(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	if o.taken == nil {
		o.taken = map[string]bool{}
	}
	o.taken[name] = true
	for _, m := range slices.Backward(o.members) {
		if m.Key == name {
			return m.Value, m.Value != nil
		}
	}
	return nil, false
}

// skip marks members as seen that mean nothing here.
func (o *object) skip(names ...string) {
	for _, name := range names {
		o.take(name)
	}
}

func (o *object) object(name string) *object {
	value, ok := o.take(name)
	if !ok {
		return nil
	}
	return o.notes.asObject(o.at(name), value)
}

func (o *object) list(name string) []any {
	value, ok := o.take(name)
	if !ok {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		o.notes.addf(o.at(name), "is no list, and left out")
	}
	return list
}

// text gives a scalar as text; empty if it is absent.
func (o *object) text(name string) string {
	value, ok := o.take(name)
	if !ok {
		return ""
	}
	switch value.(type) {
	case yaml.MapSlice, []any:
		o.notes.addf(o.at(name), "is no text, and left out")
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(value))
}

// number gives a number that isn't negative; false if it is absent.
func (o *object) number(name string) (float64, bool) {
	text := o.text(name)
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		why := "is no number that can be used, and left out"
		if strings.HasPrefix(text, environPrefix) {
			why = "comes from the environment, and left out: only texts can"
		}
		o.notes.addf(o.at(name), "%s", why)
		return 0, false
	}
	return n, true
}

// flag gives a boolean; nil if it is absent.
func (o *object) flag(name string) *bool {
	text := o.text(name)
	if text == "" {
		return nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		o.notes.addf(o.at(name), "is neither true nor false, and left out")
		return nil
	}
	return &value
}

// leftovers notes every member that nobody took, with the reason if one is known.
func (o *object) leftovers(reasons map[string]string) {
	if o == nil {
		return
	}
	noted := map[string]bool{}
	for _, m := range o.members {
		name := fmt.Sprint(m.Key)
		if o.taken[name] || noted[name] {
			continue
		}
		noted[name] = true
		why := reasons[name]
		if why == "" {
			why = "has no counterpart"
		}
		o.notes.addf(o.at(m.Key), "%s", why)
	}
}

// environPrefix begins a value that is read from the environment.
const environPrefix = "os.environ/"

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// reference is our form of a text: its variable, or what stands there, with our own sign for variables escaped.
func reference(text string) string {
	if name, ok := strings.CutPrefix(text, environPrefix); ok && variableName.MatchString(name) {
		return "${" + name + "}"
	}
	return literal(text)
}

func literal(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// firstLine is an error without the picture of the file that follows it, in which a key may stand.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// reservedHeader are headers that no provider can be given: credentials, and the transport's own.
var reservedHeader = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`authorization x-api-key api-key x-goog-api-key proxy-authorization cookie
		accept-encoding idempotency-key x-idempotency-key host connection content-length transfer-encoding upgrade te trailer
		keep-alive expect`) {
		names[name] = true
	}
	return names
}()
