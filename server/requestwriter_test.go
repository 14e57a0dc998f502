package server

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/config"
)

func TestAStoreThatFailsIsToldAndDisturbsNobody(t *testing.T) {
	for name, blocks := range map[string]bool{"by errors": false, "by blocking": true} {
		t.Run(name, func(t *testing.T) {
			store := &requestMemory{}
			inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) {
				t := g.t
				before := g.talk(1)
				time.Sleep(flushInterval)
				synctest.Wait()
				if blocks {
					store.set(nil, true)
				} else {
					store.set(errors.New("disk full"), false)
				}
				began := time.Now()
				ids := append(g.talk(5), before...)
				if waited := time.Since(began); waited != 0 {
					t.Errorf("requests waited %s for the store", waited)
				}
				time.Sleep(flushInterval + storePatience)
				got, page := g.listed("")
				if !slices.Equal(got, ids) || page.Persistence.Status != persistenceDegraded {
					t.Errorf("listed %v, %+v, want %v", got, page, ids)
				}
				g.admin(http.MethodGet, "/api/v1/requests/req_none", "").wantError(http.StatusServiceUnavailable, "persistence_unavailable")
				if ready := g.ask(http.MethodGet, "/readyz", "").json(); !reflect.DeepEqual(ready["degraded"], []any{"request_log"}) {
					t.Errorf("readyz: %v", ready)
				}
				time.Sleep(10 * time.Minute)
				if n := strings.Count(g.logs.String(), "the request log can't be stored"); n != 1 {
					t.Errorf("told %d times that it can't be stored", n)
				}
				store.set(nil, false)
				time.Sleep(lastRetry)
				synctest.Wait()
				if got := store.ids(); !slices.Equal(got, ids) {
					t.Errorf("stored %v, want %v", got, ids)
				}
				if n := strings.Count(g.logs.String(), `"the request log is stored again","lost":0`); n != 1 {
					t.Errorf("told %d times that it is stored again", n)
				}
				if _, page := g.listed(""); page.Persistence.Status != persistenceOK {
					t.Errorf("persistence is %+v", page.Persistence)
				}
			})
		})
	}
}

func TestWhatABrokenStoreCanNotTakeIsBoundedCountedAndToldOnce(t *testing.T) {
	store := &requestMemory{}
	store.set(errors.New("disk full"), false)
	inLoggedBubble(t, store, config.RequestLog{MaxRows: 40}, func(g *gateway) {
		t := g.t
		ids := g.talk(100)
		time.Sleep(time.Hour)
		if got, _ := g.listed(""); !slices.Equal(got, ids[:40]) {
			t.Errorf("%d are kept, want the newest 40", len(got))
		}
		store.set(nil, false)
		time.Sleep(lastRetry)
		synctest.Wait()
		if got := store.ids(); !slices.Equal(got, ids[:40]) {
			t.Errorf("%d are stored, want the newest 40", len(got))
		}
		logs := g.logs.String()
		if n := strings.Count(logs, `"the request log is stored again","lost":60`); n != 1 {
			t.Errorf("told %d times that 60 are lost", n)
		}
		if n := strings.Count(logs, "the request log"); n != 2 {
			t.Errorf("%d lines about the request log, want one for the beginning and one for the end", n)
		}
		if page := scrape(g); !strings.Contains(page, "ohmroute_request_log_lost_total 60\n") {
			t.Error("the metric does not say 60")
		}
	})
}

func TestAServerClosesWithAStoreThatBlocks(t *testing.T) {
	store := &requestMemory{}
	synctest.Test(t, func(t *testing.T) {
		r := newGateway(t, false, stored(store, config.RequestLog{})).run()
		r.route(plain(helloAnswer))
		synctest.Wait()
		r.talk(3)
		store.set(nil, true)
		began := time.Now()
		r.end()
		if took := time.Since(began); took > 2*closePatience {
			t.Errorf("the end took %s", took)
		}
		if !strings.Contains(r.logs.String(), "3 entries of the request log are lost") {
			t.Errorf("the log does not tell what is lost: %s", r.logs.String())
		}
	})
}

func TestTheLogIsTrimmedByAgeAndNumber(t *testing.T) {
	keep := config.RequestLog{MaxRows: 5000, MaxAge: time.Hour, MaxSize: 1 << 20}
	store := &requestMemory{atOnce: 2}
	inLoggedBubble(t, store, keep, func(g *gateway) {
		t := g.t
		if got := store.trimmed(); len(got) != 1 || got[0] != (trimCall{time.Now().Add(-time.Hour), 5000, 1 << 20}) {
			t.Errorf("trimmed %v at the start", got)
		}
		old := g.talk(5)
		time.Sleep(50 * time.Minute)
		recent := g.talk(1)
		time.Sleep(10*time.Minute - time.Second)
		if got, _ := g.listed(""); !slices.Equal(got, append(recent, old...)) {
			t.Errorf("listed %v", got)
		}
		time.Sleep(2 * time.Second)
		if got, _ := g.listed(""); !slices.Equal(got, recent) {
			t.Errorf("listed %v, want what is not over age", got)
		}
		time.Sleep(trimInterval)
		synctest.Wait()
		if got := store.ids(); !slices.Equal(got, recent) {
			t.Errorf("stored %v without further requests, want %v", got, recent)
		}
	})
	t.Run("what is over the number is not listed although it is not removed yet", func(t *testing.T) {
		store := &requestMemory{}
		inLoggedBubble(t, store, config.RequestLog{MaxRows: 4}, func(g *gateway) {
			ids := g.talk(4)
			time.Sleep(flushInterval)
			ids = append(g.talk(1), ids...)
			if got := g.pages(3); !slices.Equal(got, ids[:4]) {
				g.t.Errorf("listed %v, want the newest 4", got)
			}
		})
	})
}

func TestMoreIsListedThanMemoryKeeps(t *testing.T) {
	store := &requestMemory{}
	inLoggedBubble(t, store, config.RequestLog{MaxRows: journalSize + 5}, func(g *gateway) {
		for n := range journalSize + 3 {
			f := ended(n)
			f.report.Start = time.Now()
			g.server.recorder.record(f)
			synctest.Wait() // so that the writer keeps up
		}
		time.Sleep(flushInterval)
		if got := g.pages(1000); len(got) != journalSize+3 || got[len(got)-1] != "0" {
			g.t.Errorf("%d are listed, want %d", len(got), journalSize+3)
		}
	})
}

func TestAStoreThatFailsIsTriedLessAndLessOften(t *testing.T) {
	store := &requestMemory{}
	store.set(errors.New("disk full"), false)
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) {
		g.talk(1)
		time.Sleep(time.Hour)
		synctest.Wait()
		if least, most := int(time.Hour/lastRetry), int(time.Hour/lastRetry)+5; store.failures() < least || store.failures() > most {
			g.t.Errorf("tried %d times in an hour, want %d to %d", store.failures(), least, most)
		}
		store.set(nil, false)
	})
}

func TestNewRequestsAreStoredBetweenThePartsOfALongTrim(t *testing.T) {
	store := &requestMemory{atOnce: 1}
	inLoggedBubble(t, store, config.RequestLog{MaxRows: 5000, MaxAge: time.Minute}, func(g *gateway) {
		g.talk(300)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := store.ids(); got != nil {
			g.t.Errorf("%d are left", len(got))
		}
		// At least one transaction for each that went, and none of them longer.
		if n := len(store.trimmed()); n < 300 {
			g.t.Errorf("trimmed in %d parts", n)
		}
	})
}
