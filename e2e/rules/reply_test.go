package rules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"
)

// reply is what a client got.
type reply struct {
	t       testing.TB
	status  int
	header  http.Header
	trailer http.Header
	body    string
	whole   bool          // it ended in order
	err     error         // no answer came
	head    time.Duration // until its headers
	took    time.Duration
	pieces  []piece // as they were read
}

type piece struct {
	at   time.Duration // since the request was sent
	text string
}

// pending is a request under way.
type pending struct {
	leave func()
	sent  <-chan struct{} // closed when it has been written
	done  <-chan *reply
}

// end waits for the reply.
func (p *pending) end() *reply { return <-p.done }

// asking is the body of a chat request. members are further members, and may be empty.
func asking(model string, streamed bool, members ...string) string {
	all := []string{`"model":` + quote(model)}
	if streamed {
		all = append(all, `"stream":true`)
	}
	said := false
	for _, m := range members {
		said = said || strings.HasPrefix(m, `"messages"`)
	}
	if !said {
		members = append(members, `"messages":[{"role":"user","content":"hi"}]`)
	}
	return object(append(all, members...)...)
}

// ask sends a chat request and reads the reply to its end.
func (w *world) ask(model string, streamed bool, members ...string) *reply {
	w.t.Helper()
	return w.chat(asking(model, streamed, members...))
}

// chat sends a body to the chat endpoint. headers are names and values by turns.
func (w *world) chat(body string, headers ...string) *reply {
	w.t.Helper()
	r := w.call(w.t.Context(), http.MethodPost, "/v1/chat/completions", body, headers...)
	if r.err != nil {
		w.t.Fatalf("the client got no answer: %v", r.err)
	}
	return r
}

// begin sends a chat request and doesn't wait for the reply.
func (w *world) begin(model string, streamed bool, members ...string) *pending {
	ctx, leave := context.WithCancel(w.t.Context())
	sent, done := make(chan struct{}), make(chan *reply, 1)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) },
	})
	go func() {
		defer leave()
		done <- w.call(ctx, http.MethodPost, "/v1/chat/completions", asking(model, streamed, members...))
	}()
	return &pending{leave: leave, sent: sent, done: done}
}

// call makes a request and reads what comes.
func (w *world) call(ctx context.Context, method, path, body string, headers ...string) *reply {
	r := &reply{t: w.t}
	req, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		r.err = err
		return r
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	begun := time.Now()
	resp, err := w.client.Do(req)
	if err != nil {
		r.err, r.took = err, time.Since(begun)
		return r
	}
	defer resp.Body.Close()
	r.status, r.header, r.head = resp.StatusCode, resp.Header, time.Since(begun)
	var all bytes.Buffer
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			all.Write(buf[:n])
			r.pieces = append(r.pieces, piece{time.Since(begun), string(buf[:n])})
		}
		if err != nil {
			r.whole = errors.Is(err, io.EOF)
			break
		}
	}
	r.body, r.trailer, r.took = all.String(), resp.Trailer, time.Since(begun)
	return r
}

// says is the text that the model said, whatever the form.
func (r *reply) says() string {
	var said strings.Builder
	for _, data := range r.documents() {
		var d struct {
			Choices []struct {
				Delta, Message struct {
					Content string `json:"content"`
				}
			} `json:"choices"`
		}
		if json.Unmarshal([]byte(data), &d) != nil {
			continue
		}
		for _, c := range d.Choices {
			said.WriteString(c.Delta.Content + c.Message.Content)
		}
	}
	return said.String()
}

// streamed tells whether the reply is a stream of events.
func (r *reply) streamed() bool {
	return strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream")
}

// documents are the JSON texts of the reply: its body, or the data of its events.
func (r *reply) documents() []string {
	if !r.streamed() {
		return []string{r.body}
	}
	var all []string
	for line := range strings.Lines(r.body) {
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			all = append(all, strings.TrimSpace(data))
		}
	}
	return all
}

// fault is an error as a client reads it.
type fault struct {
	Message  string    `json:"message"`
	Type     string    `json:"type"`
	Param    *string   `json:"param"`
	Code     string    `json:"code"`
	RetryAt  string    `json:"retry_at"`
	Attempts []attempt `json:"attempts"`
}

// attempt is one row of error.attempts and of the request log.
type attempt struct {
	Provider   string `json:"provider"`
	Model      string `json:"model"`
	Key        string `json:"key"`
	Outcome    string `json:"outcome"`
	Kind       string `json:"kind"`
	SkipReason string `json:"skip_reason"`
	Status     int    `json:"status"`
	MS         int64  `json:"ms"`
	Forced     bool   `json:"forced"`
}

