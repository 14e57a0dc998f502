package providers

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// planted are secrets in the shapes that providers give theirs, and an address with credentials.
var planted = []string{
	"sk-proj-S3cretS3cret", "gsk_S3cretS3cretS3cret", "xai-S3cretS3cretS3cret", "AIzaS3cretS3cretS3cret",
	"hf_S3cretS3cretS3cret", "nvapi-S3cretS3cretS3cret", "Bearer S3cret.S3cret", "key=S3cretS3cret",
	"api_key: \"S3cret\"", "http://admin:S3cret@10.9.8.7:9000/S3cret?key=S3cret", "https://api.example.com/v1?key=S3cret",
	"Incorrect API key provided: S3cret",
}

func FuzzClassify(f *testing.F) {
	for _, c := range allCases() {
		f.Add(c.dialect, c.preset, c.status, "Retry-After", "5", []byte(c.body), "", uint8(0))
		f.Add(c.dialect, c.preset, 200, "Date", "x", []byte(c.body), "error", uint8(1))
	}
	f.Add("openai", "", 429, "X-Ratelimit-Reset", "99999999999999999999", []byte(strings.Repeat("[", 100_000)), "", uint8(2))
	f.Add("gemini", "", 429, "Retry-After", "NaN", []byte("[{\"error\":{\"details\":[{\"retryDelay\":\"9e9s\"}]}}]\x00\xff"), "", uint8(4))
	f.Fuzz(func(t *testing.T, dialect, preset string, status int, name, value string, body []byte, event string, flags uint8) {
		s := Signal{
			Dialect: dialect, Preset: preset, Status: status, Header: http.Header{http.CanonicalHeaderKey(name): {value}}, Body: body,
			Event: flags&1 != 0, EventType: event, Committed: flags&2 != 0, Finished: flags&4 != 0, Now: testNow,
		}
		got := Classify(s)
		if again := Classify(s); !reflect.DeepEqual(got, again) {
			t.Fatalf("not deterministic: %+v and %+v", got, again)
		}
		if got == nil {
			if (status < 200 || status >= 300) && !s.Event {
				t.Fatalf("status %d is no failure", status)
			}
			return
		}
		if _, ok := RuleOf(got.Kind); !ok {
			t.Errorf("%q is no kind", got.Kind)
		}
		if got.Hint < 0 {
			t.Errorf("hint %s", got.Hint)
		}
		for text, longest := range map[string]int{got.Message: longestMessage, got.Type: longestWord, got.Code: longestWord, got.Param: longestWord, got.UpstreamID: longestWord} {
			if len(text) > longest || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("text %q", text)
			}
		}
		if got.Message == "" {
			t.Error("no message")
		}
	})
}

func FuzzAnyStatusIsAnAnswerOrAFailure(f *testing.F) {
	for status := range 1000 {
		f.Add(status, []byte(`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`), status%2 == 0)
	}
	f.Add(101, []byte(nil), true)
	f.Fuzz(func(t *testing.T, status int, body []byte, streamed bool) {
		members := ""
		if streamed {
			members = `,"stream":true`
		}
		u := upstreamOf("application/json", bytes.NewReader(body))
		u.transport = statusOf{u.transport, status}
		got := receive(t, u, Chat, members)
		good := status >= 200 && status < 300 && status != 204
		if got.failure == nil && !good || got.failure == nil && got.text == "" {
			t.Errorf("%d is answered with %q", status, got.text)
		}
	})
}

// statusOf answers under another status.
type statusOf struct {
	http.RoundTripper
	status int
}

func (s statusOf) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.StatusCode = s.status
	}
	return resp, err
}

func FuzzNoPlantedSecretIsPassedOn(f *testing.F) {
	for i := range planted {
		f.Add("You sent", "to us.", uint8(i))
		f.Add("", "", uint8(i))
		f.Add(strings.Repeat("x", 600), "\n", uint8(i))
	}
	f.Fuzz(func(t *testing.T, before, after string, which uint8) {
		// Letters that touch a secret make it another word, and text that holds its mark proves nothing.
		if strings.Contains(before+after, "S3cret") {
			return
		}
		message := before + " " + planted[int(which)%len(planted)] + " " + after
		if got := clean(message, longestMessage); strings.Contains(got, "S3cret") {
			t.Errorf("%q became %q", message, got)
		}
	})
}
