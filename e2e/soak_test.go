package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// soakTime is how long the load lasts; E2E_SOAK asks for another time.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("E2E_SOAK")
	if text == "" {
		return 20 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 5*time.Second {
		t.Fatalf("E2E_SOAK=%q is no time of at least 5s", text)
	}
	return d
}

// loadShare is the share of the measured capacity that the load takes.
const loadShare = 0.8

// soaked is a gateway under long load, with its targets.
type soaked struct {
	*gateway
	targets map[string]*faulty // by provider
	file    string
	pid     int
}

// narrowSlots is how many requests the provider "narrow" takes at once.
const narrowSlots = 4

func newSoaked(t *testing.T) *soaked {
	t.Helper()
	s := &soaked{targets: map[string]*faulty{
		"bad": newFaulty(t, 0.3), "fair": newFaulty(t, 0.05), "well": newFaulty(t, 0), "narrow": newFaulty(t, 0.1),
	}}
	s.file = configFile(t, s.configuration(0))
	dir := t.TempDir()
	s.gateway = start(t, dir, "--no-demo", "--config", s.file, "--log-level", "error")
	s.Combo("spread", "bad/m", "fair/m", "well/m")
	lock, err := os.ReadFile(filepath.Join(dir, "ohmroute.db.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if s.pid, err = strconv.Atoi(strings.TrimSpace(string(lock))); err != nil {
		t.Fatal(err)
	}
	return s
}

// configuration is the n-th version of the file.
func (s *soaked) configuration(n int) string {
	const provider = `
  - {id: %s, kind: openai, base_url: "%s/v1", breaker_scope: target, timeouts: {first_token: 1s, response: 1s, idle: 1s}%s,
     breaker: {failure_threshold: %d, reset_timeout: 100ms, max_backoff_multiplier: 4, cooldown: 20ms, kinds: {rate_limit: {park: 50ms}, overloaded: {park: 50ms}}}}`
	var b strings.Builder
	b.WriteString("providers:")
	for id, target := range s.targets {
		more := ""
		if id == "narrow" {
			more = fmt.Sprintf(", max_concurrency: %d", narrowSlots)
		}
		fmt.Fprintf(&b, provider, id, target.server.URL, more, 2+n%4)
	}
	fmt.Fprintf(&b, `
combos:
  - {name: chain, strategy: priority, targets: [{provider: bad, model: m}, {provider: fair, model: m}, {provider: well, model: m}]}
  - {name: turns, strategy: weighted, targets: [{provider: bad, model: m, weight: %d}, {provider: well, model: m, weight: 2}]}
  - {name: narrow, strategy: least_busy, targets: [{provider: narrow, model: m}, {provider: well, model: m}]}
`, 1+n%3)
	return b.String()
}

// meddle changes what can be changed, each second: the file, a combo, breakers.
func (s *soaked) meddle(n int) error {
	if err := os.WriteFile(s.file, []byte(s.configuration(n)), 0o600); err != nil {
		return err
	}
	if err := syscall.Kill(s.pid, syscall.SIGHUP); err != nil {
		return err
	}
	target := "/api/v1/breakers/target%3Afair%2Fm/"
	calls := []struct {
		method, path string
		body         object
	}{
		{http.MethodPost, target + []string{"isolate", "release", "reset"}[n%3], object{}},
		{http.MethodPost, "/api/v1/breakers/reset", object{"include_isolated": n%3 == 1}},
		{http.MethodPut, "/api/v1/combos/spread", object{"name": "spread", "strategy": []string{"round_robin", "random", "p2c"}[n%3], "targets": []object{
			{"provider": "bad", "model": "m"}, {"provider": "fair", "model": "m", "weight": 1 + n%2}, {"provider": "well", "model": "m"},
		}}},
		{http.MethodGet, "/api/v1/requests?limit=50", nil},
		{http.MethodGet, "/api/v1/breakers", nil},
	}
	for _, c := range calls {
		status, answer, err := s.call(s.t.Context(), c.method, c.path, c.body)
		if err != nil {
			return err
		}
		if status >= http.StatusBadRequest {
			return fmt.Errorf("%s %s: status %d: %s", c.method, c.path, status, answer)
		}
	}
	return nil
}

// TestSoak keeps the gateway for a long time under most of the load that it bears, with faults, aborts, reloads and resets.
// Nothing may grow, and everything that was begun has to be accounted for.
func TestSoak(t *testing.T) {
	span := soakTime(t)
	s := newSoaked(t)
	quiet := s.gauges()
	rate := loadShare * s.capacity(min(3*time.Second, span/5))
	before := s.settled()

	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	var group sync.WaitGroup
	var seen clientCounts
	group.Go(func() { seen = s.load(ctx, rate) })
	var series []gauges
	for n := 0; ctx.Err() == nil; n++ {
		if err := s.meddle(n); err != nil {
			t.Errorf("in second %d: %v", n, err)
		}
		series = append(series, s.gauges())
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	group.Wait()
	t.Logf("%.0f requests a second for %s: %+v", rate, span, seen)
	s.isFlat(series, span, seen.Most)
	s.addsUp(seen, before)
	s.letsNothingGo()
	s.comesToRest(quiet)
}

// letsNothingGo wants every probe and every slot given back.
func (s *soaked) letsNothingGo() {
	s.t.Helper()
	s.awaitMetric("ohmroute_streams_in_flight 0")
	var list struct {
		Breakers []struct {
			Name   string
			Probes int `json:"probes_in_flight"`
		}
	}
	s.Must(http.StatusOK, http.MethodGet, "/api/v1/breakers", nil, &list)
	if len(list.Breakers) == 0 {
		s.t.Error("no breaker is listed: the load proves nothing")
	}
	for _, b := range list.Breakers {
		if b.Probes != 0 {
			s.t.Errorf("%s still has %d probes under way", b.Name, b.Probes)
		}
	}
	s.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/reset", object{"include_isolated": true}, nil)
	s.targets["narrow"].meet(narrowSlots)
	var group sync.WaitGroup
	for range narrowSlots { // they are answered when all of them have arrived
		group.Go(func() {
			if a := s.chat("narrow/m", false); a.status != http.StatusOK || !bytes.Contains(a.body, []byte("Hello")) {
				s.t.Errorf("a slot of the provider was not given back: status %d: %s", a.status, a.body)
			}
		})
	}
	group.Wait()
}
