package providers

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// contextWords mark context_length (spec: failures.md 3, below the table).
const contextWords = `maximum context|max context length|context window|prompt (is )?too long|too many tokens|` +
	`exceeds the maximum number of tokens|tokens exceed|total length of all messages is too long`

// windowWordings name the size of a context window in their group.
var windowWordings = []*regexp.Regexp{
	regexp.MustCompile(`(?i)maximum context length (?:is|of) (\d{1,9})\b`),
	regexp.MustCompile(`(?i)> (\d{1,9}) maximum`),
	regexp.MustCompile(`(?i)maximum number of tokens allowed \((\d{1,9})\)`),
	regexp.MustCompile(`(?i)token limit:? (\d{1,9})\b`),
	regexp.MustCompile(`(?i)context (?:window|length)\D{1,24}(\d{1,9}) tokens`),
}

// windowOf reads a context window out of a message; 0: it names none.
func windowOf(message string) int {
	for _, wording := range windowWordings {
		if m := wording.FindStringSubmatch(message); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	return 0
}

// unquoted drops what stands in quotes: upstreams quote the client's text there, and wording that a user could have
// put there is no evidence. A quote that isn't closed goes on to the end.
func unquoted(s string) string {
	if !strings.ContainsAny(s, "\"'`“‘«") {
		return s
	}
	var b strings.Builder
	before := ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		closing, quotes := closingQuotes[r]
		if !quotes || r == '\'' && isWord(before) {
			b.WriteString(s[i : i+size])
			before, i = r, i+size
			continue
		}
		b.WriteByte(' ')
		i += size + quoteEnd(s[i+size:], closing)
		before = ' '
	}
	return b.String()
}

var closingQuotes = map[rune]rune{'"': '"', '\'': '\'', '`': '`', '“': '”', '‘': '’', '«': '»'}

// quoteEnd returns the length of a quotation with its closing mark. An apostrophe within a word closes nothing.
func quoteEnd(s string, closing rune) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\\' {
			_, next := utf8.DecodeRuneInString(s[i+size:])
			i += size + next
			continue
		}
		i += size
		if r == closing {
			after, _ := utf8.DecodeRuneInString(s[i:])
			if closing != '\'' && closing != '’' || !isWord(after) {
				return i
			}
		}
	}
	return len(s)
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
