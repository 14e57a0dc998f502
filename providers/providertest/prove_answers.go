package providertest

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/sse"
)

func itoa(n int) string { return strconv.Itoa(n) }

func proveAnswers(t *testing.T, b *bench) {
	t.Helper()
	for _, streamed := range []bool{true, false} {
		b.script("header X-Request-Id: req-1", b.suite.Answer)
		o := b.send(t.Context(), t, streamed, providers.Limits{})
		switch {
		case !o.whole:
			t.Errorf("streamed %v: %v", streamed, o.failure)
		case o.answer.Status != http.StatusOK || o.answer.Stream != streamed || o.answer.UpstreamID != "req-1":
			t.Errorf("streamed %v: %+v", streamed, *o.answer)
		case o.usage == nil || o.usage.InputTokens == 0 || o.usage.OutputTokens == 0 || o.finish == "":
			t.Errorf("streamed %v: usage %v, finish %q", streamed, o.usage, o.finish)
		}
	}
}

// kindsOf are the rows of failures.md 3 for any provider that go by the status alone.
var kindsOf = map[int]providers.Kind{
	400: providers.ClientError, 401: providers.Auth, 402: providers.Billing, 403: providers.Permission,
	404: providers.ModelNotFound, 405: providers.ClientError, 408: providers.Timeout, 409: providers.ServerError,
	413: providers.ClientError, 422: providers.ClientError, 425: providers.ServerError, 429: providers.RateLimit,
	499: providers.ServerError, 500: providers.ServerError, 502: providers.ServerError, 503: providers.Overloaded,
	504: providers.Timeout, 520: providers.ServerError, 521: providers.Connection, 522: providers.Connection,
	523: providers.Connection, 524: providers.Timeout, 525: providers.ServerError, 526: providers.ServerError,
	529: providers.Overloaded, 530: providers.Connection, 599: providers.ServerError,
	301: providers.Malformed, 302: providers.Malformed, 307: providers.Malformed, 308: providers.Malformed,
}

func proveStatuses(t *testing.T, b *bench) {
	t.Helper()
	for status, want := range kindsOf {
		if own := b.suite.Kinds[status]; own != "" {
			want = own
		}
		for _, streamed := range []bool{true, false} {
			b.script("header Location: http://127.0.0.1:9/", b.suite.Error(status))
			o := b.send(t.Context(), t, streamed, providers.Limits{})
			if o.kind() != want || o.failure.Status != status {
				t.Errorf("%d, streamed %v: got %v, want %s", status, streamed, o.failure, want)
			}
			rule, _ := providers.RuleOf(want)
			if o.failure != nil && rule.Client.AsIs && !bytes.Contains(o.failure.Body, []byte("it went wrong")) {
				t.Errorf("%d, streamed %v: the answer is not kept: %q", status, streamed, o.failure.Body)
			}
		}
	}
	b.script("cut")
	if o := b.send(t.Context(), t, true, providers.Limits{}); o.kind() != providers.Connection || o.failure.Status != 0 {
		t.Errorf("no answer: got %v", o.failure)
	}
}

func proveHints(t *testing.T, b *bench) {
	t.Helper()
	for value, want := range map[string]time.Duration{
		"3": 3 * time.Second, "0": 0, "-1": 0, "NaN": 0, "soon": 0, "1.5": 1500 * time.Millisecond, "18446744073709551616": 0,
	} {
		for _, status := range []int{429, 503} {
			b.script("header Retry-After: "+value, b.suite.Error(status))
			o := b.send(t.Context(), t, true, providers.Limits{})
			if o.failure == nil || want != 0 && o.failure.Hint != want || o.failure.Hint < 0 {
				t.Errorf("%d with %s: got %+v, want %s", status, value, o.failure, want)
			}
		}
	}
}

// eventEnds are the lengths of the prefixes of a stream that hold whole events only.
func eventEnds(stream string) map[int]bool {
	ends := map[int]bool{0: true}
	at := 0
	for ev := range sse.Events([]byte(stream)) {
		at += len(ev.Raw)
		ends[at] = true
	}
	return ends
}

