package main

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lane is one incident under one policy: a combo of a target that fails and of one that doesn't, under steady load.
type lane struct {
	incident incident
	policy   policy
	upstream *upstream

	mu      sync.Mutex
	records []record
}

// record is what a client saw of one request.
type record struct {
	at       time.Duration // when it was due, since the load began
	took     time.Duration
	whole    bool // the answer was
	began    bool // the answer had, when it broke
	first    bool // it came from the target that fails
	attempts int
}

// wasted is how many calls the request made for nothing.
func (r record) wasted() int {
	if r.whole {
		return r.attempts - 1
	}
	return r.attempts
}

// name is the id of the provider that fails, and the combo's.
func (l *lane) name() string { return l.incident.name + "-" + l.policy.name }

// load sends a request at each beat until ctx ends, whatever became of those before, and waits for the answers.
func (l *lane) load(ctx context.Context, client *http.Client, url string, begun time.Time, every time.Duration) {
	var group sync.WaitGroup
	defer group.Wait()
	for n := 0; ; n++ {
		at := time.Duration(n) * every
		timer := time.NewTimer(time.Until(begun.Add(at)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		streamed := l.incident.streamed || n%2 == 1
		group.Go(func() {
			// The answer is waited for also after the end: it is known to end by the gateway's own limits.
			r := l.ask(context.WithoutCancel(ctx), client, url, streamed)
			r.took, r.at = time.Since(begun.Add(at)), at
			l.mu.Lock()
			defer l.mu.Unlock()
			l.records = append(l.records, r)
		})
	}
}

func (l *lane) ask(ctx context.Context, client *http.Client, url string, streamed bool) record {
	body := `{"model":"` + l.name() + `","stream":` + strconv.FormatBool(streamed) + `,"messages":[{"role":"user","content":"Hello."}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return record{}
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return record{}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	attempts, _ := strconv.Atoi(resp.Header.Get("X-Ohmroute-Attempts"))
	ok := err == nil && resp.StatusCode == http.StatusOK
	if streamed {
		ok = ok && strings.HasSuffix(string(raw), last)
	}
	return record{
		whole: ok, began: !ok && resp.StatusCode == http.StatusOK, attempts: attempts,
		first: ok && strings.HasPrefix(resp.Header.Get("X-Ohmroute-Target"), l.name()+"/"),
	}
}

// wasted is how many calls all requests together made for nothing.
func (l *lane) wasted() int {
	sum := 0
	for _, r := range l.records {
		sum += r.wasted()
	}
	return sum
}

// cameBack tells whether the target has answered a request that was due after the moment.
func (l *lane) cameBack(after time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		if r.first && r.at >= after {
			return true
		}
	}
	return false
}
