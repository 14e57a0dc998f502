package server

import (
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/config"
)

// quotas hold client keys to their requests per minute and parallel requests. Only keys with a limit are kept, so
// the map is bounded by the configuration. The zero value is ready.
type quotas struct {
	mu   sync.Mutex
	keys map[string]*quota // by key id
}

// quota is a bucket of requests that fills evenly, a minute's worth at most, and the requests under way.
type quota struct {
	tokens  float64
	filled  time.Time
	running int
}

// enter takes one request from the key's limits, or tells when to come back.
func (q *quotas) enter(key *config.ClientKey, now time.Time) error {
	if key.RequestsPerMinute == 0 && key.Parallel == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.keys[key.ID]
	if u == nil {
		if q.keys == nil {
			q.keys = make(map[string]*quota)
		}
		u = &quota{tokens: float64(key.RequestsPerMinute), filled: now}
		q.keys[key.ID] = u
	}
	if key.Parallel > 0 && u.running >= key.Parallel {
		return overQuota("this client key has as many requests under way as it may have", time.Second)
	}
	if key.RequestsPerMinute > 0 {
		if wait := u.take(float64(key.RequestsPerMinute), now); wait > 0 {
			return overQuota("this client key has used up its requests per minute", wait)
		}
	}
	u.running++
	return nil
}

// take takes one token, or returns how long it is until there is one.
func (u *quota) take(perMinute float64, now time.Time) time.Duration {
	u.tokens = min(perMinute, u.tokens+perMinute*now.Sub(u.filled).Minutes())
	u.filled = now
	if u.tokens < 1 {
		return time.Duration(math.Ceil((1 - u.tokens) / perMinute * float64(time.Minute)))
	}
	u.tokens--
	return 0
}

func (q *quotas) leave(key *config.ClientKey) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u := q.keys[key.ID]; u != nil && u.running > 0 {
		u.running--
	}
}

// forget drops what is known of a key that was deleted.
func (q *quotas) forget(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.keys, id)
}

func overQuota(message string, wait time.Duration) error {
	return &apiError{
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: message, RetryAfter: wait,
	}
}
