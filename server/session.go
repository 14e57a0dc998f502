package server

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"sync"
	"time"
)

// sessions are the browsers that are logged in: each holds a random secret instead of the admin token. They live in
// memory and end with the process. The zero value is ready, and safe for concurrent use.
type sessions struct {
	mu   sync.Mutex
	open map[token]*session // by the hash of the secret
}

// session is one browser that is logged in.
type session struct {
	id    token
	until time.Time // moves on with every use; guarded by sessions.mu
	timer *time.Timer

	ended context.Context //nolint:containedctx // the session's own life, for what goes on longer than a request
	end   context.CancelFunc
}

const (
	sessionIdle   = 12 * time.Hour // a session that nobody uses for so long ends
	sessionsMax   = 64             // one more ends the one that was not used for longest
	sessionSecret = 32             // random bytes
)

// begin opens a session and returns its secret, which is kept nowhere.
func (s *sessions) begin(now time.Time) (secret string, opened *session) {
	var random [sessionSecret]byte
	_, _ = rand.Read(random[:]) // it never fails, it would end the process
	secret = base64.RawURLEncoding.EncodeToString(random[:])
	opened = &session{id: hashed(secret), until: now.Add(sessionIdle)}
	opened.ended, opened.end = context.WithCancel(context.Background())

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = make(map[token]*session)
	}
	if len(s.open) >= sessionsMax {
		s.remove(s.stalest())
	}
	s.open[opened.id] = opened
	opened.timer = time.AfterFunc(sessionIdle, func() { s.expire(opened) })
	return secret, opened
}

// use finds the session of a secret and keeps it for another while; nil if there is none.
func (s *sessions) use(secret string, now time.Time) *session {
	if secret == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.open[hashed(secret)]
	if found == nil || now.After(found.until) {
		return nil
	}
	found.until = now.Add(sessionIdle)
	return found
}

// finish ends the session of a secret, if there is one.
func (s *sessions) finish(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.open[hashed(secret)]; found != nil {
		s.remove(found)
	}
}

// expire ends a session whose time may have passed, or waits for the rest of it.
func (s *sessions) expire(which *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := time.Until(which.until); left > 0 {
		which.timer.Reset(left)
		return
	}
	s.remove(which)
}

// close ends all sessions.
func (s *sessions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, each := range s.open {
		s.remove(each)
	}
}

// stalest is the session that was not used for longest. The caller holds mu.
func (s *sessions) stalest() (found *session) {
	for _, each := range s.open {
		if found == nil || each.until.Before(found.until) {
			found = each
		}
	}
	return found
}

// remove takes a session out. The caller holds mu.
func (s *sessions) remove(which *session) {
	which.timer.Stop()
	which.end()
	delete(s.open, which.id)
}
