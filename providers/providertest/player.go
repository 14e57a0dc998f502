package providertest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// player plays one script for one request.
type player struct {
	upstream *Upstream
	w        http.ResponseWriter
	r        *http.Request
	request  Request
	voice    voice

	status int
	begun  bool // headers are out
	bare   io.WriteCloser
	split  int
	most   int // bytes of the body that are still written; below 0: all
}

var (
	errGone = errors.New("the client left")
	errEnd  = errors.New("the script ends here")
)

// play goes through the steps. A client that leaves in the middle is counted.
func (p *player) play(s script) {
	var err error
	for _, st := range s.steps {
		if err = p.step(st); err != nil {
			break
		}
	}
	if p.bare != nil {
		_ = p.bare.Close() // the end of the script
		return
	}
	if errors.Is(err, errGone) {
		p.upstream.left()
		panic(http.ErrAbortHandler)
	}
	if err == nil && !p.begun {
		p.begin()
	}
}

func (p *player) step(st step) error {
	if text, ok := p.bodyOf(st); ok {
		return p.write(text)
	}
	switch st.name {
	case "status":
		p.status = st.number
	case "header":
		name, value, _ := strings.Cut(st.text, ":")
		p.w.Header().Add(name, strings.TrimSpace(value))
	case "delay":
		timer := time.NewTimer(st.duration)
		defer timer.Stop()
		return p.until(timer.C, nil)
	case "wait":
		return p.until(nil, p.upstream.gate(st.text))
	case "hang":
		return p.until(nil, nil)
	case "chat":
		return p.chat(st.text)
	case "whole":
		return p.body(step{name: "json", text: p.voice.whole(st.text)})
	case "error":
		code, message, _ := strings.Cut(st.text, " ")
		return p.fail(st.number, code, message)
	case "body", "json":
		return p.body(st)
	case "upto":
		p.most = st.number
	case "split":
		p.split = st.number
	case "cut":
		panic(http.ErrAbortHandler)
	case "end":
		return errEnd
	case "garbage":
		return p.onWire("\x00\x01\xff no HTTP\n\n")
	case "wire":
		return p.onWire(st.text)
	case "flood":
		return p.flood(st.text)
	}
	return nil
}

// until waits for one of the channels, which may be nil, as long as the client is there.
func (p *player) until(timer <-chan time.Time, gate <-chan struct{}) error {
	select {
	case <-timer:
		return nil
	case <-gate:
		return nil
	case <-p.r.Context().Done():
		return errGone
	case <-p.upstream.closed:
		return errEnd
	}
}

func (p *player) begin() {
	p.begun = true
	if p.status == 0 {
		p.status = http.StatusOK
	}
	p.w.WriteHeader(p.status)
}

// write writes a part of the body and flushes it.
func (p *player) write(text string) error {
	if p.most >= 0 {
		text = text[:min(len(text), p.most)]
		p.most -= len(text)
	}
	if !p.begun {
		p.begin()
		if text == "" && http.NewResponseController(p.w).Flush() != nil {
			return errGone
		}
	}
	for len(text) > 0 {
		n := len(text)
		if p.split > 0 {
			n = min(n, p.split)
		}
		if _, err := io.WriteString(p.w, text[:n]); err != nil {
			return errGone
		}
		if err := http.NewResponseController(p.w).Flush(); err != nil {
			return errGone
		}
		text = text[n:]
	}
	return nil
}

// body writes a body with its length, unless something was written or pieces are wanted.
func (p *player) body(st step) error {
	if st.name == "json" {
		p.suggest("Content-Type", "application/json")
	}
	if !p.begun && p.split == 0 && p.most < 0 {
		p.suggest("Content-Length", strconv.Itoa(len(st.text)))
	}
	return p.write(st.text)
}

// suggest sets a header that the script did not set.
func (p *player) suggest(name, value string) {
	if p.w.Header().Get(name) == "" {
		p.w.Header().Set(name, value)
	}
}

// onWire writes to the bare connection.
func (p *player) onWire(text string) error {
	if p.bare == nil {
		conn, _, err := http.NewResponseController(p.w).Hijack()
		if err != nil {
			return errGone
		}
		p.bare = conn
	}
	if _, err := io.WriteString(p.bare, text); err != nil {
		return errGone
	}
	return nil
}

// flood writes until the client has enough.
func (p *player) flood(what string) error {
	piece := map[string]string{
		"headers": strings.Repeat("X-Flood: "+strings.Repeat("x", 1000)+"\r\n", 64),
		"body":    strings.Repeat("x", 64<<10),
		"events":  strings.Repeat(": "+strings.Repeat("x", 1000)+"\n\n", 64),
		"line":    strings.Repeat("x", 64<<10),
	}[what]
	first := map[string]string{"line": "data: "}[what]
	write := p.write
	switch what {
	case "headers":
		first, write = "HTTP/1.1 200 OK\r\n", p.onWire
	case "body":
	default:
		p.suggest("Content-Type", "text/event-stream")
	}
	if err := write(first); err != nil {
		return err
	}
	for {
		if err := write(piece); err != nil {
			return err
		}
	}
}

// echo is what the client sent, as text.
func (p *player) echo() string {
	var b strings.Builder
	for name, values := range p.request.Header {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(values, ", "))
	}
	return b.String() + string(p.request.Body)
}
