package server

import (
	"net/http"
	"sync"
	"time"
)

// phase is where the server stands in its life, as /readyz shows it.
type phase uint8

const (
	starting phase = iota
	ready
	draining
)

func (p phase) String() string {
	return [...]string{"starting", "ready", "draining"}[p]
}

// traffic counts the client requests under way, so that draining can wait for them. The zero value is starting.
type traffic struct {
	mu    sync.Mutex
	phase phase
	n     int
	idle  chan struct{} // closed when draining and n is 0
}

var errDraining = &apiError{
	Status: http.StatusServiceUnavailable, Code: "shutting_down",
	Message: "the gateway is shutting down", RetryAfter: time.Second,
}

// enter counts a request in. It is false while draining.
func (t *traffic) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.phase == draining {
		return false
	}
	t.n++
	return true
}

func (t *traffic) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if t.phase == draining && t.n == 0 {
		close(t.idle)
	}
}

func (t *traffic) ready() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase = ready
}

// drain lets nothing more in and returns what is closed when all are out. It is called once.
func (t *traffic) drain() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.phase = draining
	t.idle = make(chan struct{})
	if t.n == 0 {
		close(t.idle)
	}
	return t.idle
}

func (t *traffic) now() phase {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.phase
}

// enter admits a client request: not while draining, and within the parallel requests of its key. Whoever entered must
// leave.
func (s *Server) enter(x *exchange) error {
	if !s.traffic.enter() {
		x.Header().Set("Connection", "close")
		return errDraining
	}
	if x.key == nil {
		return nil
	}
	if err := s.quotas.enter(x.key, time.Now()); err != nil {
		s.traffic.leave()
		return err
	}
	return nil
}

func (s *Server) leave(x *exchange) {
	if x.key != nil {
		s.quotas.leave(x.key)
	}
	s.traffic.leave()
}
