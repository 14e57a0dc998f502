package providers

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is where a host's own words begin: at the front of the message, or behind the names of errors that gateways
// on the way put there. What a user wrote can't stand there.
const sentence = `^(?:(?:the model returned the following errors|[\w.]*(?:error|exception))[:\s-]+)*`

// contextWords mark context_length (spec: failures.md 3, below the table) in the first words of a message, before
// anything that hosts put between their own words and a client's.
const contextWords = sentence + `(?:[^:;=(\[{<]{0,60}(?:maximum context|max context length|context window|prompt (?:is )?too long|too many tokens|` +
	`exceeds the maximum number of tokens|tokens exceed|total length of all messages is too long)|` +
	`(?:the |your )?input token count[^:]{0,40}exceeds the maximum number of tokens)`

// unreadable begins the messages of hosts that could not make sense of what a client wrote, which may follow.
const unreadable = `^(?:failed|could ?n[o']t|can ?not|can't|unable|invalid|unexpected|unknown|unrecognized|malformed|bad|unsupported|value error)\b`

// windowSize is how many tokens a message names, with what else belongs to the number.
const windowSize = `(\d+(?:[,._'’\x{a0}\x{2009}\x{202f} ]\d+)*\w*)`

// windowWordings name the size of a context window in their group.
var windowWordings = []*regexp.Regexp{
	regexp.MustCompile(`(?i)maximum context length (?:is|of) ` + windowSize),
	regexp.MustCompile(`(?i)> ` + windowSize + ` maximum`),
	regexp.MustCompile(`(?i)maximum number of tokens allowed \(` + windowSize + `\)`),
	regexp.MustCompile(`(?i)token limit:? ` + windowSize),
	regexp.MustCompile(`(?i)context (?:window|length)\D{1,24}` + windowSize + ` tokens`),
}

// windowOf reads a context window, in tokens, out of a message; 0: it names none that can be read without a doubt.
func windowOf(message string) int {
	for _, wording := range windowWordings {
		at := wording.FindStringSubmatchIndex(message)
		if at == nil || strings.HasSuffix(message[:at[2]], " by ") { // it says by how much, and not what, was exceeded
			continue
		}
		if n := readCount(message[at[2]:at[3]]); n > 0 {
			return n
		}
	}
	return 0
}

const mostTokens = 1_000_000_000

// readCount reads a number whose thousands may be set apart, all in the same way; 0 for any other text.
func readCount(text string) int {
	if i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		groups := strings.Split(text, text[i:i+size])
		for _, group := range groups[1:] {
			if len(group) != len("000") {
				return 0
			}
		}
		if i > len("000") {
			return 0
		}
		text = strings.Join(groups, "")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n >= mostTokens {
		return 0
	}
	return n
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
