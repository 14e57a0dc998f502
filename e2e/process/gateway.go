package process

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Gateway is one running process of the binary. Its methods end the test when they can't do what they say.
type Gateway struct {
	URL   string // "http://127.0.0.1:port"
	Token string // of the admin side, empty until Start has seen it

	tb   testing.TB
	cmd  *exec.Cmd
	exit chan error // gives the process's end, once

	mu  sync.Mutex
	log bytes.Buffer
}

// FreeAddress is a loopback address that nothing listens on.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Start runs `ohmroute serve` on the data directory and waits until it is ready. It is killed when the test ends.
func Start(tb testing.TB, dir string, args ...string) *Gateway {
	tb.Helper()
	g := Launch(tb, dir, args...)
	g.AwaitReady()
	if token, err := os.ReadFile(filepath.Join(dir, "admin.token")); err == nil {
		g.Token = strings.TrimSpace(string(token))
	}
	return g
}

// Launch runs `ohmroute serve` and does not wait.
func Launch(tb testing.TB, dir string, args ...string) *Gateway {
	tb.Helper()
	address := FreeAddress(tb)
	g := &Gateway{tb: tb, URL: "http://" + address, exit: make(chan error, 1)}
	//nolint:gosec,noctx // the test's own arguments; the cleanup below ends the process, after it was looked at
	g.cmd = exec.Command(binary, append([]string{"serve", "--listen", address, "--data-dir", dir}, args...)...)
	g.cmd.Env = environment()
	g.cmd.Stdout = (*lockedWriter)(g)
	g.cmd.Stderr = (*lockedWriter)(g)
	if err := g.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() { g.exit <- g.cmd.Wait() }()
	tb.Cleanup(func() {
		g.Kill()
		if tb.Failed() {
			tb.Logf("the gateway said:\n%s", g.Output())
		}
	})
	return g
}

type lockedWriter Gateway

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

// Output is what the process has written so far, to standard output and standard error.
func (g *Gateway) Output() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.log.String()
}

// Kill ends the process as a crash would, with SIGKILL.
func (g *Gateway) Kill() {
	_ = g.cmd.Process.Kill()
	g.Await()
}

// Stop asks the process to end, as an operator would, and returns its exit code.
func (g *Gateway) Stop() int {
	g.tb.Helper()
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		g.tb.Fatal(err)
	}
	return g.Await()
}

// Await waits for the process to end and returns its exit code, -1 after a signal.
func (g *Gateway) Await() int {
	g.tb.Helper()
	select {
	case err := <-g.exit:
		g.exit <- err // whoever asks again gets the same answer
		return g.cmd.ProcessState.ExitCode()
	case <-time.After(Patience):
		g.tb.Fatalf("the gateway did not end within %s", Patience)
		return 0
	}
}

// AwaitReady waits until /readyz says so, for what Launch began.
func (g *Gateway) AwaitReady() {
	g.tb.Helper()
	ctx, cancel := context.WithTimeout(g.tb.Context(), Patience)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case err := <-g.exit:
			g.exit <- err
			g.tb.Fatalf("the gateway ended at its start: %v\n%s", err, g.Output())
		case <-time.After(5 * time.Millisecond):
		}
		if status, _, err := g.send(ctx, http.MethodGet, "/readyz", nil); err == nil && status == http.StatusOK {
			return
		}
	}
	g.tb.Fatalf("the gateway was not ready within %s", Patience)
}
