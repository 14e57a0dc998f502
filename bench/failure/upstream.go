package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// upstream is a target: healthy, but for the time in which its incident is played.
type upstream struct {
	incident incident
	scale    float64
	address  string

	calls atomic.Int64
	fault atomic.Pointer[time.Time]

	mu     sync.Mutex
	server *http.Server
}

func newUpstream(i incident, scale float64) (*upstream, error) {
	u := &upstream{incident: i, scale: scale, address: "127.0.0.1:0"}
	return u, u.listen()
}

// listen serves on the address of before, if there was one.
func (u *upstream) listen() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	l, err := net.Listen("tcp", u.address)
	for tries := 0; err != nil && tries < 100; tries++ {
		time.Sleep(10 * time.Millisecond)
		l, err = net.Listen("tcp", u.address)
	}
	if err != nil {
		return err
	}
	u.address = l.Addr().String()
	u.server = &http.Server{Handler: u, ReadHeaderTimeout: 10 * time.Second}
	go u.server.Serve(l) //nolint:errcheck // it ends when it is closed; clients would notice anything else
	return nil
}

// begin begins the fault.
func (u *upstream) begin() {
	now := time.Now()
	u.fault.Store(&now)
	if u.incident.refused {
		u.close()
	}
}

// end makes the target healthy again.
func (u *upstream) end() error {
	u.fault.Store(nil)
	if u.incident.refused {
		return u.listen()
	}
	return nil
}

func (u *upstream) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	_ = u.server.Close()
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	call := u.calls.Add(1)
	if !wait(r, answersIn) {
		return
	}
	do := act(answerWell)
	if began := u.fault.Load(); began != nil && u.incident.act != nil {
		since := time.Duration(float64(time.Since(*began)) / u.scale)
		do = u.incident.act(moment{since: since, call: call, scale: u.scale})
	}
	do(w, r, bytes.Contains(body, []byte(`"stream":true`)))
}
