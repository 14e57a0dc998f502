package server

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker/storetest"
)

func TestABrokenDiskIsToldAndDoesNotStopOperators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		g := newStoredGateway(t, true, store)
		store.Fail(errors.New("disk full"))
		b := g.must(http.MethodPost, breakerPath+"/isolate", `{"by":"me"}`).json()
		if b["state"] != "ISOLATED" || b["persistence"] != "degraded" {
			t.Errorf("isolate: %v", b)
		}
		time.Sleep(3 * time.Second) // the bubble's clock
		list := g.must(http.MethodGet, "/api/v1/breakers?state=ISOLATED", "").json()
		p := list["persistence"].(map[string]any)
		if p["status"] != "degraded" || p["oldest_unsaved_ms"].(float64) < 3000 || len(list["breakers"].([]any)) != 1 {
			t.Errorf("list: %v", list)
		}
		ready := g.ask(http.MethodGet, "/readyz", "").json()
		if p, told := ready["persistence"].(map[string]any); !told || p["status"] != "degraded" || p["oldest_unsaved_ms"].(float64) < 3000 ||
			ready["degraded"].([]any)[0] != "persistence" {
			t.Errorf("readyz: %v", ready)
		}
		if page := scrape(g); strings.Contains(page, "ohmroute_persistence_oldest_unsaved_seconds 0\n") {
			t.Error("the metric says that everything is saved")
		}
		if r := g.must(http.MethodPost, "/api/v1/breakers/reset", `{"include_isolated":true}`).json(); r["persistence"] != "degraded" {
			t.Errorf("reset: %v", r)
		}
		store.Fail(nil)
		time.Sleep(time.Minute) // the store is tried again
		list = g.must(http.MethodGet, "/api/v1/breakers", "").json()
		if ready := g.ask(http.MethodGet, "/readyz", "").json(); !reflect.DeepEqual(ready["persistence"], list["persistence"]) {
			t.Errorf("readyz after the disk is back: %v", ready)
		}
		if p := list["persistence"].(map[string]any); p["status"] != "ok" || p["oldest_unsaved_ms"] != 0.0 {
			t.Errorf("after the disk is back: %v", p)
		}
	})
}

// TestNothingIsShownThatACrashCouldUndo holds "durable before visible": what a listing shows is in the store.
func TestNothingIsShownThatACrashCouldUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		g := newStoredGateway(t, true, store)
		release := store.Block()
		done := make(chan reply, 1)
		go func() { done <- g.admin(http.MethodPost, breakerPath+"/isolate", "{}") }()
		synctest.Wait()
		select {
		case re := <-done:
			t.Fatalf("answered before it was on disk: %s", re.Body)
		default:
		}
		release()
		if re := <-done; re.Code != 200 || len(store.Applied()) == 0 {
			t.Errorf("status %d, %d batches stored", re.Code, len(store.Applied()))
		}
	})
}

// TestALookShowsNothingNewerThanWhatItWaitedFor: what changes while a listing waits for the disk is not in it, since
// nobody has waited for that.
func TestALookShowsNothingNewerThanWhatItWaitedFor(t *testing.T) {
	for name, path := range map[string]string{
		"list": "/api/v1/breakers?state=ISOLATED", "fleet": "/api/v1/breaker-state", "metrics": "/metrics", "one": breakerPath,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := storetest.NewMemory()
				g := newStoredGateway(t, true, store)
				release := store.Block()
				isolate := func(breaker string) {
					if _, err := g.breakers.Isolate(breaker, "me", ""); err != nil {
						t.Error(err)
					}
					synctest.Wait()
				}
				isolate("target:demo/steady")
				done := make(chan reply, 1)
				go func() { done <- g.admin(http.MethodGet, path, "") }()
				synctest.Wait()
				if isolate("target:demo/flaky"); path == breakerPath {
					if _, err := g.breakers.Release("target:demo/steady"); err != nil {
						t.Error(err)
					}
				}
				release()
				page := (<-done).Body.String()
				if !strings.Contains(page, "target:demo/steady") {
					t.Errorf("what it waited for is missing: %s", page)
				}
				if strings.Contains(page, `ohmroute_breaker_state{name="target:demo/flaky",state="ISOLATED"} 1`) ||
					path != "/metrics" && strings.Contains(page, "target:demo/flaky") || path == breakerPath && strings.Contains(page, `"HALF_OPEN"`) {
					t.Errorf("it shows what it did not wait for: %s", page)
				}
			})
		})
	}
}

// TestAStateOnTheMetricsPageHasItsTransitionCounted also while the scrape waits for the disk.
func TestAStateOnTheMetricsPageHasItsTransitionCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		g := newStoredGateway(t, true, store)
		release := store.Block()
		if _, err := g.breakers.Isolate("target:demo/steady", "me", ""); err != nil {
			t.Fatal(err)
		}
		done := make(chan reply, 1)
		go func() { done <- g.ask(http.MethodGet, "/metrics", "") }()
		synctest.Wait()
		release()
		page := (<-done).Body.String()
		for _, line := range []string{
			`ohmroute_breaker_state{name="target:demo/steady",state="ISOLATED"} 1`,
			`ohmroute_breaker_transitions_total{from="CLOSED",name="target:demo/steady",reason="isolated",to="ISOLATED"} 1`,
		} {
			if !strings.Contains(page, line) {
				t.Errorf("%s is missing", line)
			}
		}
	})
}