// attempts is a list of them.
type attempts []attempt

// String is short enough for tables: "one/m server_error, two/m !open, three/m#key ok", forced ones with a plus sign.
func (as attempts) String() string {
	var all []string
	for _, a := range as {
		s := a.Provider + "/" + a.Model
		if a.Key != "" && a.Key != "k" {
			s += "#" + a.Key
		}
		if a.Forced {
			s += "+"
		}
		switch a.Outcome {
		case "ok":
			s += " ok"
		case "failed":
			s += " " + a.Kind
		default:
			s += " !" + a.SkipReason
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// fault reads the error of the reply: of its body, or of its last event, which has to be one line of data without a
// name. All four members have to be there.
func (r *reply) fault() fault {
	r.t.Helper()
	text := r.body
	if r.streamed() {
		rest, ok := strings.CutSuffix(r.body, "\n\n")
		at := strings.LastIndexByte(rest, '\n') + 1
		event, data := strings.CutPrefix(rest[at:], "data: ")
		before := rest[:at]
		fresh := before == "" || strings.HasSuffix(before, "\n\n") || strings.HasSuffix(before, ": keepalive\n") || strings.HasSuffix(before, "\r\r\n")
		if !ok || !data || !fresh {
			r.t.Fatalf("the stream doesn't end in one event of data: %q", tail(r.body))
		}
		text = event
	}
	var v struct {
		Error json.RawMessage `json:"error"`
	}
	var members map[string]json.RawMessage
	var f fault
	for _, err := range []error{
		json.Unmarshal([]byte(text), &v), json.Unmarshal(v.Error, &members), json.Unmarshal(v.Error, &f),
	} {
		if err != nil {
			r.t.Fatalf("no error in %d %q: %v", r.status, tail(text), err)
		}
	}
	for _, name := range []string{"message", "type", "param", "code"} {
		if _, ok := members[name]; !ok {
			r.t.Errorf("the error has no %s: %s", name, text)
		}
	}
	return f
}

// tail is the end of a text, for messages.
func tail(s string) string {
	const most = 600
	if len(s) > most {
		return "..." + s[len(s)-most:]
	}
	return s
}

// ok checks that the reply is a whole answer with that text.
func (r *reply) ok(text string) {
	r.t.Helper()
	if r.status != http.StatusOK || !r.whole || r.says() != text {
		r.t.Errorf("status %d, whole %v, says %q, want %q: %s", r.status, r.whole, r.says(), text, tail(r.body))
	}
	if r.streamed() && !strings.Contains(r.body, "data: [DONE]\n\n") {
		r.t.Errorf("the stream has no [DONE]: %q", tail(r.body))
	}
}

// failed checks the status and the code of an error, with real headers before anything of a stream, and returns it.
func (r *reply) failed(status int, code string) fault {
	r.t.Helper()
	f := r.fault()
	if r.status != status || f.Code != code || r.streamed() {
		r.t.Errorf("status %d, code %q, streamed %v, want %d and %q: %s", r.status, f.Code, r.streamed(), status, code, tail(r.body))
	}
	return f
}

// broke checks that a stream said something, and then ended in one error event and a cut connection.
func (r *reply) broke(text, code string) fault {
	r.t.Helper()
	f := r.fault()
	if r.status != http.StatusOK || r.whole || !r.streamed() || r.says() != text || f.Code != code {
		r.t.Errorf("status %d, whole %v, says %q, code %q, want %q and %q: %q", r.status, r.whole, r.says(), f.Code, text, code, tail(r.body))
	}
	if strings.Contains(r.body, "[DONE]") || strings.Count(r.body, `"error"`) != 1 {
		r.t.Errorf("a broken stream says [DONE], or tells its error more than once: %q", tail(r.body))
	}
	return f
}

// tried is what a reply's error says was tried.
func (r *reply) tried() string {
	r.t.Helper()
	return attempts(r.fault().Attempts).String()
}

// from checks who answered, and after how many attempts.
func (r *reply) from(target string, sent int) {
	r.t.Helper()
	if got := r.header.Get("X-Ohmroute-Target"); got != target {
		r.t.Errorf("x-ohmroute-target %q, want %q", got, target)
	}
	if got := r.header.Get("X-Ohmroute-Attempts"); got != fmt.Sprint(sent) {
		r.t.Errorf("x-ohmroute-attempts %q, want %d", got, sent)
	}
}
