package translate

import "testing"

func TestArgumentsAreAnObject(t *testing.T) {
	for text, want := range map[string]string{
		" \n":                     `{}`,
		``:                        `{}`,
		`{}`:                      `{}`,
		`{"n": 1.50}`:             `{"n": 1.50}`,
		`[1]`:                     `{"_raw":"[1]"}`,
		`{"city":"Par`:            `{"_raw":"{\"city\":\"Par"}`,
		`say "hi"`:                `{"_raw":"say \"hi\""}`,
		`null`:                    `{"_raw":"null"}`,
		` {"spaced":true}` + "\n": ` {"spaced":true}` + "\n",
	} {
		if got := argumentsObject(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
