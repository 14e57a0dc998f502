package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait of these tests; a healthy run needs a fraction of it.
const patience = 20 * time.Second

// gateway is one running process of the binary.
type gateway struct {
	t     *testing.T
	dir   string
	url   string
	token string
	cmd   *exec.Cmd
	exit  chan error // gives the process's end, once

	mu  sync.Mutex
	log bytes.Buffer
}

// freeAddress is a loopback address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs `ohmroute serve` on the data directory and waits until it is ready. It is killed when the test ends.
func start(t *testing.T, dir string, args ...string) *gateway {
	t.Helper()
	g := launch(t, dir, args...)
	g.awaitReady()
	token, err := os.ReadFile(filepath.Join(dir, "admin.token"))
	if err == nil {
		g.token = strings.TrimSpace(string(token))
	}
	return g
}

// launch runs `ohmroute serve` and does not wait.
func launch(t *testing.T, dir string, args ...string) *gateway {
	t.Helper()
	address := freeAddress(t)
	g := &gateway{t: t, dir: dir, url: "http://" + address, exit: make(chan error, 1)}
	g.cmd = exec.Command(binary, append([]string{"serve", "--listen", address, "--data-dir", dir}, args...)...)
	g.cmd.Env = cleanEnvironment()
	pipe, err := g.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	g.cmd.Stdout = (*lockedWriter)(g)
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		lines := bufio.NewReader(pipe)
		_, _ = io.Copy((*lockedWriter)(g), lines)
	})
	go func() {
		reading.Wait()
		g.exit <- g.cmd.Wait()
	}()
	t.Cleanup(func() {
		g.kill()
		if t.Failed() {
			t.Logf("the gateway said:\n%s", g.output())
		}
	})
	return g
}

// cleanEnvironment is this process's environment without settings of the program under test.
func cleanEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OHMROUTE_") {
			env = append(env, v)
		}
	}
	return env
}

type lockedWriter gateway

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

func (g *gateway) output() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.log.String()
}

// kill ends the process as a crash would, with SIGKILL.
func (g *gateway) kill() {
	_ = g.cmd.Process.Kill()
	g.await()
}

// stop asks the process to end, as an operator would, and gives its exit code.
func (g *gateway) stop() int {
	g.t.Helper()
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		g.t.Fatal(err)
	}
	return g.await()
}

// await waits for the process to end and gives its exit code, -1 after a signal.
func (g *gateway) await() int {
	g.t.Helper()
	select {
	case err := <-g.exit:
		g.exit <- err // whoever asks again gets the same answer
		return g.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		g.t.Fatalf("the gateway did not end within %s", patience)
		return 0
	}
}

func (g *gateway) awaitReady() {
	g.t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		select {
		case err := <-g.exit:
			g.exit <- err
			g.t.Fatalf("the gateway ended at its start: %v\n%s", err, g.output())
		case <-time.After(5 * time.Millisecond):
		}
		resp, err := http.Get(g.url + "/readyz")
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
	g.t.Fatalf("the gateway was not ready within %s", patience)
}

// admin calls the admin API and gives status and body.
func (g *gateway) admin(method, path string, body any) (int, []byte) {
	g.t.Helper()
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			g.t.Fatal(err)
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, g.url+path, payload)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp.StatusCode, raw
}

// must calls the admin API, wants the status given and decodes the answer into out unless that is nil.
func (g *gateway) must(want int, method, path string, body, out any) {
	g.t.Helper()
	status, raw := g.admin(method, path, body)
	if status != want {
		g.t.Fatalf("%s %s: status %d, want %d: %s", method, path, status, want, raw)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			g.t.Fatalf("%s %s: %v in %s", method, path, err, raw)
		}
	}
}

// object is a JSON object whose members a test looks at.
type object = map[string]any

// breaker gives what the admin API shows of one breaker.
func (g *gateway) breaker(name string) object {
	g.t.Helper()
	var b object
	g.must(http.StatusOK, http.MethodGet, "/api/v1/breakers/"+url.PathEscape(name), nil, &b)
	return b
}

func (g *gateway) state(name string) string {
	g.t.Helper()
	state, _ := g.breaker(name)["state"].(string)
	return state
}

// provider makes a provider of kind openai with one key and breaker settings that let tests count.
func (g *gateway) provider(id, baseURL string, settings object) {
	g.t.Helper()
	p := object{
		"id": id, "kind": "openai", "base_url": baseURL,
		"keys": []object{{"name": "main", "value": "sk-" + id}},
	}
	maps.Copy(p, settings)
	g.must(http.StatusCreated, http.MethodPost, "/api/v1/providers", p, nil)
}

// combo makes a combo of the targets, each "provider/model", in order of priority.
func (g *gateway) combo(name string, targets ...string) {
	g.t.Helper()
	var list []object
	for _, target := range targets {
		provider, model, _ := strings.Cut(target, "/")
		list = append(list, object{"provider": provider, "model": model})
	}
	g.must(http.StatusCreated, http.MethodPost, "/api/v1/combos", object{"name": name, "strategy": "priority", "targets": list}, nil)
}

// answer is a client's view of one request.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error // how reading the body ended, nil for an orderly end
}

// chat sends a chat request as a plain HTTP client.
func (g *gateway) chat(model string, stream bool) answer {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	return g.chatContext(ctx, model, stream)
}

func (g *gateway) chatContext(ctx context.Context, model string, stream bool) answer {
	body := fmt.Sprintf(`{"model":%q,"stream":%t,"messages":[{"role":"user","content":"Say hello."}]}`, model, stream)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, header: resp.Header, body: raw, err: err}
}

// run runs the binary with the arguments to its end and gives exit code and what it said.
func run(t *testing.T, env []string, args ...string) (code int, output string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(cleanEnvironment(), env...)
	out, err := cmd.CombinedOutput()
	if exit, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatalf("%v: %v", args, err)
	} else if failed {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}
