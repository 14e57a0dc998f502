package simulate

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// logLine is a request of a log as GET /api/v1/requests has it.
func logLine(at time.Duration, combo string, attempts ...string) string {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(at).Format("2006-01-02T15:04:05.000Z07:00")
	return fmt.Sprintf(`{"id":"r","at":%q,"endpoint":"chat","combo":%q,"stream":true,"status":200,"attempts":[%s]}`, when, combo, strings.Join(attempts, ","))
}

func called(target, rest string) string {
	provider, model, _ := strings.Cut(target, "/")
	return fmt.Sprintf(`{"provider":%q,"model":%q,"key":null,%s}`, provider, model, rest)
}

// served is an hour of a gateway: from 10 min to 20 min, a fails or is passed over.
func served() string {
	var lines []string
	for i := range 360 {
		at := time.Duration(i) * 10 * time.Second
		ok := `"outcome":"ok","kind":null,"status":200,"ms":900,"first_token_ms":300`
		switch {
		case at < 10*time.Minute || at >= 20*time.Minute:
			lines = append(lines, logLine(at, "fast", called("a/m", ok)))
		case i%6 == 0:
			lines = append(lines, logLine(at, "fast", called("a/m", `"outcome":"failed","kind":"server_error","status":500,"ms":2000`), called("b/m", ok)))
		default:
			lines = append(lines, logLine(at, "fast", called("a/m", `"outcome":"skipped","skip_reason":"open","ms":0`), called("b/m", ok)))
		}
	}
	lines = append(lines, logLine(time.Hour, "other", called("a/m", `"outcome":"failed","kind":"canceled","ms":5`)))
	return `{"requests":[` + strings.Join(lines[200:], ",") + `],"next":"200"}` + "\n" + strings.Join(lines[:200], "\n")
}

func readLog(t *testing.T, text string) *Log {
	t.Helper()
	l, err := ReadLog(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// At every sixth request a fails: for those between, that is the nearest that was seen of it. Five failures open its
// breaker; probes follow at 680 s, 750 s, 880 s and 1130 s, and b, last seen at 1190 s, stands in until 1612 s.
func TestALogIsPlayedAgain(t *testing.T) {
	r, o := run(t, Input{Config: []byte(strings.Split(twoTargets, "targets:\n")[0]), Log: readLog(t, served())})
	wants(t, map[string]int{
		"requests": r.Requests, "answered": o.Clients.Answered, "a's calls in vain": o.Targets[0].Wasted, "unknown": o.Known.Unknown,
	}, map[string]int{"requests": 360, "answered": 360, "a's calls in vain": 5 + 4, "unknown": 0})
	if !r.Replayed || o.Clients.Added.Max.String() != "2s" || o.Known.Guessed == 0 || o.Known.Seen+o.Known.Guessed != 369 {
		t.Errorf("%+v %+v", o.Clients, o.Known)
	}
}

func TestALogIsPlayedAgainstOtherSettings(t *testing.T) {
	script := []byte(`
faults: [{target: b, from: 10m, to: 11m, kind: connection}]
policies: [{name: as it was}, {name: eager, defaults: {breaker: {failure_threshold: 1}}}]
`)
	r, _ := run(t, Input{Script: script, Config: []byte(strings.Split(twoTargets, "targets:\n")[0]), Log: readLog(t, served())})
	was, eager := r.Policies[0].Targets[0].Wasted, r.Policies[1].Targets[0].Wasted
	if eager >= was || eager == 0 {
		t.Errorf("%d calls in vain with a threshold of 1, %d with 5", eager, was)
	}
}

// TestALogSaysWhenAttemptsBeganAndWhoCameToNoWalk: start_ms counts where it is there, and what the gateway itself refused
// is no arrival.
func TestALogSaysWhenAttemptsBeganAndWhoCameToNoWalk(t *testing.T) {
	refused := strings.Replace(logLine(0, "fast"), `"id":"r"`, `"id":"r","outcome":"rejected"`, 1)
	l := readLog(t, refused+logLine(time.Second, "fast",
		called("a/m", `"outcome":"failed","kind":"server_error","status":500,"ms":100,"start_ms":5`),
		called("b/m", `"outcome":"ok","kind":null,"status":200,"ms":900,"start_ms":2105`)))
	seen := l.observations()
	if n := len(l.arrivals("fast")); n != 1 || seen["a/m"][0].at != time.Second+5*time.Millisecond || seen["b/m"][0].at != 3105*time.Millisecond {
		t.Errorf("%d arrivals, %+v", n, seen)
	}
}

func TestATargetThatTheLogDoesNotKnowIsTakenForHealthy(t *testing.T) {
	config := strings.ReplaceAll(strings.Split(twoTargets, "targets:\n")[0], "id: a,", "id: c,")
	config = strings.ReplaceAll(config, "provider: a,", "provider: c,")
	_, o := run(t, Input{Config: []byte(config), Log: readLog(t, served())})
	if o.Known.Unknown != 360 || o.Clients.Answered != 360 || o.Targets[0].Calls != 360 {
		t.Errorf("%+v %+v", o.Known, o.Clients)
	}
}

func TestWhatWasObservedIsPlayed(t *testing.T) {
	for name, test := range map[string]struct {
		seen string
		want act
	}{
		"an answer":                    {`"outcome":"ok","kind":null,"ms":900,"first_token_ms":300`, act{first: 300 * time.Millisecond, rest: 600 * time.Millisecond}},
		"a time-out of the gateway":    {`"outcome":"failed","kind":"timeout","status":null,"ms":900`, act{first: 900 * time.Millisecond, never: true}},
		"a time-out of the host":       {`"outcome":"failed","kind":"timeout","status":504,"ms":900`, act{first: 900 * time.Millisecond}},
		"a stream that broke off":      {`"outcome":"failed","kind":"truncated","status":200,"ms":900,"first_token_ms":300`, act{first: 300 * time.Millisecond, rest: 600 * time.Millisecond}},
		"a number that can't be":       {`"outcome":"ok","kind":null,"ms":-5,"first_token_ms":1e300`, act{}},
		"a failure with its own words": {`"outcome":"failed","kind":"rate_limit","status":418,"ms":90`, act{first: 90 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			o := readLog(t, logLine(0, "c", called("a/m", test.seen))).observations()["a/m"][0]
			got := o.act()
			if (got.fails != nil) != (o.kind != "" && !got.never) || got.fails != nil && (got.fails.Kind != o.kind || got.fails.Status != o.status) {
				t.Errorf("fails with %v, want %s %d", got.fails, o.kind, o.status)
			}
			got.fails, got.fault = nil, 0
			if got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

func TestALogThatIsNoneIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{":                             "not JSON",
		"1":                             "value 1 of the request log is no request",
		`{"at":"2026-01-02T03:04:05Z"}`: "no request",
		`{"requests":[{"at":"now","attempts":[]}]}`:         "no request",
		strings.Repeat(logLine(0, "c")+"\n", maxRequests+1): "over 100000 requests",
	} {
		if _, err := ReadLog(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
	in := Input{Script: []byte(twoTargets + "arrivals: [{to: 1m, rate: 1}]\n"), Log: readLog(t, served())}
	if got := told(t, in); got != "arrivals: must not be there: the log that is replayed has the arrivals" {
		t.Error(got)
	}
	in = Input{Config: []byte(strings.Split(twoTargets, "targets:\n")[0]), Log: readLog(t, logLine(0, "other"))}
	if got := told(t, in); got != "the log has no request of combo fast" {
		t.Error(got)
	}
}