// places are where an answer is cut: at each byte around the ends of its events, and at every fifth between them.
func places(answer string, ends map[int]bool) []int {
	var all []int
	for n := range len(answer) {
		near := false
		for d := -4; d <= 2; d++ {
			near = near || ends[n-d]
		}
		if near || n%5 == 0 {
			all = append(all, n)
		}
	}
	return all
}

func proveCuts(t *testing.T, b *bench) {
	t.Helper()
	client, upstream := b.bytesOf(t, true)
	for _, n := range places(upstream, eventEnds(upstream)) {
		b.script("upto "+itoa(n), b.suite.Answer, "cut")
		o := b.send(t.Context(), t, true, providers.Limits{})
		b.proveCut(t, client, n, o)
	}
}

// proveCut checks what came of the first n bytes of a stream that is client's when it is whole.
func (b *bench) proveCut(t *testing.T, client string, n int, o outcome) {
	t.Helper()
	switch {
	case o.whole || o.failure == nil:
		t.Errorf("cut at %d: a success", n)
	case !strings.HasPrefix(client, o.text) || !eventEnds(client)[len(o.text)]:
		t.Errorf("cut at %d: got %q", n, o.text)
	case o.sent != "" && o.kind() != providers.Truncated:
		t.Errorf("cut at %d, after the commit: %v", n, o.failure)
	case o.sent == "" && o.kind() != providers.Malformed && o.kind() != providers.Connection:
		t.Errorf("cut at %d, before the commit: %v", n, o.failure)
	}
}

func proveEnds(t *testing.T, b *bench) {
	t.Helper()
	client, upstream := b.bytesOf(t, true)
	ends := eventEnds(upstream)
	finished := strings.Index(upstream, b.suite.Finish)
	if finished < 0 {
		t.Fatalf("there is no %s in %s", b.suite.Finish, upstream)
	}
	for _, n := range places(upstream, ends) {
		b.script("upto "+itoa(n), b.suite.Answer, "end")
		o := b.send(t.Context(), t, true, providers.Limits{})
		// Only the blank line of the very last event may be missing.
		if n > finished && ends[n] && b.suite.Closing != "" || n >= len(strings.TrimRight(upstream, "\r\n")) {
			if !o.whole || !b.closed(o.text, client, upstream[:n]) {
				t.Errorf("ended at %d, behind the finish: %q and %v", n, o.text, o.failure)
			}
			continue
		}
		b.proveCut(t, client, n, o)
	}
}

// closed tells whether a stream whose end is missing was closed as it has to be.
func (b *bench) closed(text, client, came string) bool {
	if b.suite.Foreign { // usage that did not come is missing
		return lastLine(text) == lastLine(client) && strings.HasPrefix(text, client[:len(text)/2])
	}
	return text == came+b.suite.Closing || text == client
}

// lastLine is the first line of a stream's last event.
func lastLine(stream string) string {
	first := ""
	for ev := range sse.Events([]byte(stream)) {
		first, _, _ = strings.Cut(string(ev.Raw), "\n")
	}
	return first
}

func provePlainCuts(t *testing.T, b *bench) {
	t.Helper()
	_, body := b.bytesOf(t, false)
	for _, n := range places(body, map[int]bool{0: true, len(body): true}) {
		for _, ending := range []string{"cut", "end"} {
			b.script("upto "+itoa(n), b.suite.Answer, ending)
			o := b.send(t.Context(), t, false, providers.Limits{})
			if o.whole || o.text != "" || o.kind() != providers.Malformed && o.kind() != providers.Connection {
				t.Errorf("%s at %d: %q and %v", ending, n, o.text, o.failure)
			}
		}
	}
}

func proveSplits(t *testing.T, b *bench) {
	t.Helper()
	for _, streamed := range []bool{true, false} {
		want, _ := b.bytesOf(t, streamed)
		for _, size := range []int{1, 2, 3, 7, 64, 1000} {
			b.script("split "+itoa(size), b.suite.Answer)
			if o := b.send(t.Context(), t, streamed, providers.Limits{}); !o.whole || o.text != want {
				t.Errorf("pieces of %d: %q and %v", size, o.text, o.failure)
			}
		}
	}
}
