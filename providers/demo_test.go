package providers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// played is what came of one request to a provider.
type played struct {
	text    string // that the client gets
	content string // what the model said
	failure *Failure
	first   time.Duration // to the first meaningful chunk
	took    time.Duration
	last    Chunk
	done    bool // the events ended in their own end
}

// ask sends a chat request and reads the answer to its end, as the walk and the server do.
func ask(ctx context.Context, t *testing.T, p Provider, model string, streamed bool, limits Limits) played {
	t.Helper()
	body := `{"model":"combo","messages":[{"role":"user","content":"hi"}]`
	if streamed {
		body += `,"stream":true,"stream_options":{"include_usage":true}`
	}
	r, err := ParseRequest(Chat, []byte(body+`}`))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	got := played{}
	answer, err := p.Send(ctx, &Attempt{Request: r, Model: model, Limits: limits})
	if err != nil {
		got.failure, got.took = err.(*Failure), time.Since(begun)
		return got
	}
	defer answer.Events.Close()
	for {
		c, err := answer.Events.Next()
		if err != nil {
			got.done = errors.Is(err, io.EOF)
			got.failure, _ = errors.AsType[*Failure](err)
			break
		}
		got.text += string(c.Data)
		if c.Meaningful && got.first == 0 {
			got.first = time.Since(begun)
			answer.Events.Commit()
		}
		got.last = c
	}
	got.took = time.Since(begun)
	got.content = contentOf(t, got.text, streamed)
	return got
}

// contentOf reads what the model said out of an answer.
func contentOf(t *testing.T, text string, streamed bool) string {
	t.Helper()
	type message struct {
		Content string `json:"content"`
	}
	type answer struct {
		Choices []struct {
			Delta   message `json:"delta"`
			Message message `json:"message"`
		} `json:"choices"`
	}
	if !streamed {
		var a answer
		if json.Unmarshal([]byte(text), &a) != nil || len(a.Choices) == 0 {
			return ""
		}
		return a.Choices[0].Message.Content
	}
	var said strings.Builder
	for line := range strings.Lines(text) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var a answer
		if err := json.Unmarshal([]byte(data), &a); err != nil {
			t.Errorf("the event %s is no JSON: %v", data, err)
		} else if len(a.Choices) > 0 {
			said.WriteString(a.Choices[0].Delta.Content)
		}
	}
	return said.String()
}

func newDemo(t *testing.T, script string) *Demo {
	t.Helper()
	d, err := NewDemo(DemoConfig{Scripts: map[string]string{"m": script}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func TestDemoSteady(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			d := newDemo(t, "ok")
			got := ask(t.Context(), t, d, "steady", streamed, Limits{})
			if !got.done || len(strings.Fields(got.content)) != 45 || got.last.Usage == nil || got.last.Usage.OutputTokens != 45 {
				t.Errorf("streamed %v: %d words, %+v, %v", streamed, len(strings.Fields(got.content)), got.last, got.failure)
			}
			if streamed && (got.first != 120*time.Millisecond || got.took != 120*time.Millisecond+45*40*time.Millisecond) {
				t.Errorf("first after %s, all after %s", got.first, got.took)
			}
			if !strings.HasSuffix(got.text, "data: [DONE]\n\n") && streamed {
				t.Error("no [DONE]")
			}
		})
	}
}

func TestDemoFlakyIsTheSameInEveryProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDemo(t, "ok")
		var kinds []Kind
		for range 14 {
			got := ask(t.Context(), t, d, "flaky", true, Limits{})
			if got.failure != nil {
				kinds = append(kinds, got.failure.Kind)
			} else {
				kinds = append(kinds, "")
			}
		}
		round := []Kind{ServerError, ServerError, ServerError, Timeout, Timeout, "", ""}
		if want := append(round, round...); !slices.Equal(kinds, want) {
			t.Errorf("got %q, want %q", kinds, want)
		}
	})
}

func TestDemoFailsWithEveryKind(t *testing.T) {
	for kind := range failures {
		for _, streamed := range []bool{true, false} {
			got := ask(t.Context(), t, newDemo(t, "fail:"+string(kind)+" first=0s"), "m", streamed, Limits{})
			if got.failure == nil || got.failure.Kind != kind {
				t.Errorf("fail:%s, streamed %v: got %v", kind, streamed, got.failure)
			}
		}
	}
	for _, kind := range Kinds() {
		if _, ok := failures[kind]; !ok && kind != Truncated && kind != Canceled && kind != Local {
			t.Errorf("no way to fail with %s", kind)
		}
	}
}

