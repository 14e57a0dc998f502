package providers

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// jsonTexts are the ends of the grammar.
var jsonTexts = []string{
	``, ` `, `{}`, `[]`, `{"a":1}`, `[1,2]`, `[1,]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`, `[1 2]`, `[,]`,
	`0`, `-0`, `00`, `01`, `-`, `+1`, `1.`, `.1`, `1.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `-1.5e10`, `1a`, `0x1`, `NaN`,
	`true`, `false`, `null`, `tru`, `nul`, `truee`, `"a"`, `"`, `"\"`, `"\\"`, `"\u00e9"`, `"\u00g0"`, `"\u12"`, `"\x"`, "\"\n\"", "\"\x00\"",
	"\"\x7f\xff\"", `"` + strings.Repeat("x", 31) + `\n` + strings.Repeat("y", 40) + `"`, "\"" + strings.Repeat("z", 40) + "\x1f\"",
	` { "a" : [ 1 , { "b" : [ ] } ] } `, `{}{}`, `[]]`, `{}}`, `[}`, `{]`, `[[[]]`, "\ufeff{}", "\v{}", "{\"a\":1}\x00",
	strings.Repeat("[", 70) + strings.Repeat("]", 70), strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70),
	strings.Repeat("[", 70) + strings.Repeat("]", 69) + "}", strings.Repeat(`[{"a":`, 200) + "1" + strings.Repeat("}]", 200),
}

func accepts(text []byte) bool {
	c := cursor{text: text}
	c.skip()
	return c.end()
}

func FuzzSkipAcceptsWhatEncodingJSONDoes(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Add(chatAnswer)
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Count(text, []byte("[")) >= deepest || bytes.Count(text, []byte("{")) >= deepest {
			return
		}
		if got, want := accepts(text), json.Valid(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	})
}

// TestEveryByteOfAStringIsLookedAt: at every place of a long string, whatever stands beside it.
func TestEveryByteOfAStringIsLookedAt(t *testing.T) {
	for _, fill := range []byte{' ', '0', '~', 0x7f} {
		for at := range 200 {
			for _, odd := range []byte{0, '\a', 0x1f, 0x80, 0xff} {
				text := bytes.Repeat([]byte{fill}, 200)
				if n := plainPrefix(text); n != len(text) {
					t.Fatalf("%q is plain, and found so up to %d", text, n)
				}
				text[at] = odd
				if n := plainPrefix(text); n > at {
					t.Fatalf("%#x at %d among %#x: found plain up to %d", odd, at, fill, n)
				}
				if want := odd < ' '; hasControl(text) != want {
					t.Fatalf("%#x at %d among %#x: a control character %t", odd, at, fill, !want)
				}
			}
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"as deep as allowed":   {strings.Repeat("[", deepest) + strings.Repeat("]", deepest), true},
		"too deep":             {strings.Repeat("[", deepest+1) + strings.Repeat("]", deepest+1), false},
		"too deep and unended": {strings.Repeat("[", 5_000_000), false},
		"too deep objects":     {strings.Repeat(`{"a":`, deepest+1), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := accepts([]byte(c.text)); got != c.want {
				t.Errorf("accepted: %t", got)
			}
		})
	}
}

// FuzzJudgedAnswersAreWholeJSON holds that no reader goes past, or stops before, the end of a JSON text.
func FuzzJudgedAnswersAreWholeJSON(f *testing.F) {
	for _, c := range judgeCases {
		f.Add([]byte(c.body), string(c.endpoint))
	}
	f.Fuzz(func(t *testing.T, body []byte, endpoint string) {
		for _, dialect := range []string{"openai", "anthropic", "gemini"} {
			_, failed := JudgePlain(dialect, "", Endpoint(endpoint), 200, nil, body, testNow)
			text := trimBlank(body)
			if len(text) > 0 && text[0] == '{' && failed == nil && !json.Valid(text) && bytes.Count(text, []byte("[")) < deepest {
				t.Errorf("a success: %q", body)
			}
			if failed != nil && failed.Message == "" {
				t.Errorf("no message for %q", body)
			}
		}
	})
}
