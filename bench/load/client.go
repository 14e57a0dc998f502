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

// sample is what the client saw of one measurement.
type sample struct {
	requests  int
	latencies []time.Duration // of each request, sorted
}

// drive sends the scenario's requests over its connections until the time is over, and waits for the answers under way.
// Any answer that is not whole and good is an error: a subject that fails is not measured.
func drive(ctx context.Context, base string, s scenario, span time.Duration) (sample, error) {
	transport := &http.Transport{MaxIdleConns: s.conns, MaxIdleConnsPerHost: s.conns, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	body := s.body()
	end := time.Now().Add(span)

	var (
		mu    sync.Mutex
		all   sample
		fault error
		group sync.WaitGroup
	)
	for range s.conns {
		group.Go(func() {
			var mine []time.Duration
			var err error
			for err == nil && time.Now().Before(end) {
				begun := time.Now()
				err = ask(ctx, client, base+s.path(), body, s.events > 0)
				mine = append(mine, time.Since(begun))
			}
			mu.Lock()
			defer mu.Unlock()
			fault = errors.Join(fault, err)
			all.latencies = append(all.latencies, mine...)
		})
	}
	group.Wait()
	slices.Sort(all.latencies)
	all.requests = len(all.latencies)
	return all, fault
}

func ask(ctx context.Context, client *http.Client, url, body string, stream bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("status %d: %s", resp.StatusCode, raw)
	case stream && !bytes.HasSuffix(raw, finalEvents):
		return fmt.Errorf("the stream of %d bytes is not whole", len(raw))
	case !stream && !bytes.Equal(raw, wholeAnswer):
		return fmt.Errorf("the answer of %d bytes is not the upstream's", len(raw))
	}
	return nil
}

// quantile is the latency that the share q of requests did not exceed.
func (s sample) quantile(q float64) time.Duration {
	if len(s.latencies) == 0 {
		return 0
	}
	return s.latencies[min(len(s.latencies)-1, int(q*float64(len(s.latencies))))]
}
