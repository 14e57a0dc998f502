package translate

import (
	"iter"
	"strconv"

	"github.com/tidwall/gjson"
)

// writer writes JSON. Commas are its business: whoever writes says what comes, one value after the other.
type writer struct{ b []byte }

// next writes the comma in front of what comes, if there has to be one.
func (w *writer) next() {
	if n := len(w.b); n > 0 {
		switch w.b[n-1] {
		case '{', '[', ':', ' ', '\n':
		default:
			w.b = append(w.b, ',')
		}
	}
}

// begin opens an object or an array.
func (w *writer) begin(bracket byte) {
	w.next()
	w.b = append(w.b, bracket)
}

// end closes an object or an array.
func (w *writer) end(bracket byte) { w.b = append(w.b, bracket) }

// key writes the name of a member, whose value comes next.
func (w *writer) key(name string) {
	w.next()
	w.b = append(gjson.AppendJSONString(w.b, name), ':')
}

// object opens an object as the value of a member.
func (w *writer) object(name string) {
	w.key(name)
	w.begin('{')
}

// array opens an array as the value of a member.
func (w *writer) array(name string) {
	w.key(name)
	w.begin('[')
}

// raw writes a value that is JSON already.
func (w *writer) raw(value string) {
	w.next()
	w.b = append(w.b, value...)
}

// text writes a string.
func (w *writer) text(s string) {
	w.next()
	w.b = gjson.AppendJSONString(w.b, s)
}

// textMember writes a member that is a string.
func (w *writer) textMember(name, value string) {
	w.key(name)
	w.text(value)
}

// rawMember writes a member that is JSON already; an empty value leaves it out.
func (w *writer) rawMember(name, value string) {
	if value != "" {
		w.key(name)
		w.raw(value)
	}
}

// intMember writes a member that is an integer.
func (w *writer) intMember(name string, value int64) {
	w.key(name)
	w.next()
	w.b = strconv.AppendInt(w.b, value, 10)
}

// elements are those of an array, and none of anything else: hosts send null for an empty list.
func elements(v gjson.Result) iter.Seq[gjson.Result] {
	return func(yield func(gjson.Result) bool) {
		if v.IsArray() {
			v.ForEach(func(_, element gjson.Result) bool { return yield(element) })
		}
	}
}
