package dashboard

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/ohmroute/ohmroute/e2e/process"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

type object = process.Object

const (
	down = "error 500 - the machine room is flooded"
	up   = "chat Hello there."
)

// world is a gateway with the combo "fast" of two providers: "shaky", which plays what a test scripts, and "spare", which
// answers.
type world struct {
	*process.Gateway
	t            *testing.T
	shaky, spare *providertest.Upstream
}

// brisk are breaker settings with which a test has to wait for nothing long.
var brisk = object{"cooldown": "0s", "reset_timeout": "300ms", "jitter": 0}

func newWorld(t *testing.T, breaker object, scripts ...string) *world {
	t.Helper()
	w := &world{t: t, shaky: providertest.NewUpstream(t), spare: providertest.NewUpstream(t)}
	w.shaky.Script("m", scripts...)
	w.spare.Script("m", up)
	w.Gateway = process.Start(t, t.TempDir(), "--no-demo")
	w.Provider("shaky", w.shaky.URL(), object{"breaker": breaker, "models": []string{"m"}})
	w.Provider("spare", w.spare.URL(), object{"models": []string{"m"}})
	w.Combo("fast", "shaky/m", "spare/m")
	return w
}

// ask sends a chat request and reads its answer, whatever it is.
func (w *world) ask(model string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), process.Patience)
	defer cancel()
	body := fmt.Sprintf(`{"model":%s,"messages":[{"role":"user","content":"Say hello."}]}`, quoted(model))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Error(err)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // a broken answer is an answer
}

func (w *world) asks(model string, times int) {
	w.t.Helper()
	for range times {
		w.ask(model)
	}
}

// trip opens the breaker of shaky with so many failures.
func (w *world) trip(times int) {
	w.t.Helper()
	w.asks("fast", times)
	if state := w.State("provider:shaky"); state != "OPEN" {
		w.t.Fatalf("after %d failures the breaker is %s", times, state)
	}
}

// enter opens the dashboard and logs in.
func (w *world) enter() *page {
	w.t.Helper()
	return enter(w.t, w.URL, w.Token)
}

func enter(t *testing.T, address, token string) *page {
	t.Helper()
	p := open(t, address)
	p.fill("#token", token)
	p.press(kb.Enter)
	p.says(".live", "Live")
	return p
}
