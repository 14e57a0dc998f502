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

// enter takes a place among the key's parallel requests, which leave gives back, or tells when to come back.
func (q *quotas) enter(key *config.ClientKey, now time.Time) error {
	if key.Parallel == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.of(key, now)
	if u.running >= key.Parallel {
		return overQuota("this client key has as many requests under way as it may have", time.Second)
	}
	u.running++
	return nil
}

// count takes one from the key's requests of the minute, or tells when to come back.
func (q *quotas) count(key *config.ClientKey, now time.Time) error {
	if key.RequestsPerMinute == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if wait := q.of(key, now).take(float64(key.RequestsPerMinute), now); wait > 0 {
		return overQuota("this client key has used up its requests per minute", wait)
	}
	return nil
}

// of is the quota of a key. It requires the lock.
func (q *quotas) of(key *config.ClientKey, now time.Time) *quota {
	u := q.keys[key.ID]
	if u == nil {
		if q.keys == nil {
			q.keys = make(map[string]*quota)
		}
		u = &quota{tokens: float64(key.RequestsPerMinute), filled: now}
		q.keys[key.ID] = u
	}
	return u
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
