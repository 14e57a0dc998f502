package simulate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/config"
)

// reader reads values strictly and names every problem with its path.
type reader struct{ problems []config.Problem }

// field is one member that an object may have.
type field struct {
	name string
	read func(path string, v *value)
}

func (r *reader) addf(path, format string, args ...any) {
	r.problems = append(r.problems, config.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// object reads the members of an object. Null counts as absent.
func (r *reader) object(path string, v *value, fields ...field) {
	if v.sort != isObject {
		r.addf(path, "must be an object, not %s", sortNames[v.sort])
		return
	}
	known := make(map[string]field, len(fields))
	names := make([]string, len(fields))
	for i, f := range fields {
		known[f.name], names[i] = f, f.name
	}
	seen := map[string]bool{}
	for i := range v.members {
		m := &v.members[i]
		at := within(path, m.name)
		f, ok := known[m.name]
		switch {
		case seen[m.name]:
			r.addf(at, "stands twice")
		case !ok:
			r.addf(at, "unknown member; there are %s", strings.Join(names, ", "))
		case m.value.sort != isNull:
			f.read(at, &m.value)
		}
		seen[m.name] = true
	}
}

// objects reads a list of objects.
func objects[T any](r *reader, name string, to *[]T, read func(path string, v *value, to *T)) field {
	return field{name, func(path string, v *value) {
		if v.sort != isList {
			r.addf(path, "must be a list, not %s", sortNames[v.sort])
			return
		}
		*to = make([]T, len(v.items))
		for i := range v.items {
			read(at(path, i), &v.items[i], &(*to)[i])
		}
	}}
}

func (r *reader) text(name string, to *string) field {
	return field{name, func(path string, v *value) {
		if v.sort != isText {
			r.addf(path, "must be a string, not %s", sortNames[v.sort])
			return
		}
		*to = v.text
	}}
}

// longest bounds every time of a script.
const longest = 31 * 24 * time.Hour

// duration reads one of whole milliseconds.
func (r *reader) duration(name string, to *time.Duration) field {
	return field{name, func(path string, v *value) {
		d, err := time.ParseDuration(v.text)
		switch {
		case v.sort != isText || err != nil:
			r.addf(path, `must be a duration with its unit, such as "90s" or "1m30s"`)
		case d < 0 || d > longest:
			r.addf(path, "must be 0s to %s, not %s", shortest(longest), v.text)
		case d%time.Millisecond != 0:
			r.addf(path, "must be whole milliseconds, not %s", v.text)
		default:
			*to = d
		}
	}}
}

// decimal reads a number in a range.
func (r *reader) decimal(name string, to *float64, least, most float64) field {
	return field{name, func(path string, v *value) {
		f, err := strconv.ParseFloat(v.text, 64)
		switch {
		case v.sort != isNumber || err != nil || math.IsNaN(f):
			r.addf(path, "must be a number")
		case f < least || f > most:
			r.addf(path, "must be %g to %g, not %s", least, most, v.text)
		default:
			*to = f
		}
	}}
}

// count reads a whole number in a range.
func (r *reader) count(name string, to *uint64, most uint64) field {
	return field{name, func(path string, v *value) {
		n, err := strconv.ParseUint(v.text, 10, 64)
		switch {
		case v.sort != isNumber || err != nil && strings.Trim(v.text, "0123456789") != "":
			r.addf(path, "must be a whole number")
		case err != nil || n > most:
			r.addf(path, "must be 0 to %d, not %s", most, v.text)
		default:
			*to = n
		}
	}}
}

func within(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// shortest writes a duration without the zeroes that Go adds: 5m, not 5m0s.
func shortest(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}
