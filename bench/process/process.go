// Package process runs what is measured: each part as a process of its own, so that its CPU time and memory can be told from
// the others'. Linux only: the figures come from /proc and the CPU clock of the process.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Process is a started command and whatever that starts itself.
type Process struct {
	URL string // "http://127.0.0.1:port"

	cmd   *exec.Cmd
	ready time.Duration // from the start to the first answer on the ready path
}

// Command says how a process is started and how it shows that it can be asked.
type Command struct {
	Name     string
	Args     []string
	Env      []string      // added to this process's own
	Address  string        // where it listens
	Ready    string        // path that answers 200 then; empty: /readyz, and any answer will do
	Patience time.Duration // 0: 15 s
}

// Start starts a command in a process group of its own and waits until it answers. Stop ends the group; the kernel does it
// if this process dies first.
func Start(ctx context.Context, c Command) (*Process, error) {
	cmd := exec.Command(c.Name, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	p := &Process{URL: "http://" + c.Address, cmd: cmd}
	if c.Patience == 0 {
		c.Patience = 15 * time.Second
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	for time.Since(begun) < c.Patience {
		if p.answers(ctx, client, c.Ready) {
			p.ready = time.Since(begun)
			return p, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), p.Stop())
		case <-time.After(time.Millisecond):
		}
	}
	return nil, errors.Join(fmt.Errorf("%s does not answer on %s", c.Name, c.Address), p.Stop())
}

func (p *Process) answers(ctx context.Context, client *http.Client, ready string) bool {
	path := ready
	if path == "" {
		path = "/readyz"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+path, http.NoBody)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return ready == "" || resp.StatusCode == http.StatusOK
}

// ReadyAfter is how long it took from the start to the first answer.
func (p *Process) ReadyAfter() time.Duration { return p.ready }

// Stop kills the process with all that it started, and waits for its end.
func (p *Process) Stop() error {
	err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		err = nil
	}
	_ = p.cmd.Wait() // it was killed: that is its error
	return err
}

// End asks the process to end, as an operator does, and waits for it; after patience it is killed, which is an error.
func (p *Process) End(patience time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(err, p.Stop())
	}
	late := time.AfterFunc(patience, func() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) })
	defer late.Stop()
	return p.cmd.Wait()
}

// FreeAddress is a loopback address that nothing listens on.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
