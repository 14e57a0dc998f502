package providers

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMessagesAreCleaned(t *testing.T) {
	for dirty, want := range map[string]string{
		"Incorrect API key provided: sk-proj-abc123def. You can":             "Incorrect API key provided: [redacted] You can",
		"key sk-abcdef*****wxyz is revoked":                                  "key [redacted] is revoked",
		"Authorization: Bearer abc.def-123 was refused":                      "Authorization: [redacted] was refused",
		"got Bearer abc.def-123":                                             "got Bearer [redacted]",
		"token AIzaSyA1234567890abcdefghij here":                             "token [redacted] here",
		"gsk_abcdefgh1234 and xai-abcdefgh1234":                              "[redacted] and [redacted]",
		"AWS AKIAIOSFODNN7EXAMPLE":                                           "AWS [redacted]",
		"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_def":                  "jwt [redacted]",
		"azure 0123456789abcdef0123456789abcdef":                             "azure [redacted]",
		`{"api_key": "hunter2", "x": 1}`:                                     `{"api_key": "[redacted]", "x": 1}`,
		"access_token=hunter2&x=1":                                           "access_token=[redacted]&x=1",
		"see https://api.example.com/v1/x?key=hunter2#f.":                    "see https://api.example.com/v1/x.",
		"see https://platform.openai.com/docs, then":                         "see https://platform.openai.com/docs, then",
		"post http://user:pw@gateway.example.com/v1":                         "post [address]",
		"post http://10.0.0.7:8000/v1: refused":                              "post [address]: refused",
		"dial tcp 192.168.1.5:443: refused":                                  "dial tcp [address]: refused",
		"at http://vllm-0.vllm.prod.svc.cluster.local:8000/v1":               "at [address]",
		"lookup db.internal:5432 failed":                                     "lookup [address] failed",
		"on localhost:11434":                                                 "on [address]",
		"dial [fd00::1]:443":                                                 "dial [address]",
		"http://vllm:8000/v1/chat":                                           "[address]",
		"postgres://admin:pw@db/x":                                           "[address]",
		"line one\nline\ttwo\x00\x1b[31m \u202eend":                          "line one line two [31m end",
		"bad \xff\xfe utf-8":                                                 "bad \uFFFD utf-8",
		"Limit 30000, Requested 46000 tokens: max_tokens: 4096":              "Limit 30000, Requested 46000 tokens: max_tokens: 4096",
		"request req_011CeCGmBjaWkq37Sf5iU7so, model gpt-4o-2024-08-06":      "request req_011CeCGmBjaWkq37Sf5iU7so, model gpt-4o-2024-08-06",
		"Item 'rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23' of type": "Item 'rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23' of type",
		"": "",
	} {
		if got := clean(dirty, longestMessage); got != want {
			t.Errorf("%q\n got %q\nwant %q", dirty, got, want)
		}
	}
}

func TestCleanedTextIsBounded(t *testing.T) {
	for _, long := range []string{strings.Repeat("x", 1<<20), strings.Repeat("é\n", 1<<16), strings.Repeat("\xff", 5000)} {
		got := clean(long, longestMessage)
		if len(got) > longestMessage || !utf8.ValidString(got) {
			t.Errorf("%d bytes, valid %t", len(got), utf8.ValidString(got))
		}
	}
}

func TestRedactTakesOutWhatTheUpstreamEchoed(t *testing.T) {
	f := Classify(Signal{Dialect: "openai", Status: 400, Header: headerOf("x-request-id: the hunter2 one"), Body: []byte(
		`{"error":{"message":"hunter2 is no good","type":"hunter2","code":"x-hunter2","param":"hunter2"}}`)})
	if f.Body == nil {
		t.Fatal("a client error has a body")
	}
	f.Redact("hunter2")
	for _, text := range []string{f.Message, f.Type, f.Code, f.Param, f.UpstreamID, string(f.Body), f.Error()} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("still there: %q", text)
		}
	}
	f = &Failure{Message: "abc"}
	f.Redact("")
	f.Redact("b")
	if f.Message != "abc" {
		t.Errorf("a secret too short to be one changed the message to %q", f.Message)
	}
}

func TestASecretThatWasCutOffOrSpelledOtherwiseIsTakenOutToo(t *testing.T) {
	const secret = "quince/jam+and+tea"
	for name, message := range map[string]string{
		"cut by the bound of a message":                      strings.Repeat("x ", 250) + secret,
		"cut by the bound of what is read, and made shorter": strings.Repeat("https://a.example/?"+strings.Repeat("q", 980)+" ", 8) + strings.Repeat("y", 185) + " " + secret,
	} {
		f := Classify(Signal{Status: 500, Body: []byte(`{"error":{"message":"` + message + `"}}`)})
		f.Redact(secret)
		if strings.Contains(f.Message, "quin") || !strings.Contains(f.Message, redacted) || len(f.Message) > longestMessage+len(redacted) {
			t.Errorf("%s: %q", name, f.Message)
		}
	}
	for _, spelled := range []string{secret, `quince\/jam+and+tea`, `\u0071uince/jam\u002Band\u002btea`, `\\quince/jam+and+tea`} {
		f := &Failure{Body: []byte(`{"error":{"echo":"` + spelled + `"}}`)}
		if f.Redact(secret); f.Body != nil {
			t.Errorf("passed on: %s", f.Body)
		}
	}
	for _, other := range []string{`{"a":"quince\\/jam"}`, `{"a":"\u00`, `\`, `{"a":"\q"}`} {
		f := &Failure{Body: []byte(other)}
		if f.Redact(secret); string(f.Body) != other {
			t.Errorf("%s became %s", other, f.Body)
		}
	}
	for header, want := range map[string]string{
		"application/json; charset=utf-8": "application/json; charset=utf-8", "application/json; x=" + secret: "application/json", secret: "",
	} {
		f := &Failure{ContentType: header}
		if f.Redact(secret); f.ContentType != want {
			t.Errorf("%s became %q", header, f.ContentType)
		}
	}
}

func TestTheEvidenceOfALongErrorAnswerIsRead(t *testing.T) {
	body := `{"error":{"message":"` + strings.Repeat("x", 100_000) + `","code":"insufficient_quota"}}`
	u := upstreamOf("application/json", strings.NewReader(body))
	u.transport = statusOf{u.transport, http.StatusTooManyRequests}
	if got := receive(t, u, Chat, ""); kindOf(got.failure) != Billing {
		t.Errorf("got %v", got.failure)
	}
}