func TestDemoActs(t *testing.T) {
	limits := Limits{Connect: time.Minute, FirstToken: 2 * time.Minute, Idle: 5 * time.Minute, Response: 10 * time.Minute}
	type outcome struct {
		kind Kind // empty: success
		took time.Duration
	}
	tests := map[string]struct {
		script          string
		streamed, plain outcome
	}{
		"slow":        {"slow words=2", outcome{"", 2*time.Second + 600*time.Millisecond}, outcome{"", 2 * time.Second}},
		"hang":        {"hang", outcome{Timeout, 2 * time.Minute}, outcome{Timeout, 10 * time.Minute}},
		"die":         {"die after=2 first=1s delay=0s", outcome{Truncated, time.Second}, outcome{Malformed, time.Second}},
		"die at once": {"die after=0 first=0s", outcome{Malformed, 0}, outcome{Malformed, 0}},
		"stall":       {"stall after=1 first=1s", outcome{Truncated, 5*time.Minute + time.Second}, outcome{Timeout, 10 * time.Minute}},
		"empty":       {"empty first=0s delay=0s", outcome{ModelFault, 0}, outcome{ModelFault, 0}},
		"refuse":      {"refuse first=0s delay=0s", outcome{ContentPolicy, 0}, outcome{ContentPolicy, 0}},
		"lie":         {"lie first=0s", outcome{ServerError, 0}, outcome{ServerError, 0}},
	}
	for name, test := range tests {
		for streamed, want := range map[bool]outcome{true: test.streamed, false: test.plain} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					got := ask(t.Context(), t, newDemo(t, test.script), "m", streamed, limits)
					kind := Kind("")
					if got.failure != nil {
						kind = got.failure.Kind
					}
					if kind != want.kind || got.took != want.took {
						t.Errorf("streamed %v: %q after %s, want %q after %s", streamed, kind, got.took, want.kind, want.took)
					}
				})
			})
		}
	}
}

func TestDemoHint(t *testing.T) {
	got := ask(t.Context(), t, newDemo(t, "fail:rate_limit retry_after=1.5s first=0s"), "m", true, Limits{})
	if got.failure == nil || got.failure.Hint != 1500*time.Millisecond {
		t.Errorf("got %+v", got.failure)
	}
}

func TestDemoEndsWithItsContext(t *testing.T) {
	for _, script := range []string{"hang", "stall after=3", "slow"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			got := ask(ctx, t, newDemo(t, script), "m", true, Limits{})
			if got.failure == nil || got.failure.Kind != Canceled || got.took != time.Second {
				t.Errorf("%s: %v after %s", script, got.failure, got.took)
			}
		})
	}
}

func TestDemoTurns(t *testing.T) {
	t.Run("in order, over and over", func(t *testing.T) {
		s, err := parseScript("ok, fail:overloaded x3,hang")
		if err != nil {
			t.Fatal(err)
		}
		var acts []string
		for n := range 10 {
			turn := s.turn("m", n)
			acts = append(acts, turn.act)
		}
		if got := strings.Join(acts, " "); got != "ok fail fail fail hang ok fail fail fail hang" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("drawn by their shares", func(t *testing.T) {
		s, err := parseScript("ok 20% | fail:server_error 70% | hang 10%")
		if err != nil {
			t.Fatal(err)
		}
		drawn := map[string]int{}
		for n := range 10_000 {
			turn := s.turn("m", n)
			drawn[turn.act]++
		}
		for act, share := range map[string]int{"ok": 2000, "fail": 7000, "hang": 1000} {
			if got := drawn[act]; got < share*9/10 || got > share*11/10 {
				t.Errorf("%s was drawn %d times of 10,000", act, got)
			}
		}
	})
}

func TestDemoScriptErrors(t *testing.T) {
	tests := map[string]string{
		"":                               "turn 1: it is empty",
		"ok,":                            "turn 2: it is empty",
		"okay":                           `unknown act "okay"`,
		"fail":                           "a kind of failure stands behind fail",
		"ok:server_error":                "a kind of failure stands behind fail",
		"fail:everything":                `it can't fail with "everything"`,
		"fail:local":                     `it can't fail with "local"`,
		"ok words=none":                  `"words=none": the number must be 1 to 10000`,
		"ok after=3":                     `unknown option "after=3" of ok, known are words, first, delay`,
		"ok first=3":                     `"first=3": the time must be 0s to 1h0m0s`,
		"ok x0":                          `"x0": the number must be 1 to 10000`,
		"ok 50% | hang 40%":              "the shares sum up to 90%",
		"ok 50% | hang":                  "turn 2: it has no share",
		"ok 20%":                         `unknown option "20%"`,
		strings.Repeat("ok,", 2000):      "longer than 4096 bytes",
		strings.Repeat("ok,", 64) + "ok": "65 turns, at most 64",
		"okay, hang for=ever":            "turn 2: unknown option",
	}
	for script, want := range tests {
		if err := CheckScript(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %s", script, err, want)
		}
	}
	_, err := NewDemo(DemoConfig{Scripts: map[string]string{"a": "x", "b": "ok", "c": "y"}})
	if err == nil || !strings.Contains(err.Error(), "script of a") || !strings.Contains(err.Error(), "script of c") {
		t.Errorf("not all problems at once: %v", err)
	}
}

func TestDemoModels(t *testing.T) {
	if got := newDemo(t, "ok").Models(); !slices.Equal(got, []string{"flaky", "m", "steady"}) {
		t.Errorf("got %q", got)
	}
	for name, script := range maps.All(builtinScripts) {
		if err := CheckScript(script); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCheckScript(f *testing.F) {
	f.Add("ok x3, fail:overloaded retry_after=3s")
	f.Add("ok 20% | hang 80%")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseScript(text)
		if err != nil {
			return
		}
		for n := range 300 {
			if turn := s.turn("m", n); acts[turn.act] == nil {
				t.Fatalf("turn %d is %+v", n, turn)
			}
		}
	})
}
