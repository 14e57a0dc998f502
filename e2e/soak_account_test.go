package e2e

import (
	"bufio"
	"bytes"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gauges are what must not grow.
type gauges struct{ memory, goroutines, files float64 }

// page is /metrics by line: the value of each name with its labels.
type page map[string]float64

func (s *soaked) page() page {
	s.t.Helper()
	status, raw := s.Admin(http.MethodGet, "/metrics", nil)
	if status != http.StatusOK {
		s.t.Fatalf("/metrics: status %d", status)
	}
	values := page{}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		name, value, found := strings.Cut(lines.Text(), "} ")
		if !found {
			name, value, _ = strings.Cut(lines.Text(), " ")
		}
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			values[name] = n
		}
	}
	return values
}

func (s *soaked) gauges() gauges {
	p := s.page()
	return gauges{p["process_resident_memory_bytes"] / (1 << 20), p["go_goroutines"], p["process_open_fds"]}
}

// isFlat compares the last third of the time with the one before: a leak grows with the load, which is the same in both. What
// the requests under way and the connections kept after them need may differ by what most of them needed. In a short time
// memory still grows with the request log's ring and SQLite's cache, until these are full.
func (s *soaked) isFlat(series []gauges, span time.Duration, mostUnderWay int) {
	s.t.Helper()
	most, memorySlack := float64(mostUnderWay), 16.0
	if span < 2*time.Minute {
		memorySlack = 64
	}
	third := len(series) / 3
	if third == 0 {
		s.t.Fatalf("only %d looks at the gauges", len(series))
	}
	middle, last := series[third:2*third], series[2*third:]
	for name, g := range map[string]struct {
		of    func(gauges) float64
		slack float64 // beside a quarter
	}{
		"resident MiB": {func(g gauges) float64 { return g.memory }, memorySlack + most/10},
		"goroutines":   {func(g gauges) float64 { return g.goroutines }, 4 * most},
		"open files":   {func(g gauges) float64 { return g.files }, 2 * most},
	} {
		was, is := medianOf(middle, g.of), medianOf(last, g.of)
		s.t.Logf("%s: %.0f at first, %.0f in the second third, %.0f in the last", name, g.of(series[0]), was, is)
		if is > was*1.25+g.slack {
			s.t.Errorf("%s grew from %.0f to %.0f", name, was, is)
		}
	}
}

func medianOf(series []gauges, of func(gauges) float64) float64 {
	values := make([]float64, len(series))
	for i, g := range series {
		values[i] = of(g)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// comesToRest wants what the load has taken to be given back.
func (s *soaked) comesToRest(quiet gauges) {
	s.t.Helper()
	for _, target := range s.targets {
		target.server.CloseClientConnections()
	}
	http.DefaultClient.CloseIdleConnections()
	const spare = 20
	var now gauges
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		if now = s.gauges(); now.goroutines <= quiet.goroutines+spare && now.files <= quiet.files+spare {
			s.t.Logf("before and after the load: %.0f and %.0f goroutines, %.0f and %.0f open files", quiet.goroutines, now.goroutines, quiet.files, now.files)
			return
		}
	}
	s.t.Errorf("before the load %+v, and %s after it %+v", quiet, patience, now)
}

var (
	requestLine = regexp.MustCompile(`^ohmroute_requests_total\{combo="[^"]*",outcome="([^"]*)"`)
	attemptLine = regexp.MustCompile(`^ohmroute_attempts_total\{kind="([^"]*)",model="[^"]*",provider="([^"]*)"`)
)

// totals are the gateway's own counts.
type totals struct {
	outcomes map[string]int
	attempts map[string]int // by provider
	unsent   map[string]int // of these by provider, those that may have ended before the target had them
	handled  map[string]int // by provider: the target's own count
}

// settled are the totals when nothing is counted any more: a client may have its answer before it is counted.
func (s *soaked) settled() totals {
	s.t.Helper()
	last := s.totals()
	for deadline := time.Now().Add(patience); ; {
		<-time.After(200 * time.Millisecond)
		now := s.totals()
		if reflect.DeepEqual(now, last) {
			return now
		}
		if last = now; time.Now().After(deadline) {
			s.t.Fatal("requests are still counted although nobody asks")
		}
	}
}

func (s *soaked) totals() totals {
	t := totals{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
	for name, value := range s.page() {
		if m := requestLine.FindStringSubmatch(name); m != nil {
			t.outcomes[m[1]] += int(value)
		}
		if m := attemptLine.FindStringSubmatch(name); m != nil {
			t.attempts[m[2]] += int(value)
			if slices.Contains([]string{"canceled", "timeout", "connection"}, m[1]) {
				t.unsent[m[2]] += int(value)
			}
		}
	}
	for id, target := range s.targets {
		t.handled[id] = int(target.handled.Load())
	}
	return t
}

// addsUp compares what clients saw, what the gateway counts and what the targets had. A client that left may have left
// before or after its request came to anything: by so many each count may be off, and by no more.
func (s *soaked) addsUp(seen clientCounts, before totals) {
	s.t.Helper()
	now := s.settled()
	of := func(outcomes ...string) (sum int) {
		for _, o := range outcomes {
			sum += now.outcomes[o] - before.outcomes[o]
		}
		return sum
	}
	s.t.Logf("the gateway counts %v", now.outcomes)
	for _, c := range []struct {
		what       string
		seen, told int
	}{
		{"requests", seen.Sent - seen.Aborted, of("ok", "failed", "truncated", "unavailable", "canceled", "rejected")},
		{"whole answers", seen.Whole, of("ok")},
		{"broken streams", seen.Broken, of("truncated")},
		{"errors", seen.Refused, of("failed", "unavailable", "rejected")},
		{"clients that left", 0, of("canceled")},
	} {
		if c.told < c.seen || c.told > c.seen+seen.Aborted {
			s.t.Errorf("%s: clients saw %d, and %d more left; the gateway counts %d", c.what, c.seen, seen.Aborted, c.told)
		}
	}
	if seen.Whole == 0 || seen.Broken == 0 || seen.Aborted == 0 {
		s.t.Errorf("clients saw %+v: the load proves nothing", seen)
	}
	for id := range s.targets {
		handled, attempts := now.handled[id]-before.handled[id], now.attempts[id]-before.attempts[id]
		if unsent := now.unsent[id] - before.unsent[id]; attempts < handled || attempts > handled+unsent {
			s.t.Errorf("%s: it had %d calls, the gateway counts %d (%d of them may not have come)", id, handled, attempts, unsent)
		}
	}
}
