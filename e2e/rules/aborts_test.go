package rules

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// slotsOfOne is the concurrency limit of the provider that clients abort on.
const slotsOfOne = 64

// TestRequestsAbortedAtRandomMomentsLeaveNothingBehind: no goroutine, no slot, no probe, no charge, over TCP and with a
// database, while breakers are isolated and released, so that many of the requests are probes.
func TestRequestsAbortedAtRandomMomentsLeaveNothingBehind(t *testing.T) {
	requests := 10_000
	if raced || testing.Short() {
		requests = 2_000
	}
	before := goleak.IgnoreCurrent()
	w := onDisk(t)
	one := w.provider("one", `"models":["quick","slow","stall","hold"]`, keys(2), fmt.Sprintf(`"max_concurrency":%d`, slotsOfOne), `"queue_timeout":"3ms"`)
	w.provider("no", models).Script("", "error 400 content_filter no", "delay 3ms; error 422 - no")
	one.Script("quick", "chat hello")
	one.Script("slow", script("delay 2ms", "role", "delay 2ms", "chunk a", "delay 2ms", "chunk b", "split 9", "chunk c", "delay 2ms", "finish stop", "done"))
	one.Script("stall", "role; chunk a; chunk b; chunk c; hang", "hang", "role; hang")
	combos := w.comboOfEverySort()
	all := w.abort(combos, requests)
	t.Logf("%d requests: %v", requests, all)
	if all["left"] < requests/4 {
		t.Errorf("that was no storm of aborts")
	}
	w.calm(one, combos)
	w.close()
	for _, h := range w.hosts {
		h.Close()
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// comboOfEverySort makes combos whose walks differ: strategies, hold windows, keepalive, deadlines, queues, fallbacks.
func (w *world) comboOfEverySort() []string {
	w.t.Helper()
	var names []string
	add := func(targets string, members ...string) {
		name := fmt.Sprint("c", len(names))
		names = append(names, name)
		w.combo(name, targets, append(members, `"failover_on_content_policy":true`)...)
	}
	for _, strategy := range strategies {
		add("no/m one/quick one/slow one/stall", `"strategy":`+quote(strategy))
	}
	add("one/slow", `"hold":{"events":2,"time":"3ms"}`, `"keepalive":"1ms"`)
	add("one/stall", `"hold":{"time":"2ms"}`)
	add("no/m one/slow", `"timeouts":{"total":"1h"}`, `"retry":{"same_target":2,"base":"1ms","pause_on_failover":true}`)
	add("one/stall", `"keepalive":"1ms"`)
	add("one/slow", whenExhausted(`{"do":"wait","max_wait":"1s"}`))
	add("one/slow", whenExhausted(`{"do":"fail_open","probe_wait":"4ms"}`))
	add("no/m one/slow?content_policy", whenExhausted(`{"do":"reject"}`))
	return names
}

// abort sends requests, which leave after some milliseconds, if they aren't answered before, and counts what became of them.
func (w *world) abort(combos []string, requests int) map[string]int {
	w.t.Helper()
	type plan struct {
		model    string
		streamed bool
		patience time.Duration
		toggle   bool // isolate and release a target meanwhile
	}
	random := rand.New(rand.NewPCG(1, 2))
	plans := make(chan plan)
	var mu, toggling sync.Mutex
	all := map[string]int{}
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			for p := range plans {
				ctx, leave := context.WithTimeout(w.t.Context(), p.patience)
				r := w.call(ctx, http.MethodPost, "/v1/chat/completions", asking(p.model, p.streamed))
				leave()
				if p.toggle {
					toggling.Lock()
					w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:one/slow")+"/isolate", `{"by":"storm","reason":"test"}`)
					w.must(http.MethodPost, "/api/v1/breakers/"+escaped("target:one/slow")+"/release", "")
					toggling.Unlock()
				}
				mu.Lock()
				switch {
				case r.err != nil || !r.whole:
					all["left"]++
				case r.status == http.StatusOK:
					all["answered"]++
				default:
					all[fmt.Sprint("status ", r.status)]++
				}
				mu.Unlock()
			}
		})
	}
	for i := range requests {
		p := plan{model: combos[random.IntN(len(combos))], streamed: random.IntN(4) > 0, toggle: i%100 == 50}
		p.patience = time.Duration(min(random.ExpFloat64()*20, 150) * float64(time.Millisecond))
		plans <- p
	}
	close(plans)
	clients.Wait()
	return all
}

// calm waits until nothing is under way, and looks for what was left behind.
func (w *world) calm(one *host, combos []string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	if err := one.AwaitGone(ctx, one.Count("stall")); err != nil {
		w.t.Errorf("%d requests stalled, and only %d of all were cancelled: %v", one.Count("stall"), one.Gone(), err)
	}
	w.poll("no stream is relayed any more", func() bool {
		return strings.Contains(w.must(http.MethodGet, "/metrics", "").body, "\nohmroute_streams_in_flight 0\n")
	})
	w.reset()
	one.Script("hold", "role; chunk a; wait go; finish stop; done")
	held := one.Count("hold")
	var holding []*pending
	for range slotsOfOne { // they all get in at once: no slot is missing
		holding = append(holding, w.begin("one/hold", true))
	}
	w.poll("every slot is free", func() bool { return one.Count("hold")-held == slotsOfOne })
	if c := w.explain("one/hold", "")[0]; c.SkipReason != "concurrency" {
		w.t.Errorf("with %d requests under way explain says %+v", slotsOfOne, c)
	}
	one.Release("go")
	for _, p := range holding {
		p.end().ok("a")
	}
	for _, b := range w.breakers() {
		if b.State != "CLOSED" || b.FailureCount != 0 || b.ProbesInFlight != 0 || b.LastFailureKind != "" {
			w.t.Errorf("left behind: %+v", b)
		}
	}
	for _, name := range combos {
		for _, c := range w.explain(name, "") {
			if !c.Admitted && c.SkipReason != "only_on" || c.Suspect {
				w.t.Errorf("%s: explain says %+v", name, c)
			}
		}
	}
}

// poll asks until something is so, or fails.
func (w *world) poll(what string, so func() bool) {
	w.t.Helper()
	deadline := time.After(20 * time.Second)
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for !so() {
		select {
		case <-deadline:
			w.t.Fatalf("in vain waited: %s", what)
		case <-every.C:
		}
	}
}
