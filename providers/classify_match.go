package providers

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// row is one line of spec: failures.md 3. All that is set must match; what is empty matches anything.
type row struct {
	of       string // provider kinds and presets, with blanks between
	statuses string // "429", "5xx"; "none": an event or an answer under 200 that names no status
	words    string // codes and types in any case; "x*" begins with, "*x*" holds
	header   string // a header that is there and isn't false
	page     bool   // the body is HTML
	wording  string // a regexp over the message without what stands in quotes
	unless   string // a regexp over the same that must not match

	kind Kind
	hint hintPolicy
	next bool // another target may do better, although the kind itself ends the walk
}

// rule is a row made ready for matching.
type rule struct {
	row
	of       []string
	statuses []statusRange
	words    []string
	wording  *regexp.Regexp // nil: none
	unless   *regexp.Regexp // nil: none
}

type statusRange struct{ from, to int }

// evidence is what the rows are compared with.
type evidence struct {
	*object
	status  int // 0: none is known
	dialect string
	preset  string
	header  http.Header // nil for events

	messages bool // the upstream was asked in Anthropic's dialect
	beside   bool // for no conversation, but for something else that a host may lack
}

func (e *evidence) first(table []rule) *rule {
	for i := range table {
		if table[i].matches(e) {
			return &table[i]
		}
	}
	return nil
}

func (r *rule) matches(e *evidence) bool {
	return r.isOf(e) && r.hasStatus(e.status) && r.hasWord(e.words) && r.hasHeader(e.header) && (e.page || !r.page) &&
		(r.wording == nil || r.wording.MatchString(e.plain)) && (r.unless == nil || !r.unless.MatchString(e.plain))
}

func (r *rule) isOf(e *evidence) bool {
	if len(r.of) == 0 || slices.Contains(r.of, e.dialect) || e.preset != "" && slices.Contains(r.of, e.preset) {
		return true
	}
	return e.messages && e.anthropic && slices.Contains(r.of, "anthropic")
}

func (r *rule) hasStatus(status int) bool {
	if len(r.statuses) == 0 {
		return true
	}
	return slices.ContainsFunc(r.statuses, func(s statusRange) bool { return s.from <= status && status <= s.to })
}

func (r *rule) hasWord(said []string) bool {
	if len(r.words) == 0 {
		return true
	}
	return slices.ContainsFunc(said, func(word string) bool {
		return slices.ContainsFunc(r.words, func(pattern string) bool { return wordMatches(word, pattern) })
	})
}

func wordMatches(word, pattern string) bool {
	stem, open := strings.CutSuffix(pattern, "*")
	if !open {
		return word == pattern
	}
	if part, anywhere := strings.CutPrefix(stem, "*"); anywhere {
		return strings.Contains(word, part)
	}
	return strings.HasPrefix(word, stem)
}

func (r *rule) hasHeader(h http.Header) bool {
	if r.header == "" {
		return true
	}
	value := h.Get(r.header)
	return value != "" && !strings.EqualFold(value, "false") && value != "0"
}

// ready compiles rows; they are constants of this package, so a bad one panics at start.
func ready(rows []row) []rule {
	table := make([]rule, len(rows))
	for i, r := range rows {
		table[i] = rule{
			row: r, of: strings.Fields(r.of), words: strings.Fields(strings.ToLower(r.words)), statuses: statusRanges(r.statuses),
		}
		if r.wording != "" {
			table[i].wording = regexp.MustCompile(`(?is)` + r.wording)
		}
		if r.unless != "" {
			table[i].unless = regexp.MustCompile(`(?is)` + r.unless)
		}
	}
	return table
}

func statusRanges(statuses string) []statusRange {
	var all []statusRange
	for s := range strings.FieldsSeq(statuses) {
		switch {
		case s == "none":
			all = append(all, statusRange{0, 0})
		case strings.HasSuffix(s, "xx"):
			n := 100 * int(s[0]-'0')
			all = append(all, statusRange{n, n + 99})
		default:
			n, err := strconv.Atoi(s)
			if err != nil {
				panic("classify: bad status " + s)
			}
			all = append(all, statusRange{n, n})
		}
	}
	return all
}
