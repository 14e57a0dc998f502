package hostile

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/e2e/pipes"
)

// virtual runs a test against a gateway in virtual time that has no upstreams.
func virtual(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := pipes.New()
		w := newWorld(t, l, func() (net.Conn, error) { return l.Dial(t.Context(), "", "") }, inMemory)
		defer w.shut()
		test(t, w)
	})
}

// drip sends a start at once and then a piece at each interval for as long as the gateway takes it. It returns the status
// that the gateway answered, 0 for none, and when the connection was over.
func (w *world) drip(start, piece string, every time.Duration) (status int, after time.Duration) {
	w.t.Helper()
	conn, err := w.connect()
	must(w.t, err)
	begun := time.Now()
	ctx, stop := context.WithCancel(w.t.Context())
	var sender sync.WaitGroup
	sender.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		_, err := io.WriteString(conn, start)
		for err == nil {
			select {
			case <-tick.C:
				_, err = io.WriteString(conn, piece)
			case <-ctx.Done():
				return
			}
		}
	})
	r := bufio.NewReader(conn)
	if resp, err := http.ReadResponse(r, nil); err == nil {
		status = resp.StatusCode
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	_, _ = io.Copy(io.Discard, r)
	after = time.Since(begun)
	stop()
	conn.Close()
	sender.Wait()
	return status, after
}

// TestASenderThatDripsIsCutOff: whatever it drips, a connection is given up after a time that does not depend on how the
// bytes are spread.
func TestASenderThatDripsIsCutOff(t *testing.T) {
	const either = -1 // net/http takes the body in first, and answers if there is time left
	head := request("Content-Length: 1000")
	tests := map[string]struct {
		start, piece string
		every        time.Duration
		status       int
		most         time.Duration
	}{
		"nothing at all":                    {"", "", time.Second, 0, 15 * time.Second},
		"a header, byte by byte":            {"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", "a", time.Second, 0, 15 * time.Second},
		"headers, line by line":             {"GET / HTTP/1.1\r\nHost: localhost\r\n", "X-Slow: a\r\n", time.Second, 0, 15 * time.Second},
		"a second request behind the first": {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET", " ", time.Second, 200, 3 * time.Minute},
		"a connection without a request":    {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "", time.Hour, 200, 3 * time.Minute},
		"a body, byte by byte":              {head + `{"model":"`, "a", time.Second, 408, time.Minute},
		"a body that never comes":           {head, "", time.Hour, 408, time.Minute},
		"a body in chunks of a byte":        {request("Transfer-Encoding: chunked"), "1\r\na\r\n", time.Second, 408, time.Minute},
		"the extension of a chunk":          {request("Transfer-Encoding: chunked") + "1;", "a", time.Second, 408, time.Minute},
		"trailers":                          {request("Transfer-Encoding: chunked") + "0\r\n", "X: y\r\n", time.Second, 400, time.Minute},
		"the body of a login":               {"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", " ", time.Second, 408, time.Minute},
		"a form":                            {"POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n", "a", time.Second, 408, time.Minute},
		"a body that a GET doesn't have":    {"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", "a", time.Second, either, time.Minute},
		"a body for nothing":                {"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", "a", time.Second, either, time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, w *world) {
				status, after := w.drip(test.start, test.piece, test.every)
				if status != test.status && test.status != either || after > test.most {
					t.Errorf("status %d after %s, want %d within %s", status, after, test.status, test.most)
				}
			})
		})
	}
}

// TestSlowSendersKeepNobodyElseOut: half a thousand stalled connections, and one request that is answered at once.
func TestSlowSendersKeepNobodyElseOut(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		for i := range 500 {
			conn, err := w.connect()
			must(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, []string{"GET / HTTP/1.1\r\nX: ", request("Content-Length: 99") + "{"}[i%2])
			must(t, err)
		}
		begun := time.Now()
		if r := w.call(http.MethodGet, "/healthz", ""); r.status != http.StatusOK || time.Since(begun) > time.Second {
			t.Errorf("status %d after %s", r.status, time.Since(begun))
		}
	})
}

// TestEndlessRequestsAreCutOff: what is taken in of them is bounded.
func TestEndlessRequestsAreCutOff(t *testing.T) {
	tests := map[string]struct {
		start, piece string
		status       int
		most         int // bytes
	}{
		"a header":           {"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", strings.Repeat("a", 4096), 431, 1 << 20},
		"headers":            {"GET / HTTP/1.1\r\nHost: localhost\r\n", strings.Repeat("X: a\r\n", 500), 431, 1 << 20},
		"a path":             {"GET /", strings.Repeat("a", 4096), 431, 1 << 20},
		"a body":             {request("Transfer-Encoding: chunked"), "10000\r\n" + strings.Repeat(" ", 1<<16) + "\r\n", 413, 66 << 20},
		"a body that is due": {request("Content-Length: 999999999999"), strings.Repeat(" ", 1<<16), 413, 34 << 20},
		"a body of a login": {
			"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
			"10000\r\n" + strings.Repeat(" ", 1<<16) + "\r\n", 413, 4 << 20,
		},
		"trailers":                {request("Transfer-Encoding: chunked") + "0\r\n", strings.Repeat("X: a\r\n", 500), 400, 2 << 20},
		"extensions of chunks":    {request("Transfer-Encoding: chunked"), "1;" + strings.Repeat("a", 4000) + "\r\na\r\n", 400, 2 << 20},
		"a body for nobody":       {"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", "10000\r\n" + strings.Repeat(" ", 1<<16) + "\r\n", 404, 2 << 20},
		"lines before a request":  {"", strings.Repeat("\r\n", 2000), 400, 1 << 20},
		"requests without an end": {"", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX", 400, 1 << 20},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, w *world) {
				conn, err := w.connect()
				must(t, err)
				sent := make(chan int)
				go func() {
					n, err := io.WriteString(conn, test.start)
					for err == nil && n < 256<<20 {
						var more int
						more, err = io.WriteString(conn, test.piece)
						n += more
					}
					sent <- n
				}()
				r := bufio.NewReader(conn)
				status := 0
				if resp, err := http.ReadResponse(r, nil); err == nil {
					status = resp.StatusCode
				}
				_, _ = io.Copy(io.Discard, r)
				conn.Close()
				if n := <-sent; status != test.status || n > test.most {
					t.Errorf("status %d after %d bytes, want %d after at most %d", status, n, test.status, test.most)
				}
			})
		})
	}
}

// TestACompressedRequestIsNotUnpacked: at any endpoint that takes a body.
func TestACompressedRequestIsNotUnpacked(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		for _, path := range []string{
			"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens", "/v1/moderations",
			"/v1/images/generations", "/v1/audio/speech", "/v1/audio/transcriptions", "/v1/rerank",
			"/api/v1/providers", "/api/v1/combos", "/api/v1/keys", "/api/v1/session", "/api/v1/breakers/reset",
		} {
			for _, encoding := range []string{"gzip", "br", "deflate", "zstd", "gzip, gzip", "x"} {
				body := string(bytes.Repeat([]byte{0x1f, 0x8b, 8, 0}, 100))
				r := w.call(http.MethodPost, path, body, "Content-Encoding", encoding, "Authorization", "Bearer "+adminToken)
				if r.status != http.StatusUnsupportedMediaType || !strings.Contains(r.body, "unsupported_content_encoding") {
					t.Error(fmt.Sprint(path, " ", encoding, " ", r.status, r.body, r.err))
				}
			}
		}
	})
}
