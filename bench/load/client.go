package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// sample is what the client saw of one measurement, sorted.
type sample struct {
	latencies []time.Duration // of each request
	firsts    []time.Duration // to the first bytes of each answer
}

func (s *sample) add(t times) {
	s.latencies = append(s.latencies, t.whole)
	s.firsts = append(s.firsts, t.first)
}

func (s *sample) sort() {
	slices.Sort(s.latencies)
	slices.Sort(s.firsts)
}

// times are those of one answer, from the moment when it should have been asked for.
type times struct{ first, whole time.Duration }

// client sends the requests of one scenario to one subject. Any answer that is not whole and good is an error: a subject
// that fails is not measured.
type client struct {
	http   *http.Client
	url    string
	header http.Header
	body   string
	events int
	loose  bool // the subject writes answers anew: only their text is looked at
}

func newClient(to subject, s scenario) *client {
	conns := max(s.conns, maxUnderWay)
	header := http.Header{"Content-Type": {"application/json"}}
	for name, value := range to.headers {
		header.Set(name, value)
	}
	return &client{
		http: &http.Client{Transport: &http.Transport{MaxIdleConns: conns, MaxIdleConnsPerHost: conns, DisableCompression: true}},
		url:  to.process.URL + chatPath, header: header, body: s.body(to.model), events: s.events, loose: to.loose,
	}
}

// drive sends requests for the time given and waits for the answers under way.
func drive(ctx context.Context, to subject, s scenario, p plan) (sample, error) {
	c := newClient(to, s)
	defer c.http.CloseIdleConnections()
	if s.open > 0 {
		return c.driveOpen(ctx, max(1, p.rate/s.open), p.span)
	}
	return c.driveClosed(ctx, s.conns, p.span)
}

func (c *client) driveClosed(ctx context.Context, conns int, span time.Duration) (sample, error) {
	end := time.Now().Add(span)
	var (
		mu    sync.Mutex
		all   sample
		fault error
		group sync.WaitGroup
	)
	for range conns {
		group.Go(func() {
			var mine []times
			var err error
			buffer := make([]byte, 0, 32<<10)
			for err == nil && time.Now().Before(end) {
				var t times
				if t, err = c.ask(ctx, time.Now(), &buffer); err == nil {
					mine = append(mine, t)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			fault = errors.Join(fault, err)
			for _, t := range mine {
				all.add(t)
			}
		})
	}
	group.Wait()
	all.sort()
	return all, fault
}

// ask sends one request and reads its answer whole. The time runs from due.
func (c *client) ask(ctx context.Context, due time.Time, buffer *[]byte) (times, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(c.body))
	if err != nil {
		return times{}, err
	}
	req.Header = c.header
	resp, err := c.http.Do(req)
	if err != nil {
		return times{}, err
	}
	defer resp.Body.Close()
	var t times
	raw := (*buffer)[:0]
	for err == nil {
		if len(raw) == cap(raw) {
			raw = slices.Grow(raw, cap(raw)+1)
		}
		var n int
		n, err = resp.Body.Read(raw[len(raw):cap(raw)])
		if n > 0 && len(raw) == 0 {
			t.first = time.Since(due)
		}
		raw = raw[:len(raw)+n]
	}
	*buffer = raw
	t.whole = time.Since(due)
	switch {
	case !errors.Is(err, io.EOF):
		return t, err
	case resp.StatusCode != http.StatusOK:
		return t, fmt.Errorf("status %d: %s", resp.StatusCode, raw)
	case !c.whole(raw):
		return t, fmt.Errorf("the answer of %d bytes is not what the upstream sent", len(raw))
	}
	return t, nil
}

// whole tells whether all that the upstream sent came.
func (c *client) whole(raw []byte) bool {
	switch {
	case c.loose && c.events > 0:
		return bytes.Count(raw, []byte(`" word"`)) == c.events && bytes.HasSuffix(bytes.TrimSpace(raw), []byte("[DONE]"))
	case c.loose:
		return bytes.Contains(raw, []byte("no play all work and no play"))
	case c.events > 0:
		return len(raw) == c.events*len(contentEvent)+len(finalEvents) && bytes.HasSuffix(raw, finalEvents)
	}
	return bytes.Equal(raw, wholeAnswer)
}

// quantile is the time that the share q of the sorted ones did not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
