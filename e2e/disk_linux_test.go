package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tmaxmax/go-sse"
)

// trouble is a way in which a disk fails under a running gateway.
type trouble struct {
	place func(t *testing.T) string // a data directory that the trouble can befall
	harm  func(t *testing.T, dir string) (mend func())
}

// TestTrafficDoesNotNoticeTheDiskAndItIsToldOnce breaks the disk under load, wants every request answered, one notice when
// it breaks and one when it is back, and everything that happened meanwhile on the disk in the end.
func TestTrafficDoesNotNoticeTheDiskAndItIsToldOnce(t *testing.T) {
	for name, disk := range map[string]trouble{
		"full":                      {smallDisk, fillUp},
		"locked by another program": {(*testing.T).TempDir, lockOut},
	} {
		t.Run(name, func(t *testing.T) {
			dir := disk.place(t)
			g, _ := pair(t, dir, object{"cooldown": "0s", "failure_threshold": 1, "reset_timeout": "10ms", "max_backoff_multiplier": 1, "jitter": 0}, down)
			notices := g.watchPersistence(t)
			mend := disk.harm(t, dir)
			g.chatUntil(func() bool { return slices.Contains(g.degraded(), "persistence") }, "the disk's trouble was not noticed")
			for n := range 30 {
				g.answered(g.chat("fast", n%2 == 0))
			}
			var b object
			g.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aup/isolate", object{"by": "ada", "reason": "by hand"}, &b)
			if b["state"] != "ISOLATED" || b["persistence"] != "degraded" {
				t.Errorf("isolating with a broken disk answers %v", b)
			}
			g.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aup/release", nil, nil)
			g.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Adown/isolate", object{"by": "ada", "reason": "by hand"}, nil)
			if status, answer := g.Admin(http.MethodPost, "/api/v1/keys", object{"name": "one"}); status != http.StatusServiceUnavailable {
				t.Errorf("a change of the configuration is answered %d with a broken disk: %s", status, answer)
			}

			mend()
			g.chatUntil(func() bool { return len(g.degraded()) == 0 }, "that the disk is well again was not noticed")
			if got, want := notices(), []string{"persistence.degraded", "persistence.restored"}; !slices.Equal(got, want) {
				t.Errorf("the event stream told %v, want %v", got, want)
			}
			for _, line := range []string{"circuit breaker state can't be stored", "circuit breaker state is stored again"} {
				if n := strings.Count(g.Output(), line); n != 1 {
					t.Errorf("the log says %q %d times, want once", line, n)
				}
			}
			g.Must(http.StatusOK, http.MethodGet, "/api/v1/breakers", nil, nil) // what it shows is on the disk
			g.Kill()
			intact(t, dir)
			g = start(t, dir)
			if state := g.State("provider:down"); state != "ISOLATED" {
				t.Errorf("after the restart the breaker is %s: what happened meanwhile was not written", state)
			}
		})
	}
}

// TestASlowDiskHoldsUpNoRequest lets a commit through now and then only, while every request moves a breaker.
func TestASlowDiskHoldsUpNoRequest(t *testing.T) {
	dir := t.TempDir()
	g, _ := pair(t, dir, object{"cooldown": "0s", "failure_threshold": 1, "reset_timeout": "10ms", "max_backoff_multiplier": 1, "jitter": 0}, down)
	notices := g.watchPersistence(t)
	quick := slowDown(t, dir)
	g.chatUntil(quick, "the disk stays slow")
	g.chatUntil(func() bool { return len(g.degraded()) == 0 }, "that the disk is quick again was not noticed")
	told := notices()
	for i, notice := range told {
		if want := []string{"persistence.degraded", "persistence.restored"}[i%2]; notice != want {
			t.Fatalf("the event stream told %v: not in turn", told)
		}
	}
	if len(told)%2 != 0 {
		t.Errorf("the event stream told %v, and the disk is well", told)
	}
	shown := g.Breaker("provider:down")["transitions"]
	g.Kill()
	intact(t, dir)
	g = start(t, dir)
	if kept := g.Breaker("provider:down")["transitions"]; !equalJSON(shown, kept) {
		t.Errorf("before the kill\n%v\nwere shown, after it\n%v", shown, kept)
	}
}

// TestADirectoryThatBecomesWritableIsTakenIntoUse starts on a disk that can only be read.
func TestADirectoryThatBecomesWritableIsTakenIntoUse(t *testing.T) {
	dir := t.TempDir()
	g, _ := pair(t, dir, object{"cooldown": "0s", "failure_threshold": 1}, down)
	g.answered(g.chat("fast", false))
	if code := g.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	mend := readOnly(t, dir)
	g = start(t, dir)
	notices := g.watchPersistence(t)
	if parts := g.degraded(); !slices.Contains(parts, "persistence") {
		t.Errorf("/readyz names %v", parts)
	}
	g.answered(g.chat("fast", true)) // its configuration was read
	g.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Adown/isolate", object{"by": "ada"}, nil)
	mend()
	g.chatUntil(func() bool { return len(g.degraded()) == 0 }, "that the disk can be written was not noticed")
	if got := notices(); slices.Contains(got, "persistence.degraded") || !slices.Contains(got, "persistence.restored") {
		t.Errorf("the event stream told %v, want only that it is restored", got)
	}
	g.Kill()
	g = start(t, dir)
	if state := g.State("provider:down"); state != "ISOLATED" {
		t.Errorf("after the restart the breaker is %s", state)
	}
}

// chatUntil sends requests, each of which has to be answered, until done says so.
func (g *gateway) chatUntil(done func() bool, complaint string) {
	g.t.Helper()
	for deadline := time.Now().Add(2 * patience); !done(); {
		if time.Now().After(deadline) {
			g.t.Fatalf("%s: /readyz names %v", complaint, g.degraded())
		}
		if a := g.chat("fast", false); a.err != nil || a.status != http.StatusOK {
			g.t.Fatalf("status %d, error %v: %s", a.status, a.err, a.body)
		}
	}
}

// degraded are the parts that /readyz names.
func (g *gateway) degraded() []string {
	g.t.Helper()
	var page struct{ Degraded []string }
	g.Must(http.StatusOK, http.MethodGet, "/readyz", nil, &page)
	return page.Degraded
}

// watchPersistence follows the event stream. What it returns gives what was told of the disk so far, in order, once what
// was told before the call has come.
func (g *gateway) watchPersistence(t *testing.T) func() []string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.URL+"/api/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu    sync.Mutex
		told  []string
		marks = make(chan string, 64)
		group sync.WaitGroup
	)
	group.Go(func() {
		defer resp.Body.Close()
		for event, err := range sse.Read(resp.Body, nil) {
			switch {
			case err != nil:
				return
			case strings.HasPrefix(event.Type, "persistence."):
				mu.Lock()
				told = append(told, event.Type)
				mu.Unlock()
			case event.Type == "config.changed":
				marks <- event.Data
			}
		}
	})
	t.Cleanup(func() { cancel(); group.Wait() })
	return func() []string {
		name := fmt.Sprintf("mark%d", time.Now().UnixNano())
		g.Combo(name, "up/m") // an event behind those that are asked for
		for deadline := time.After(patience); ; {
			select {
			case data := <-marks:
				if !strings.Contains(data, name) {
					continue
				}
			case <-deadline:
				t.Fatal("the event stream has stopped")
			}
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(told)
		}
	}
}
