package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/e2e/process"
)

// installed is where testdata/install puts the packages of a folder of testdata: those of npm with the Node that they run
// on, those of PyPI in a virtual environment. Where they are missing or not the pinned ones the test is skipped; in CI,
// which has to have them, it fails.
func installed(t *testing.T, name string) string {
	t.Helper()
	pins, mark := "package-lock.json", "installed.json"
	if name == "python" {
		pins, mark = "requirements.txt", "installed.txt"
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", ".cache", "e2e-"+name))
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := os.ReadFile(filepath.Join("testdata", name, pins))
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadFile(filepath.Join(dir, mark))
	if err == nil && bytes.Equal(there, pinned) {
		return dir
	}
	const missing = "the packages are not in %s as testdata/%s pins them: e2e/clients/testdata/install %s puts them there"
	if os.Getenv("CI") == "true" {
		t.Fatalf(missing, dir, name, name)
	}
	t.Skipf(missing, dir, name, name)
	return ""
}

// worker is a process of Node or of Python that runs one client.
type worker struct {
	t     *testing.T
	input io.WriteCloser

	mu      sync.Mutex
	last    int
	waiting map[int]*waiter
	ended   chan struct{}
}

// waiter is who asked for an operation that is under way.
type waiter struct {
	progress func(string)
	done     chan result // takes one
}

// startWorker starts the client of testdata/npm/NAME.mjs, pointed at the gateway.
func startWorker(t *testing.T, name, gateway string) *worker {
	t.Helper()
	packages := installed(t, "npm")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "npm"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return runWorker(t, name, gateway, dir, filepath.Join(packages, "node"), "worker.mjs", name)
}

// runWorker starts a program in a folder of its own, which is its home as well.
func runWorker(t *testing.T, name, gateway, dir, program string, arguments ...string) *worker {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OHMROUTE_BASE=" + gateway}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &worker{t: t, input: input, waiting: map[int]*waiter{}, ended: make(chan struct{})}
	go w.read(output)
	t.Cleanup(func() {
		_ = input.Close()
		<-w.ended
		_ = cmd.Wait()
		if t.Failed() && complaints.Len() > 0 {
			t.Logf("%s said:\n%s", name, complaints.String())
		}
	})
	return w
}

// read hands what the process prints to those who wait for it, until the process ends.
func (w *worker) read(output io.Reader) {
	defer close(w.ended)
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			ID       int     `json:"id"`
			Progress string  `json:"progress"`
			Result   *result `json:"result"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			w.t.Errorf("the worker printed %q: %v", lines.Text(), err)
			continue
		}
		w.mu.Lock()
		asked := w.waiting[line.ID]
		w.mu.Unlock()
		switch {
		case asked == nil:
		case line.Result != nil:
			asked.done <- *line.Result
		default:
			asked.progress(line.Progress)
		}
	}
}

func (w *worker) do(ctx context.Context, r request, progress func(string)) (result, error) {
	asked := &waiter{progress: progress, done: make(chan result, 1)}
	w.mu.Lock()
	w.last++
	r.ID = w.last
	w.waiting[r.ID] = asked
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.waiting, r.ID)
		w.mu.Unlock()
	}()
	if err := w.write(r); err != nil {
		return result{}, err
	}
	left := ctx.Done()
	for patience := time.After(2 * process.Patience); ; {
		select {
		case done := <-asked.done:
			return done, nil
		case <-left:
			left = nil
			if err := w.write(map[string]int{"abort": r.ID}); err != nil {
				return result{}, err
			}
		case <-w.ended:
			return result{}, errors.New("the worker has ended")
		case <-patience:
			return result{}, errors.New("the client did not end when it was aborted")
		}
	}
}

func (w *worker) write(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = w.input.Write(append(line, '\n'))
	return err
}
