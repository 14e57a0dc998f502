package providertest

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers"
)

// proveErrors: the status of an error answer decides, whatever becomes of its body, and a body goes to the client whole
// or not at all.
func proveErrors(t *testing.T, b *bench) {
	t.Helper()
	body := func(filler int) string {
		return `{"error":{"message":"it went wrong"},"filler":"` + strings.Repeat("x", filler) + `"}`
	}
	tests := map[string]struct {
		script string
		body   string // that is kept; empty: none
	}{
		"small":            {"status 422\njson " + body(10), body(10)},
		"of 200 KB":        {"status 422\njson " + body(200_000), body(200_000)},
		"over the bound":   {"status 422\njson " + body(1<<20), ""},
		"stalled":          {"status 422\nupto 20\njson " + body(10) + "\nhang", ""},
		"broken off":       {"status 422\nupto 20\njson " + body(10) + "\ncut", ""},
		"compressed":       {"status 422\nheader Content-Type: application/json\nheader Content-Encoding: gzip\nraw " + zipped(body(10)), ""},
		"a bomb":           {"status 422\nheader Content-Encoding: gzip\nraw " + zipped(body(8<<20)), ""},
		"said to be plain": {"status 422\nheader Content-Encoding: identity\njson " + body(10), body(10)},
	}
	for name, test := range tests {
		for _, streamed := range []bool{true, false} {
			b.script(test.script)
			o := b.send(t.Context(), t, streamed, providers.Limits{FirstToken: later, Response: later})
			if o.kind() != providers.ClientError || o.failure.Status != http.StatusUnprocessableEntity || o.took > 5*later {
				t.Errorf("%s, streamed %v: %v after %s", name, streamed, o.failure, o.took)
				continue
			}
			if string(o.failure.Body) != test.body {
				t.Errorf("%s, streamed %v: %d bytes are kept, want %d", name, streamed, len(o.failure.Body), len(test.body))
			}
		}
	}
}

// zipped is a compressed text as a Go string.
func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return strconv.Quote(b.String())
}
