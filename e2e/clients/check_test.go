package clients

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readsOn wants the text behind a thought; how much of the thought a client shows is its own affair.
func readsOn(t *testing.T, _ party, _ string, p played) {
	t.Helper()
	fine(t, p)
	if p.Text != hello {
		t.Errorf("the text is %q", p.Text)
	}
}

// fine fails the test if the client saw an error.
func fine(t *testing.T, p played) {
	t.Helper()
	if p.Error != nil {
		t.Fatalf("the client saw %+v", *p.Error)
	}
}

func isHello(t *testing.T, _ party, _ string, p played) {
	t.Helper()
	fine(t, p)
	if p.Text != hello {
		t.Errorf("the text is %q", p.Text)
	}
	if p.pieces != "" && p.pieces != hello {
		t.Errorf("the stream's pieces make %q", p.pieces)
	}
	if p.Input+p.Output > 0 && (p.Input != 5 || p.Output != 2) {
		t.Errorf("the usage is %d and %d tokens, want 5 and 2", p.Input, p.Output)
	}
	if len(p.asked) != 1 || len(p.first) > 1 || p.asked[0].Stream != (p.op == "stream") {
		t.Errorf("the targets were asked %d and %d times, not once and as the client asked", len(p.first), len(p.asked))
	}
}

func calledBoth(t *testing.T, _ party, _ string, p played) {
	t.Helper()
	fine(t, p)
	if len(p.Tools) != 2 || p.Tools[0].Arguments.City != "Paris" || p.Tools[1].Arguments.City != "Rome" {
		t.Errorf("the calls are %+v", p.Tools)
	}
	if p.Text != sunny {
		t.Errorf("the text is %q", p.Text)
	}
	if len(p.asked) != 2 {
		t.Fatalf("the target was asked %d times, want 2", len(p.asked))
	}
	for _, want := range []string{"Sunny in Paris", "Sunny in Rome", callID(0), callID(1)} {
		if !strings.Contains(string(p.asked[1].Body), want) {
			t.Errorf("%s did not reach the target: %s", want, p.asked[1].Body)
		}
	}
	if !strings.Contains(string(p.asked[0].Body), `"get_weather"`) {
		t.Errorf("the tool did not reach the target: %s", p.asked[0].Body)
	}
}

func isParis(t *testing.T, _ party, _ string, p played) {
	t.Helper()
	fine(t, p)
	if p.Object == nil || *p.Object != (city{"Paris", 2_100_000}) {
		t.Errorf("the answer is %+v", p.Object)
	}
	if len(p.asked) != 1 || !strings.Contains(string(p.asked[0].Body), `"population"`) {
		t.Errorf("the schema did not reach the target: %s", p.asked[0].Body)
	}
}

func sawTheDot(t *testing.T, _ party, _ string, p played) {
	t.Helper()
	fine(t, p)
	if p.Text != dot {
		t.Errorf("the text is %q", p.Text)
	}
	if len(p.asked) != 1 || !strings.Contains(string(p.asked[0].Body), pixel) {
		t.Errorf("the picture did not reach the target: %s", p.asked[0].Body)
	}
}

// failed fails the test unless the client saw an error of that status, by its own class for it.
func failed(t *testing.T, class string, p played, status int) {
	t.Helper()
	if p.Error == nil {
		t.Fatalf("the client saw a success: %+v", p.result)
	}
	if p.Error.Status != status || p.Error.Class != class {
		t.Errorf("the client saw %+v, want %s with status %d", *p.Error, class, status)
	}
	if p.pieces != "" {
		t.Errorf("the client saw text: %q", p.pieces)
	}
}

func failsWith(status int) func(*testing.T, party, string, played) {
	asked := map[int]int{400: 1, 429: 1}[status]
	return func(t *testing.T, c party, _ string, p played) {
		t.Helper()
		failed(t, c.class(status), p, status)
		if len(p.asked) != asked {
			t.Errorf("the target was asked %d times, want %d", len(p.asked), asked)
		}
	}
}

// onAnthropic tells whether errors come in Anthropic's envelope.
func onAnthropic(endpoint string) bool { return endpoint == "messages" || endpoint == "beta" }

func failsForQuota(t *testing.T, c party, endpoint string, p played) {
	t.Helper()
	status, code := 429, "insufficient_quota"
	if onAnthropic(endpoint) {
		status, code = 402, "billing_error"
	}
	failed(t, c.class(status), p, status)
	if p.Error.Code != code || len(p.asked) != 1 {
		t.Errorf("the code is %q after %d requests, want %q after one", p.Error.Code, len(p.asked), code)
	}
}

var (
	lengthOnOpenAI    = regexp.MustCompile(`maximum context length is \d+ tokens`)
	lengthOnAnthropic = regexp.MustCompile(`prompt is too long: \d+ tokens > \d+ maximum`)
)

func failsForLength(t *testing.T, c party, endpoint string, p played) {
	t.Helper()
	failed(t, cmp.Or(c.tooLong, c.class(400)), p, 400)
	code, wording := "context_length_exceeded", lengthOnOpenAI
	if onAnthropic(endpoint) {
		code, wording = "invalid_request_error", lengthOnAnthropic
	}
	if p.Error.Code != code || !wording.MatchString(p.Error.Message) {
		t.Errorf("the client saw %+v, want %s and %s", *p.Error, code, wording)
	}
}

func failsOnce(t *testing.T, c party, _ string, p played) {
	t.Helper()
	failed(t, c.class(503), p, 503)
	if len(p.first) != 1 || len(p.asked) != 1 {
		t.Errorf("the targets were asked %d and %d times: the client's own retries multiplied the gateway's", len(p.first), len(p.asked))
	}
}

// streamFailed fails the test unless the client saw an error in its stream, in the gateway's words if it shows them.
func streamFailed(t *testing.T, c party, endpoint string, p played, words string) {
	t.Helper()
	if p.Error == nil {
		t.Fatalf("the client saw a success: %+v", p.result)
	}
	hides := slices.Contains(c.hides, endpoint+" "+p.name)
	if strings.Contains(p.Error.Message, words) == hides {
		t.Errorf("the client saw %+v; that it hides what the gateway says is expected: %v", *p.Error, hides)
	}
	if len(p.asked) != 1 {
		t.Errorf("the target was asked %d times", len(p.asked))
	}
}

func seesABreak(t *testing.T, c party, endpoint string, p played) {
	t.Helper()
	streamFailed(t, c, endpoint, p, "the answer broke off")
	if p.pieces != firstWord {
		t.Errorf("before the break the client saw %q", p.pieces)
	}
}

// failsLate: the headers of a success have gone out, so the error can only come as an event.
func failsLate(t *testing.T, c party, endpoint string, p played) {
	t.Helper()
	streamFailed(t, c, endpoint, p, flooded)
	if p.pieces != "" {
		t.Errorf("the client saw text: %q", p.pieces)
	}
}

func left(t *testing.T, _ party, _ string, p played) {
	t.Helper()
	if p.Error == nil && !p.Aborted {
		t.Errorf("the client saw an ordinary end: %+v", p.result)
	}
	if len(p.asked) != 1 {
		t.Errorf("the target was asked %d times", len(p.asked))
	}
}
