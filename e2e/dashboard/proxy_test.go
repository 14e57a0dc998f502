package dashboard

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

// proxy stands between the browser and a gateway. It can cut every connection, refuse new ones, and tells what was asked.
type proxy struct {
	URL string

	mu     sync.Mutex
	open   map[net.Conn]bool
	down   bool
	asked  bytes.Buffer
	target string
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{URL: "http://" + l.Addr().String(), target: target, open: map[net.Conn]bool{}}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { p.serve(from) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.cut()
		serving.Wait()
	})
	return p
}

func (p *proxy) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer to.Close()
	p.mu.Lock()
	refused := p.down
	if !refused {
		p.open[from], p.open[to] = true, true
	}
	p.mu.Unlock()
	if refused {
		return
	}
	defer func() {
		p.mu.Lock()
		delete(p.open, from)
		delete(p.open, to)
		p.mu.Unlock()
	}()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(from, to)
		_ = from.Close()
	})
	_, _ = io.Copy(to, io.TeeReader(from, p))
	_ = to.Close()
	back.Wait()
}

// Write notes what a browser asks.
func (p *proxy) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked.Write(b)
}

// cut ends every connection and refuses new ones.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = true
	for c := range p.open {
		_ = c.Close()
	}
}

// mend lets connections through again, and forgets what was asked before.
func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
	p.asked.Reset()
}

// said is what the browser has asked since the last mending.
func (p *proxy) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked.String()
}
