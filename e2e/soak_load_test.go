package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// clientCounts is what the clients of the load saw.
type clientCounts struct {
	Sent    int
	Whole   int // answers
	Refused int // answers that were errors
	Broken  int // streams that broke after they had begun
	Aborted int // the client left, whatever had come by then
	Skipped int // beats at which too much was under way
	Most    int // requests under way at once
}

const (
	soakUnderWay = 1024
	abortShare   = 0.03
)

var soakModels = []string{"chain", "turns", "narrow", "spread"}

func soakClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: soakUnderWay, MaxIdleConnsPerHost: soakUnderWay}}
}

// capacity is how many requests of the load a second are answered, well or badly, to clients that never pause.
func (s *soaked) capacity(span time.Duration) float64 {
	s.t.Helper()
	const clients = 128
	client := soakClient()
	defer client.CloseIdleConnections()
	var answered atomic.Int64
	var group sync.WaitGroup
	begun := time.Now()
	for range clients {
		group.Go(func() {
			for n := 0; time.Since(begun) < span; n++ {
				if _, status, err := s.ask(s.t.Context(), client, soakModels[n%len(soakModels)], rand.IntN(2) == 0); status == 0 {
					s.t.Errorf("a request got no answer: %v", err)
					return
				}
				answered.Add(1)
			}
		})
	}
	group.Wait()
	return float64(answered.Load()) / time.Since(begun).Seconds()
}

// load sends requests at a steady rate until ctx ends, and waits for their answers.
func (s *soaked) load(ctx context.Context, rate float64) clientCounts {
	client := soakClient()
	defer client.CloseIdleConnections()
	var (
		mu    sync.Mutex
		seen  clientCounts
		group sync.WaitGroup
	)
	slots := make(chan struct{}, soakUnderWay)
	begun := time.Now()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			group.Wait()
			return seen
		case <-time.After(time.Until(begun.Add(time.Duration(float64(n) / rate * float64(time.Second))))):
		}
		select {
		case slots <- struct{}{}:
		default:
			mu.Lock()
			seen.Skipped++
			mu.Unlock()
			continue
		}
		underWay := len(slots)
		group.Go(func() {
			one := s.visit(client)
			one.Most = underWay
			<-slots
			mu.Lock()
			defer mu.Unlock()
			seen.add(one)
		})
	}
}

// visit sends one request as some client, which may leave at any moment.
func (s *soaked) visit(client *http.Client) clientCounts {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	leaves := rand.Float64() < abortShare
	if leaves {
		defer time.AfterFunc(time.Duration(rand.Int64N(int64(20*time.Millisecond))), cancel).Stop()
	}
	seen := clientCounts{Sent: 1}
	whole, status, err := s.ask(ctx, client, soakModels[rand.IntN(len(soakModels))], rand.IntN(2) == 0)
	switch {
	case ctx.Err() != nil && leaves:
		seen.Aborted = 1
	case whole:
		seen.Whole = 1
	case status >= http.StatusBadRequest:
		seen.Refused = 1
	case status == http.StatusOK:
		seen.Broken = 1
	default:
		s.t.Errorf("a request got no answer: %v", err)
	}
	return seen
}

func (c *clientCounts) add(d clientCounts) {
	c.Sent += d.Sent
	c.Whole += d.Whole
	c.Refused += d.Refused
	c.Broken += d.Broken
	c.Aborted += d.Aborted
	c.Most = max(c.Most, d.Most)
}

// ask sends a chat request and tells whether a whole answer came; status is 0 if no answer began.
func (s *soaked) ask(ctx context.Context, client *http.Client, model string, stream bool) (whole bool, status int, err error) {
	body := fmt.Sprintf(`{"model":%q,"stream":%t,"messages":[{"role":"user","content":"Say hello."}]}`, model, stream)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return false, 0, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	whole = err == nil && resp.StatusCode == http.StatusOK
	if stream {
		whole = whole && bytes.HasSuffix(raw, []byte("data: [DONE]\n\n"))
	}
	return whole, resp.StatusCode, err
}
