package providers_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

func host(t *testing.T, c providers.HostConfig) *providers.Host {
	t.Helper()
	p, err := providers.NewHost(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// chat sends a chat request and reads the answer to its end.
func chat(t *testing.T, p providers.Provider, streamed bool) (string, error) {
	t.Helper()
	body := `{"model":"m","messages":[{"role":"user","content":"hi"}]`
	if streamed {
		body += `,"stream":true`
	}
	r, err := providers.ParseRequest(providers.Chat, []byte(body+`}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.Send(t.Context(), &providers.Attempt{Request: r, Model: "m"})
	if err != nil {
		return "", err
	}
	defer answer.Events.Close()
	var text strings.Builder
	for {
		c, err := answer.Events.Next()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return text.String(), err
		}
		text.Write(c.Data)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		up := providertest.NewHandler(t)
		up.Script("m", "chat hello you")
		connections := atomic.Int32{}
		server := httptest.NewUnstartedServer(up)
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				connections.Add(1)
			}
		}
		server.Start()
		defer server.Close()
		p := host(t, providers.HostConfig{BaseURL: server.URL + "/v1"})
		for range 20 {
			if _, err := chat(t, p, streamed); err != nil {
				t.Fatal(err)
			}
			p.Wait()
		}
		if n := connections.Load(); n != 1 {
			t.Errorf("streamed %v: 20 requests took %d connections", streamed, n)
		}
	}
}

func TestHTTP2(t *testing.T) {
	up := providertest.NewHandler(t)
	server := httptest.NewUnstartedServer(up)
	server.EnableHTTP2 = true
	protocol := atomic.Value{}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol.Store(r.Proto)
		up.ServeHTTP(w, r)
	})
	server.StartTLS()
	defer server.Close()
	p := host(t, providers.HostConfig{BaseURL: server.URL + "/v1"})
	p.Trust(server.Certificate())
	up.Script("m", "chat hello you", "role; chunk a; cut", "error 429 rate_limit_exceeded slow down")
	if text, err := chat(t, p, true); err != nil || !strings.HasSuffix(text, "data: [DONE]\n\n") {
		t.Errorf("got %q and %v", text, err)
	}
	if got := protocol.Load(); got != "HTTP/2.0" {
		t.Errorf("spoke %v", got)
	}
	if text, err := chat(t, p, true); err == nil || !strings.Contains(text, `"a"`) {
		t.Errorf("a stream that was reset: %q and %v", text, err)
	}
	_, err := chat(t, p, true)
	if f, ok := errors.AsType[*providers.Failure](err); !ok || f.Kind != providers.RateLimit {
		t.Errorf("got %v", err)
	}
}

// TestRequestsAreSentOnce: an upstream that breaks off without a word may have worked on the request; it is not sent
// again by the transport. One that closed the connection before it got anything is asked again on another.
func TestRequestsAreSentOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var served sync.WaitGroup
	requests := atomic.Int32{}
	const good = `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer conn.Close()
				for reader := bufio.NewReader(conn); ; {
					request, err := http.ReadRequest(reader)
					if err != nil {
						return
					}
					if _, err := io.Copy(io.Discard, request.Body); err != nil {
						return
					}
					if requests.Add(1)%2 == 0 {
						return // without an answer, on a connection that was used before
					}
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(good), good)
				}
			})
		}
	})
	p := host(t, providers.HostConfig{BaseURL: "http://" + listener.Addr().String() + "/v1"})
	for i := range 6 {
		_, err := chat(t, p, false)
		if f, ok := errors.AsType[*providers.Failure](err); (i%2 == 1) != ok || ok && f.Kind != providers.Connection {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if n := requests.Load(); n != 6 {
		t.Errorf("6 requests were sent %d times", n)
	}
	p.Close()
	listener.Close()
	served.Wait()
}

// TestConnectLimit: a host that takes connections and says nothing in the handshake.
func TestConnectLimit(t *testing.T) {
	here, there := net.Pipe()
	p := host(t, providers.HostConfig{BaseURL: "https://localhost/v1"})
	p.Dial(func(context.Context, string, string) (net.Conn, error) { return here, nil })
	var host sync.WaitGroup
	host.Go(func() {
		_, _ = io.Copy(io.Discard, there) // until the other side is closed
	})
	r, err := providers.ParseRequest(providers.Chat, []byte(`{"model":"m","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	_, err = p.Send(t.Context(), &providers.Attempt{Request: r, Limits: providers.Limits{
		Connect: 20 * time.Millisecond, FirstToken: time.Hour, Idle: time.Hour,
	}})
	failure, _ := errors.AsType[*providers.Failure](err)
	limit, _ := errors.AsType[*providers.LimitError](err)
	if failure == nil || failure.Kind != providers.Timeout || limit == nil || limit.Limit != "connect" || time.Since(begun) > 10*time.Second {
		t.Errorf("got %v after %s", err, time.Since(begun))
	}
	here.Close()
	host.Wait()
}

// TestAddressesOfNames: a name that resolves to an address of this host is not connected to.
func TestAddressesOfNames(t *testing.T) {
	up := providertest.NewUpstream(t)
	up.Script("m", "chat hello")
	byName := strings.Replace(up.URL(), "127.0.0.1", "localhost.localdomain", 1)
	_, err := chat(t, host(t, providers.HostConfig{BaseURL: byName}), true)
	if f, ok := errors.AsType[*providers.Failure](err); !ok || f.Kind != providers.Connection || len(up.Requests()) > 0 {
		t.Errorf("got %v", err)
	}
	if _, err := chat(t, host(t, providers.HostConfig{BaseURL: strings.Replace(up.URL(), "127.0.0.1", "localhost", 1)}), true); err != nil {
		t.Errorf("localhost: %v", err)
	}
	_, err = chat(t, host(t, providers.HostConfig{BaseURL: "http://169.254.169.254/v1", AllowPrivateNetwork: true}), true)
	refused, ok := errors.AsType[*providers.AddressError](err)
	if f, isFailure := errors.AsType[*providers.Failure](err); !ok || !refused.Never || !isFailure || f.Kind != providers.Connection || strings.Contains(f.Error(), "169.254") {
		t.Errorf("got %v", err)
	}
}

// TestSmallRequestIsOneWrite: headers and body of a usual request leave together.
func TestSmallRequestIsOneWrite(t *testing.T) {
	here, there := net.Pipe()
	p := host(t, providers.HostConfig{BaseURL: "http://localhost/v1"})
	p.Dial(func(context.Context, string, string) (net.Conn, error) { return here, nil })
	var upstream sync.WaitGroup
	upstream.Go(func() {
		defer there.Close()
		buf := make([]byte, 64<<10)
		n, err := there.Read(buf)
		if err != nil || !strings.HasSuffix(string(buf[:n]), `"hi"}]}`) {
			t.Errorf("the first write is %q, %v", buf[:n], err)
		}
	})
	if _, err := chat(t, p, false); err == nil {
		t.Error("an answer without an upstream")
	}
	upstream.Wait()
}

func TestHeadersOfTheConfiguration(t *testing.T) {
	up := providertest.NewUpstream(t)
	up.Script("m", "chat hello", "status 400\necho")
	p := host(t, providers.HostConfig{
		BaseURL: up.URL(), Headers: map[string]string{"x-org": "acme", "authorization": "Custom abcdefghijklmnopqrst"},
		ForwardHeaders: []string{"x-title", "Authorization", "cookie", "idempotency-key"},
	})
	r, err := providers.ParseRequest(providers.Chat, []byte(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Title": {"t"}, "Authorization": {"client"}, "Cookie": {"c"}, "Idempotency-Key": {"i"}}
	attempt := &providers.Attempt{Request: r, Model: "m", Key: providers.Key{Secret: "sk-1234567890"}}
	answer, err := p.Send(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	answer.Events.Close()
	got := up.Requests()[0].Header
	for name, want := range map[string]string{
		"X-Org": "acme", "X-Title": "t", "Authorization": "Custom abcdefghijklmnopqrst", "Cookie": "", "Idempotency-Key": "",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	_, err = p.Send(t.Context(), attempt)
	if f, ok := errors.AsType[*providers.Failure](err); !ok || strings.Contains(f.Error()+string(f.Body), "abcdefghijklmnopqrst") {
		t.Errorf("a secret header came back: %v", err)
	}
}

func TestNewHostRefuses(t *testing.T) {
	tests := map[string]struct {
		config providers.HostConfig
		want   []string
	}{
		"no URL":               {providers.HostConfig{}, []string{"scheme must be http or https"}},
		"another scheme":       {providers.HostConfig{BaseURL: "ftp://x/v1"}, []string{`not "ftp"`}},
		"no host":              {providers.HostConfig{BaseURL: "http:///v1"}, []string{"no host"}},
		"credentials":          {providers.HostConfig{BaseURL: "https://user:hunter2@x/v1"}, []string{"credentials belong into keys"}},
		"a query":              {providers.HostConfig{BaseURL: "https://x/v1?key=hunter2"}, []string{"must end with its path"}},
		"nonsense":             {providers.HostConfig{BaseURL: "http://hunter2\x7f/"}, []string{"not a URL"}},
		"a header with a line": {providers.HostConfig{BaseURL: "https://x/v1", Headers: map[string]string{"x-a": "hunter2\r\nb: c"}}, []string{"control characters"}},
		"all at once": {
			providers.HostConfig{Headers: map[string]string{"host": "a", "b c": "d", "idempotency-key": "e"}},
			[]string{"scheme", "Host can't be set", `"b c" is no header name`, "Idempotency-Key can't be set"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := providers.NewHost(test.config)
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v doesn't say %s", err, want)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v tells a secret", err)
			}
		})
	}
}

// TestManyAborted: streams that are given up at any moment leave nothing behind.
func TestManyAborted(t *testing.T) {
	up := providertest.NewUpstream(t)
	up.Script("m", "role\nchunk a\nchunk b\nfinish stop\ndone", "hang", "role\nhang", "role\nchunk a\nhang", "status 500\nhang")
	p := host(t, providers.HostConfig{BaseURL: up.URL()})
	r, err := providers.ParseRequest(providers.Chat, []byte(`{"model":"m","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			stop := time.AfterFunc(time.Duration(i%20)*time.Millisecond, cancel)
			defer stop.Stop()
			answer, err := p.Send(ctx, &providers.Attempt{Request: r, Model: "m"})
			if err == nil {
				for err == nil {
					_, err = answer.Events.Next()
				}
				answer.Events.Close()
			}
			f, failed := errors.AsType[*providers.Failure](err)
			if failed && f.Kind != providers.Canceled && f.Kind != providers.ServerError {
				t.Errorf("got %v", f)
			}
		})
	}
	all.Wait()
}

