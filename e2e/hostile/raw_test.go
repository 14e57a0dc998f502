package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wire sends bytes on a connection of their own, a harmless request that asks for the end behind them, and returns the
// statuses of all answers that come until the connection ends.
func (w *world) wire(raw string) (statuses []int) {
	w.t.Helper()
	conn, err := w.connect()
	must(w.t, err)
	defer conn.Close()
	must(w.t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	go func() {
		// The gateway may hang up before it has read all.
		_, _ = io.WriteString(conn, raw+"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	}()
	r := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				w.t.Errorf("the connection was left open after %v", statuses)
			}
			return statuses
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		statuses = append(statuses, resp.StatusCode)
	}
}

// chatBody is a chat request, and hidden is one that an attacker would like to be taken for a request of its own.
const (
	chatBody = `{"model":"openai/m","messages":[]}`
	hidden   = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 35\r\n\r\n" + `{"model":"openai/m","smuggled":true}`
)

// request is the chat request with other header lines.
func request(lines ...string) string {
	return "POST /v1/chat/completions HTTP/1.1\r\n" + strings.Join(append([]string{"Host: localhost"}, lines...), "\r\n") + "\r\n\r\n"
}

func chunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// TestRequestsThatTwoReadersWouldReadDifferently: each is refused with its connection, or read in the one way that RFC 9112
// names; what goes up is framed anew.
func TestRequestsThatTwoReadersWouldReadDifferently(t *testing.T) {
	w := onNetwork(t)
	w.providers()
	length := "Content-Length: " + strconv.Itoa(len(chatBody))
	tests := map[string]struct {
		raw  string
		want []int
	}{
		"an ordinary request":                   {request(length) + chatBody, []int{200, 200}},
		"a chunked one":                         {request("Transfer-Encoding: chunked") + chunked(chatBody), []int{200, 200}},
		"two lengths":                           {request(length, "Content-Length: 5") + chatBody, []int{400}},
		"the same length twice":                 {request(length, length) + chatBody, []int{200, 200}},
		"a list of lengths":                     {request(length+", 5") + chatBody, []int{400}},
		"a length with a sign":                  {request("Content-Length: +"+strconv.Itoa(len(chatBody))) + chatBody, []int{400}},
		"a negative length":                     {request("Content-Length: -1") + chatBody, []int{400}},
		"a length in hexadecimal":               {request("Content-Length: 0x5") + chatBody, []int{400}},
		"a length beyond all numbers":           {request("Content-Length: 99999999999999999999") + chatBody, []int{400}},
		"an empty length":                       {request("Content-Length: ") + chatBody, []int{400}},
		"length and chunks: chunks count":       {request("Content-Length: 4", "Transfer-Encoding: chunked") + chunked(chatBody), []int{200, 200}},
		"chunks, and a length that hides more":  {request("Content-Length: "+strconv.Itoa(len(chunked(chatBody)+hidden)), "Transfer-Encoding: chunked") + chunked(chatBody), []int{200, 200}},
		"an encoding that nobody knows":         {request("Transfer-Encoding: xchunked") + chunked(chatBody), []int{501}},
		"an encoding behind a control":          {request("Transfer-Encoding: \x0bchunked") + chunked(chatBody), []int{400}},
		"two encodings":                         {request("Transfer-Encoding: chunked", "Transfer-Encoding: identity") + chunked(chatBody), []int{501}},
		"a list of encodings":                   {request("Transfer-Encoding: gzip, chunked") + chunked(chatBody), []int{501}},
		"a blank before the colon":              {request("Transfer-Encoding : chunked", length) + chatBody, []int{400}},
		"a folded header":                       {request("X-Folded: a\r\n b", length) + chatBody, []int{200, 200}},
		"a folded length":                       {request("Content-Length:\r\n "+strconv.Itoa(len(chatBody))) + chatBody, []int{200, 200}},
		"a header without a name":               {request(": x", length) + chatBody, []int{400}},
		"a header with a NUL":                   {request("X-Nul: a\x00b", length) + chatBody, []int{400}},
		"a header with a bare CR":               {request("X-Cr: a\rTransfer-Encoding: chunked", length) + chatBody, []int{400}},
		"bare line feeds":                       {strings.ReplaceAll(request(length), "\r\n", "\n") + chatBody, []int{200, 200}},
		"bare line feeds in chunks":             {request("Transfer-Encoding: chunked") + strings.ReplaceAll(chunked(chatBody), "\r\n", "\n"), []int{400}},
		"an extension of a chunk":               {request("Transfer-Encoding: chunked") + strings.Replace(chunked(chatBody), "\r\n", ";a=b\r\n", 1), []int{200, 200}},
		"an extension with a line feed":         {request("Transfer-Encoding: chunked") + strings.Replace(chunked(chatBody), "\r\n", ";a\nb\r\n", 1), []int{400}},
		"an endless extension of a chunk":       {request("Transfer-Encoding: chunked") + strings.Replace(chunked(chatBody), "\r\n", ";"+strings.Repeat("a", 64<<10)+"\r\n", 1), []int{400}},
		"a chunk beyond all numbers":            {request("Transfer-Encoding: chunked") + "fffffffffffffffff\r\n" + chatBody + "\r\n0\r\n\r\n", []int{400}},
		"a negative chunk":                      {request("Transfer-Encoding: chunked") + "-1\r\n" + chatBody + "\r\n0\r\n\r\n", []int{400}},
		"a chunk longer than it says":           {request("Transfer-Encoding: chunked") + "2\r\n" + chatBody + "\r\n0\r\n\r\n", []int{400}},
		"a trailer that would be a header":      {request("Transfer-Encoding: chunked", "Trailer: Authorization") + strings.TrimSuffix(chunked(chatBody), "\r\n") + "Authorization: Bearer x\r\n\r\n", []int{200, 200}},
		"no host":                               {"POST /v1/chat/completions HTTP/1.1\r\n" + length + "\r\n\r\n" + chatBody, []int{400}},
		"two hosts":                             {request("Host: evil.example", length) + chatBody, []int{400}},
		"chunks in HTTP/1.0":                    {strings.Replace(request("Transfer-Encoding: chunked"), "1.1", "1.0", 1) + chunked(chatBody), []int{400}},
		"a version that is none":                {strings.Replace(request(length), "HTTP/1.1", "HTTP/1.10", 1) + chatBody, []int{400}},
		"the preface of HTTP/2":                 {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{404}},
		"an upgrade to HTTP/2":                  {request("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__", length) + chatBody, []int{200, 200}},
		"a request for somebody else":           {"GET http://evil.example/api/v1/providers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + adminToken + "\r\n\r\n", []int{403, 200}},
		"a host beside the request's":           {"GET http://evil.example/api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{403, 200}},
		"a tunnel":                              {"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{404, 200}},
		"TRACE":                                 {"TRACE /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\n\r\n", []int{405, 200}},
		"a request hidden in the body of a GET": {"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + strconv.Itoa(len(hidden)) + "\r\n\r\n" + hidden, []int{200, 200}},
		"a request hidden behind a refused one": {request("Content-Length: x") + hidden, []int{400}},
		"no HTTP at all":                        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			up := w.upstreams["openai"]
			up.Forget()
			up.Script("", "chat hello")
			if got := w.wire(test.raw); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("answered %v, want %v", got, test.want)
			}
			for _, r := range up.Requests() {
				if bytes.Contains(r.Body, []byte("smuggled")) || len(r.Header["Content-Length"]) != 1 || r.Header.Get("Content-Length") != strconv.Itoa(len(r.Body)) {
					t.Errorf("upstream got %v with %s", r.Header, r.Body)
				}
				for name := range r.Header {
					if strings.HasPrefix(name, "X-") && name != "X-Fixed" || name == "Authorization" && !strings.Contains(r.Header.Get(name), providerKey) {
						t.Errorf("%s went up", name)
					}
				}
			}
		})
	}
}
