package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ohmroute/ohmroute/bench/process"
)

// idleFigure is what a subject needs while streams stand still.
type idleFigure struct {
	name    string
	atRest  int64 // resident KiB before the first request
	streams int
	open    int64 // resident KiB with all streams open
	peak    int64 // the largest that it was
}

// filesPerStream is what a gateway needs of descriptors: one to the client, one to the upstream.
const filesPerStream = 2

// measureIdle opens idle streams through a fresh ohmroute and a fresh proxy. Both ends of each connection are this machine.
func measureIdle(ctx context.Context, s *subjects, p plan, dir string) ([]idleFigure, error) {
	proxy, err := startSelf(ctx, "proxy", "-upstream", s.upstream.URL)
	if err != nil {
		return nil, err
	}
	defer proxy.Stop()
	gateway, err := s.startOhmroute(ctx, filepath.Join(dir, "idle"))
	if err != nil {
		return nil, err
	}
	defer gateway.process.Stop()
	var figures []idleFigure
	for _, each := range []subject{{name: yardstick, process: proxy, model: "m"}, gateway} {
		f, err := idleOf(ctx, each, s.upstream, p.idle)
		if err != nil {
			return nil, fmt.Errorf("%d idle streams of %s: %w", p.idle, each.name, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

func idleOf(ctx context.Context, each subject, upstream *process.Process, streams int) (idleFigure, error) {
	f := idleFigure{name: each.name, streams: streams}
	err := settle(ctx)
	if err != nil {
		return f, err
	}
	if f.atRest, _, err = each.process.Memory(); err != nil {
		return f, err
	}
	held, err := holdAll(ctx, each, streams)
	defer func() {
		for _, h := range held {
			h.conn.Close()
		}
	}()
	if err != nil {
		return f, err
	}
	if err := settle(ctx); err != nil {
		return f, err
	}
	if f.open, f.peak, err = each.process.Memory(); err != nil {
		return f, err
	}
	if err := release(ctx, upstream.URL); err != nil {
		return f, err
	}
	return f, eachOf(held, func(h *heldStream) error { return h.finish() })
}

// settle waits for what a process still does when nothing happens any more.
func settle(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Second):
		return nil
	}
}

// heldStream is a stream whose first event has come. It costs the client no more than the connection and a buffer.
type heldStream struct {
	conn   net.Conn
	answer *http.Response
}

func holdAll(ctx context.Context, each subject, streams int) ([]*heldStream, error) {
	held := make([]*heldStream, streams)
	for i := range held {
		held[i] = &heldStream{}
	}
	address := strings.TrimPrefix(each.process.URL, "http://")
	body := chat(each.model, order{hold: true}, small)
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		chatPath, address, len(body), body)
	err := eachOf(held, func(h *heldStream) error { return h.open(ctx, address, request) })
	opened := held[:0]
	for _, h := range held {
		if h.conn != nil {
			opened = append(opened, h)
		}
	}
	return opened, err
}

func (h *heldStream) open(ctx context.Context, address, request string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	h.conn = conn
	if err := conn.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	if h.answer, err = http.ReadResponse(bufio.NewReaderSize(conn, 512), nil); err != nil { //nolint:bodyclose // the connection is closed
		return err
	}
	if h.answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", h.answer.StatusCode)
	}
	_, err = io.ReadFull(h.answer.Body, make([]byte, len(contentEvent)))
	return err
}

// finish reads the rest of the stream, which has to be whole.
func (h *heldStream) finish() error {
	rest, err := io.ReadAll(h.answer.Body)
	if err == nil && string(rest) != string(finalEvents) {
		err = fmt.Errorf("the stream ended with %q", rest)
	}
	return err
}

func release(ctx context.Context, upstream string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, upstream+releasePath, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// roomFor raises the limit of open files, which the processes started from now on inherit, so that the streams fit. It gives
// how many fit.
func roomFor(streams int) int {
	const spare = 100 // of the process itself: database, listeners
	need := uint64(filesPerStream*streams + spare)
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	if limit.Max < need && syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: need, Max: need}) == nil {
		return streams
	}
	return min(streams, int(limit.Max-spare)/filesPerStream)
}
