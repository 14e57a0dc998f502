package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// reading is one pass over a document: all its problems, and which form of it is read.
type reading struct {
	problems []Problem
	// stored reads what was stored: sealed keys, times and versions, which a document from outside can't set.
	stored bool
}

func (r *reading) addf(path, format string, args ...any) {
	r.problems = append(r.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// read fills a value from an object: each lists its members. It reports unknown and duplicate members too.
func (r *reading) read(path string, n *node, each func(members)) {
	if n.form != formObject {
		r.addf(path, "must be an object, not %s", n.describe())
		r.problems[len(r.problems)-1].hides = true
		return
	}
	o := &objectReader{reading: r, path: path, found: make(map[string]*node, len(n.members))}
	for i := range n.members {
		m := &n.members[i]
		if _, twice := o.found[m.name]; twice {
			r.addf(within(path, clip(m.name)), "stands twice")
			continue
		}
		o.found[m.name] = &m.value
	}
	each(o)
	for i := range n.members {
		if name := n.members[i].name; o.found[name] == &n.members[i].value && !slices.Contains(o.known, name) {
			r.addf(within(path, clip(name)), "unknown member%s", o.hint(name))
		}
	}
}

// objectReader implements members by reading.
type objectReader struct {
	*reading
	path  string
	found map[string]*node
	known []string
}

// hint helps with an unknown member: the one that is meant, or else all there are.
func (o *objectReader) hint(name string) string {
	visible := slices.DeleteFunc(slices.Clone(o.known), func(k string) bool { return strings.HasSuffix(k, "_ms") })
	if s := didYouMean(name, visible); s != "" {
		return s
	}
	return "; there are " + strings.Join(visible, ", ")
}

// take finds a member and remembers that it is known; nil if it is absent, null or of another form.
func (o *objectReader) take(name string, want form, article string) *node {
	o.known = append(o.known, name)
	n := o.found[name]
	if n == nil || n.form == formNull {
		return nil
	}
	if n.expanded && n.form == formText && want != formText {
		n = n.resolved(want)
	}
	if n.form != want {
		o.addf(within(o.path, name), "must be %s, not %s", article, n.describe())
		return nil
	}
	return n
}

func (o *objectReader) reads() bool { return true }

func (o *objectReader) text(name string, v **string, r rule) {
	if n := o.take(name, formText, "a string"); n != nil {
		o.check(within(o.path, name), n.text, r)
		*v = &n.text
	}
}

func (o *objectReader) check(path, text string, r rule) {
	if r == nil {
		return
	}
	if wrong := r(text); wrong != "" {
		o.addf(path, "%s", wrong)
	}
}

func (o *objectReader) flag(name string, v **bool) {
	if n := o.take(name, formFlag, "true or false"); n != nil {
		*v = new(n.text == "true")
	}
}

func (o *objectReader) count(name string, v **int, r span) {
	n := o.take(name, formNumber, "a whole number")
	if n == nil {
		return
	}
	i, err := strconv.Atoi(n.text)
	switch {
	case err != nil && !isWhole(n.text):
		o.addf(within(o.path, name), "must be a whole number, not %s", clip(n.text))
	case err != nil || !r.elsewhere && (i < r.least || i > r.most):
		o.addf(within(o.path, name), "must be %s to %s, not %s", grouped(r.least), grouped(r.most), clip(n.text))
	default:
		*v = &i
	}
}

func (o *objectReader) countOr(name string, v **int, r span, each func(members)) {
	n := o.found[name]
	switch {
	case n != nil && (n.form == formNumber || n.expanded && n.form == formText):
		o.count(name, v, r)
	case n == nil || n.form == formObject || n.form == formNull:
		o.object(name, each)
	default:
		o.take(name, formObject, "a whole number or an object")
	}
}

func isWhole(number string) bool {
	return strings.Trim(strings.TrimPrefix(number, "-"), "0123456789") == ""
}

func (o *objectReader) decimal(name string, v **float64, least, most float64) {
	n := o.take(name, formNumber, "a number")
	if n == nil {
		return
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsNaN(f) || f < least || f > most {
		o.addf(within(o.path, name), "must be %g to %g, not %s", least, most, clip(n.text))
		return
	}
	*v = &f
}

func (o *objectReader) duration(name string, v **time.Duration, r rangeOf) {
	o.known = append(o.known, name+"_ms")
	path := within(o.path, name)
	if n := o.found[name]; n != nil && n.form == formNumber {
		o.take(name, formNumber, "")
		o.addf(path, `must be a duration with its unit, such as "30s", not the bare number %s`, clip(n.text))
		return
	}
	n := o.take(name, formText, `a duration such as "30s"`)
	if n == nil {
		return
	}
	d, err := time.ParseDuration(n.text)
	switch {
	case err != nil:
		o.addf(path, `must be a duration such as "30s" or "1m30s", not %s`, quote(n.text))
	case r == aboveZero && d < time.Millisecond:
		o.addf(path, "must be at least 1ms, not %s", n.text)
	case r == orZero && d != 0 && d < time.Millisecond:
		o.addf(path, "must be 0s or at least 1ms, not %s", n.text)
	default:
		*v = &d
	}
}

func (o *objectReader) fraction(name string, v **circuitbreaker.Fraction) {
	n := o.take(name, formNumber, "a number from 0 to 1")
	if n == nil {
		return
	}
	f, err := circuitbreaker.ParseFraction(n.text)
	if err != nil {
		o.addf(within(o.path, name), "must be a number from 0 to 1 with at most 6 decimals, not %s", clip(n.text))
		return
	}
	*v = &f
}

func (o *objectReader) instant(name string, v *time.Time) {
	n := o.take(name, formText, "a time such as 2030-01-31T00:00:00Z")
	if n == nil {
		return
	}
	t, err := time.Parse(time.RFC3339, n.text)
	if err != nil {
		o.addf(within(o.path, name), "must be a time such as 2030-01-31T00:00:00Z (RFC 3339), not %s", quote(n.text))
		return
	}
	*v = t.UTC()
}

func (o *objectReader) texts(name string, v *[]string, r rule) {
	n := o.take(name, formList, "a list of strings")
	if n == nil {
		return
	}
	*v = make([]string, 0, len(n.items))
	for i := range n.items {
		path := at(within(o.path, name), i)
		item := &n.items[i]
		if item.form != formText {
			o.addf(path, "must be a string, not %s", item.describe())
			continue
		}
		if first := slices.Index(*v, item.text); first >= 0 {
			o.addf(path, "stands twice: %s is also at [%d]", quote(item.text), first)
		}
		o.check(path, item.text, r)
		*v = append(*v, item.text)
	}
}

func (o *objectReader) textMap(name string, v *map[string]string, key, value rule) {
	n := o.take(name, formObject, "an object of strings")
	if n == nil {
		return
	}
	*v = make(map[string]string, len(n.members))
	for i := range n.members {
		m := &n.members[i]
		path := within(within(o.path, name), clip(m.name))
		if _, twice := (*v)[m.name]; twice {
			o.addf(path, "stands twice")
		}
		o.check(path, m.name, key)
		if m.value.form != formText {
			o.addf(path, "must be a string, not %s", m.value.describe())
			continue
		}
		o.check(path, m.value.text, value)
		(*v)[m.name] = m.value.text
	}
}

// secret reads a key's value: in the clear or as the mask, and from the store sealed.
func (o *objectReader) secret(k *Key) {
	if o.stored {
		set(&k.sealed, func(v **string) { o.text("sealed", v, nil) })
		return
	}
	var value *string
	o.text("value", &value, secretRule)
	if k.redacted = value != nil && *value == mask; !k.redacted {
		k.value = value
	}
}

func (o *objectReader) object(name string, each func(members)) {
	if n := o.take(name, formObject, "an object"); n != nil {
		o.read(within(o.path, name), n, each)
	}
}

func (o *objectReader) list(name string, l list) {
	n := o.take(name, formList, "a list")
	if n == nil {
		return
	}
	l.resize(len(n.items))
	for i := range n.items {
		item := &n.items[i]
		if l.bare != nil && item.form == formText {
			word, _ := l.bare(i)
			*word = item.text
			o.check(at(within(o.path, name), i), item.text, l.bareRule)
			continue
		}
		o.read(at(within(o.path, name), i), item, func(m members) { l.each(i, m) })
	}
}

func (o *objectReader) entries(name string, _ []string, each func(key string, m members)) {
	n := o.take(name, formObject, "an object")
	if n == nil {
		return
	}
	seen := make(map[string]bool, len(n.members))
	for i := range n.members {
		m := &n.members[i]
		path := within(within(o.path, name), clip(m.name))
		if seen[m.name] {
			o.addf(path, "stands twice")
			continue
		}
		seen[m.name] = true
		if m.value.form == formNull {
			continue
		}
		o.read(path, &m.value, func(inner members) { each(m.name, inner) })
	}
}

func (o *objectReader) shown(name string, v any) {
	o.known = append(o.known, name)
	n := o.found[name]
	if !o.stored || n == nil {
		return
	}
	switch v := v.(type) {
	case *time.Time:
		*v, _ = time.Parse(time.RFC3339, n.text)
	case *uint64:
		*v, _ = strconv.ParseUint(n.text, 10, 64)
	case *string:
		*v = n.text
	}
}

func (o *objectReader) null(string) {}

// describe says what a node is, for a message; a text is not quoted, for it may be a secret in the wrong place.
func (n *node) describe() string {
	switch n.form {
	case formNumber:
		return "the number " + clip(n.text)
	case formFlag:
		return n.text
	default:
		return formNames[n.form]
	}
}

// resolved turns an expanded scalar into what it would have been, had it stood in the file as it is now.
func (n *node) resolved(want form) *node {
	switch {
	case want == formFlag && (n.text == "true" || n.text == "false"):
		return &node{form: formFlag, text: n.text}
	case want == formNumber:
		if _, err := strconv.ParseFloat(n.text, 64); err == nil {
			return &node{form: formNumber, text: n.text}
		}
	}
	return n
}

// quote puts a text of a document into a message; long ones are cut.
func quote(text string) string { return strconv.Quote(clip(text)) }

func clip(text string) string {
	const most = 60
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

// grouped writes 1000000 as 1,000,000.
func grouped(i int) string {
	digits := strconv.Itoa(i)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
