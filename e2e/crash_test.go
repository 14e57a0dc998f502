package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

// crashRounds is how often the process is killed; E2E_CRASH_ROUNDS asks for more.
func crashRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("E2E_CRASH_ROUNDS")
	if text == "" {
		return 20
	}
	rounds, err := strconv.Atoi(text)
	if err != nil || rounds < 1 {
		t.Fatalf("E2E_CRASH_ROUNDS=%q is no number of rounds", text)
	}
	return rounds
}

// shown is a transition as the event stream showed it.
type shown struct {
	Name   string `json:"name"`
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
	At     string `json:"at"`
}

// watcher remembers the last transition that the event stream showed of each breaker.
type watcher struct {
	mu   sync.Mutex
	last map[string]shown
	n    int
}

func (w *watcher) follow(ctx context.Context, g *gateway) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.URL+"/api/v1/events", http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+g.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	for event, err := range sse.Read(resp.Body, nil) {
		if err != nil {
			return // the process was killed
		}
		var s shown
		if event.Type != "breaker.transition" || json.Unmarshal([]byte(event.Data), &s) != nil {
			continue
		}
		w.mu.Lock()
		w.last[s.Name] = s
		w.n++
		w.mu.Unlock()
	}
}

// TestWhatWasShownOrAcknowledgedIsThereAfterAKill kills the process at random moments under load, while breakers open,
// close, are reset and isolated, and providers, combos and client keys are made, changed and removed. After the restart it
// wants each breaker's last transition that was visible in its history, everything that was acknowledged as it was, and a
// file that SQLite finds whole.
func TestWhatWasShownOrAcknowledgedIsThereAfterAKill(t *testing.T) {
	const targets = 6
	broken := providertest.NewUpstream(t)
	dir := t.TempDir()
	g := start(t, dir, "--no-demo")
	g.Provider("flap", broken.URL(), object{
		"breaker_scope": "target",
		"breaker":       object{"cooldown": "0s", "failure_threshold": 2, "reset_timeout": "20ms", "max_backoff_multiplier": 1, "jitter": 0},
	})
	for n := range targets {
		model := fmt.Sprintf("m%d", n)
		flapping := make([]string, 0, 200)
		for range 100 {
			flapping = append(flapping, "times 3; "+down, "times 3; "+up)
		}
		broken.Script(model, flapping...)
		g.Combo(model, "flap/"+model)
	}
	g.Provider("quiet", broken.URL(), nil)
	g.Combo("quiet", "quiet/m0", "quiet/m1")
	key := g.clientKey("load")
	book := newLedger(t)

	seen := 0
	for range crashRounds(t) {
		w := &watcher{last: make(map[string]shown)}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { w.follow(ctx, g) })
		for n := range targets {
			group.Go(func() {
				for ctx.Err() == nil {
					g.chatWithKey(ctx, key, fmt.Sprintf("m%d", n), n%2 == 0)
				}
			})
		}
		group.Go(func() { g.operate(ctx, targets) })
		for _, w := range book.writers {
			group.Go(func() { w.work(ctx, g) })
		}

		select {
		case <-time.After(200*time.Millisecond + rand.N(400*time.Millisecond)):
		case <-t.Context().Done():
		}
		g.Kill()
		cancel()
		group.Wait()

		intact(t, dir)
		g = start(t, dir)
		book.check(g)
		for name, last := range w.last {
			if !g.remembers(last) {
				t.Errorf("%s: the event stream showed %+v, which is gone after the restart", name, last)
			}
		}
		seen += w.n
	}
	if seen < targets*crashRounds(t) {
		t.Fatalf("only %d transitions were shown in all: the load proves nothing", seen)
	}
	t.Logf("%d transitions were shown in %d rounds; acknowledged: %s", seen, crashRounds(t), book.summary())
}

// operate does what an operator might, at random, until ctx ends or the gateway is gone.
func (g *gateway) operate(ctx context.Context, targets int) {
	actions := []string{"reset", "isolate", "release"}
	for ctx.Err() == nil {
		path := fmt.Sprintf("/api/v1/breakers/target%%3Aflap%%2Fm%d/%s", rand.IntN(targets), actions[rand.IntN(len(actions))])
		if rand.IntN(4) == 0 {
			path = "/api/v1/breakers/reset"
		}
		if _, _, err := g.call(ctx, http.MethodPost, path, nil); err != nil {
			return
		}
	}
}

// remembers tells whether a transition stands in its breaker's history.
func (g *gateway) remembers(want shown) bool {
	g.t.Helper()
	raw, err := json.Marshal(g.Breaker(want.Name)["transitions"])
	if err != nil {
		g.t.Fatal(err)
	}
	var history []shown
	if err := json.Unmarshal(raw, &history); err != nil {
		g.t.Fatal(err)
	}
	return slices.Contains(history, want)
}