// TestAStreamThatBeginsBeforeItsRequestWasReadKeepsTheBody: what the upstream reads after its first event is the rest of
// the request all the same, and only then the body is done with.
func TestAStreamThatBeginsBeforeItsRequestWasReadKeepsTheBody(t *testing.T) {
	const event = `data: {"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\n"
	committed, got := make(chan struct{}), make(chan int, 1)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		_, err := io.WriteString(w, event)
		if err := errors.Join(rc.EnableFullDuplex(), err, rc.Flush()); err != nil {
			t.Error(err)
		}
		<-committed
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- bytes.Count(body, []byte("y"))
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer up.Close()
	const length = 16 << 20 // more than a connection holds
	p := host(t, providers.HostConfig{BaseURL: up.URL})
	r, err := providers.ParseRequest(providers.Chat, []byte(`{"model":"m","stream":true,"messages":[],"filler":"`+strings.Repeat("y", length)+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.Send(t.Context(), &providers.Attempt{Request: r, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Events.Close()
	_, err = answer.Events.Next()
	done := answer.Events.Commit()
	if done {
		clear(r.Body)
	}
	close(committed)
	for err == nil {
		_, err = answer.Events.Next()
	}
	if !errors.Is(err, io.EOF) || done {
		t.Errorf("the stream ended with %v, the body was done with at its begin: %t", err, done)
	}
	if n := <-got; n != length {
		t.Errorf("%d bytes of %d came", n, length)
	}
}
