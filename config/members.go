package config

import (
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// members walks the members of one object of a document. A type lists its members once, in the order in which they
// are written; the reader fills them from a tree and the writer puts them out, so whatever is written can be read.
//
// A nil pointer is a member that isn't set: the writer leaves it out, and the reader leaves it nil where the document
// has nothing or null. Every duration d is written a second time as the integer d_ms, which is ignored when read.
type members interface {
	reads() bool
	text(name string, v **string, r rule)
	flag(name string, v **bool)
	count(name string, v **int, r span)
	// countOr is an object for which one of its numbers may stand; it is written as the object.
	countOr(name string, v **int, r span, each func(members))
	decimal(name string, v **float64, least, most float64)
	duration(name string, v **time.Duration, r rangeOf)
	fraction(name string, v **circuitbreaker.Fraction)
	instant(name string, v *time.Time)
	texts(name string, v *[]string, r rule)
	textMap(name string, v *map[string]string, key, value rule)
	secret(v *Key)

	object(name string, each func(members))
	list(name string, l list)
	// entries is an object whose member names are the user's; keys are those to write, in order.
	entries(name string, keys []string, each func(key string, m members))
	// shown is written in answers and ignored when read; stored documents carry it.
	shown(name string, v any)
	// null writes a member that may be null and isn't set.
	null(name string)
}

// list is a list of objects. bare gives the text that may stand for the whole object, and whether the writer may use
// it; nil if there is no such short form. bareRule is the rule of that text.
type list struct {
	len      int
	resize   func(n int)
	each     func(i int, m members)
	bare     func(i int) (text *string, alone bool)
	bareRule rule
}

// rule checks a text and returns what is wrong with it, or "".
type rule func(value string) string

// span is a range of whole numbers. elsewhere leaves it to a later check to say that one lies outside.
type span struct {
	least, most int
	elsewhere   bool
}

// rangeOf is the range of a duration.
type rangeOf uint8

const (
	anyLength  rangeOf = iota // checked elsewhere
	orZero                    // 0s or at least 1ms
	aboveZero                 // at least 1ms
	mostCounts = 1_000_000
)

var counts = span{least: 0, most: mostCounts}

// plain adapts a value that is always written to a member that may be unset: what isn't in the document leaves it.
// A writer changes nothing, also not to the same value: what it writes may be shared.
func plain[T comparable](v *T, visit func(**T)) {
	held := new(*v)
	visit(&held)
	if held != nil && *held != *v {
		*v = *held
	}
}

// set is plain for a value whose zero is not written: it means that nothing is said.
func set[T comparable](v *T, visit func(**T)) {
	var held *T
	if *v != *new(T) {
		held = new(*v)
	}
	visit(&held)
	if held != nil && *held != *v {
		*v = *held
	}
}

// text is a string or a named type of one.
func text[T ~string](m members, name string, v *T, r rule) {
	held := string(*v)
	plain(&held, func(v **string) { m.text(name, v, r) })
	if T(held) != *v {
		*v = T(held)
	}
}

func flag(m members, name string, v *bool) { plain(v, func(v **bool) { m.flag(name, v) }) }

func count(m members, name string, v *int, r span) {
	plain(v, func(v **int) { m.count(name, v, r) })
}

// size is a count of bytes.
func size(m members, name string, v *int64, r span) {
	held := int(*v)
	count(m, name, &held, r)
	if int64(held) != *v {
		*v = int64(held)
	}
}

func duration(m members, name string, v *time.Duration, r rangeOf) {
	plain(v, func(v **time.Duration) { m.duration(name, v, r) })
}

// words is a list of strings of a named type.
func words[T ~string](m members, name string, v *[]T, r rule) {
	var held []string
	for _, w := range *v {
		held = append(held, string(w))
	}
	m.texts(name, &held, r)
	if !m.reads() || held == nil {
		return
	}
	*v = make([]T, len(held))
	for i, w := range held {
		(*v)[i] = T(w)
	}
}

// maybe is an object that may be unset.
func maybe[T any](m members, name string, v **T, each func(*T, members)) {
	if m.reads() {
		m.object(name, func(m members) {
			*v = new(T)
			each(*v, m)
		})
	} else if *v != nil {
		m.object(name, func(m members) { each(*v, m) })
	}
}

// objects is a list of objects of one type.
func objects[T any](m members, name string, v *[]T, each func(*T, members)) {
	m.list(name, listOf(v, each))
}

func listOf[T any](v *[]T, each func(*T, members)) list {
	return list{
		len:    len(*v),
		resize: func(n int) { *v = make([]T, n) },
		each:   func(i int, m members) { each(&(*v)[i], m) },
	}
}
