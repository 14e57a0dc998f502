package translate

import "testing"

func TestURLsThatHoldTheBytesAreReadAndWritten(t *testing.T) {
	for name, c := range map[string]struct {
		url       string
		want      media
		otherwise string
		at        string
	}{
		"bytes":             {"data:image/png;base64,AA==", media{mimeType: "image/png", data: "AA=="}, "image/jpeg", "data:image/png;base64,AA=="},
		"bytes, parameters": {"data:text/plain;charset=utf-8;base64,AA==", media{mimeType: "text/plain", data: "AA=="}, "", "data:text/plain;base64,AA=="},
		"bytes, no type":    {"DATA:;base64,AA==", media{data: "AA=="}, "image/jpeg", "data:image/jpeg;base64,AA=="},
		"bytes, not base64": {"data:text/plain,hello", media{url: "data:text/plain,hello"}, "", "data:text/plain,hello"},
		"far away":          {"https://example.com/a.png", media{url: "https://example.com/a.png"}, "", "https://example.com/a.png"},
		"nothing":           {"", media{}, "image/png", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := mediaAt(c.url)
			if got != c.want {
				t.Errorf("read as %+v, want %+v", got, c.want)
			}
			if at := got.at(c.otherwise); at != c.at {
				t.Errorf("written as %q, want %q", at, c.at)
			}
		})
	}
}
