package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// writer implements members by writing JSON.
type writer struct {
	out    []byte
	stored bool // for the store: sealed secrets, nothing redundant
}

// written is a document as JSON: for an answer, or in the form that is stored.
func written(stored bool, each func(members)) []byte {
	w := &writer{stored: stored}
	w.braces(each)
	return w.out
}

func (w *writer) braces(each func(members)) {
	w.out = append(w.out, '{')
	each(w)
	w.out = append(w.out, '}')
}

// name starts a member.
func (w *writer) name(name string) {
	if last := w.out[len(w.out)-1]; last != '{' {
		w.out = append(w.out, ',')
	}
	w.quoted(name)
	w.out = append(w.out, ':')
}

// quoted writes a string as JSON without escaping what only HTML needs escaped.
func (w *writer) quoted(text string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) //nolint:errchkjson // a string always encodes
	w.out = append(w.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

func (w *writer) reads() bool { return false }

func (w *writer) text(name string, v **string, _ rule) {
	if *v != nil {
		w.name(name)
		w.quoted(**v)
	}
}

func (w *writer) flag(name string, v **bool) {
	if *v != nil {
		w.name(name)
		w.out = strconv.AppendBool(w.out, **v)
	}
}

func (w *writer) count(name string, v **int, _ span) {
	if *v != nil {
		w.name(name)
		w.out = strconv.AppendInt(w.out, int64(**v), 10)
	}
}

func (w *writer) countOr(name string, _ **int, _ span, each func(members)) { w.object(name, each) }

func (w *writer) decimal(name string, v **float64, _, _ float64) {
	if *v != nil {
		w.name(name)
		w.out = strconv.AppendFloat(w.out, **v, 'f', -1, 64)
	}
}

func (w *writer) duration(name string, v **time.Duration, _ rangeOf) {
	if *v == nil {
		return
	}
	w.name(name)
	w.quoted((*v).String())
	if !w.stored {
		w.name(name + "_ms")
		w.out = strconv.AppendInt(w.out, (*v).Milliseconds(), 10)
	}
}

func (w *writer) fraction(name string, v **circuitbreaker.Fraction) {
	if *v == nil {
		return
	}
	if number, err := (*v).MarshalJSON(); err == nil {
		w.name(name)
		w.out = append(w.out, number...)
	}
}

func (w *writer) instant(name string, v *time.Time) {
	w.name(name)
	w.time(*v)
}

// time writes RFC 3339 in UTC with milliseconds, null for none.
func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.out = append(w.out, "null"...)
		return
	}
	w.out = t.UTC().AppendFormat(w.out, `"2006-01-02T15:04:05.000Z"`)
}

func (w *writer) texts(name string, v *[]string, _ rule) {
	w.name(name)
	w.out = append(w.out, '[')
	for i, text := range *v {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.quoted(text)
	}
	w.out = append(w.out, ']')
}

func (w *writer) textMap(name string, v *map[string]string, _, _ rule) {
	w.name(name)
	w.braces(func(members) {
		for _, key := range slices.Sorted(maps.Keys(*v)) {
			w.name(key)
			w.quoted((*v)[key])
		}
	})
}

func (w *writer) secret(k *Key) {
	switch {
	case w.stored && k.sealed != "":
		w.name("sealed")
		w.quoted(k.sealed)
	case !w.stored && (k.value != nil || k.sealed != ""):
		w.name("value")
		w.quoted(mask)
	}
}

func (w *writer) object(name string, each func(members)) {
	w.name(name)
	w.braces(each)
}

func (w *writer) list(name string, l list) {
	w.name(name)
	w.out = append(w.out, '[')
	for i := range l.len {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if l.bare != nil {
			if word, alone := l.bare(i); alone {
				w.quoted(*word)
				continue
			}
		}
		w.braces(func(m members) { l.each(i, m) })
	}
	w.out = append(w.out, ']')
}

func (w *writer) entries(name string, keys []string, each func(key string, m members)) {
	if len(keys) == 0 {
		return
	}
	w.name(name)
	w.braces(func(members) {
		for _, key := range keys {
			w.name(key)
			w.braces(func(m members) { each(key, m) })
		}
	})
}

func (w *writer) shown(name string, v any) {
	w.name(name)
	switch v := v.(type) {
	case *time.Time:
		w.time(*v)
	case *uint64:
		w.out = strconv.AppendUint(w.out, *v, 10)
	case *string:
		w.quoted(*v)
	}
}

func (w *writer) null(name string) {
	w.name(name)
	w.out = append(w.out, "null"...)
}
