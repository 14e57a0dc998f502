package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// process is a part of the run with its own process id.
type process struct {
	cmd *exec.Cmd
	url string
}

// startProcess starts a command and waits until its address answers.
func startProcess(ctx context.Context, address, name string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	p := &process{cmd: cmd, url: "http://" + address}
	for range 400 {
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), p.stop())
		case <-time.After(25 * time.Millisecond):
		}
		resp, err := http.Get(p.url + "/readyz")
		if err == nil {
			resp.Body.Close()
			return p, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s does not answer on %s", name, address), p.stop())
}

func (p *process) stop() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_ = p.cmd.Wait() // it was killed: that is its error
	return nil
}

// clockTick is the unit of /proc/PID/stat on Linux: USER_HZ is 100 on every architecture Go runs on.
const clockTick = 10 * time.Millisecond

// cpu is the CPU time, user and system, that the process has used so far.
func (p *process) cpu() (time.Duration, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/stat")
	if err != nil {
		return 0, err
	}
	_, after, found := strings.Cut(string(raw), ") ")
	fields := strings.Fields(after)
	if !found || len(fields) < 13 {
		return 0, fmt.Errorf("can't read %q", raw)
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick, errors.Join(err1, err2)
}

// peakMemory is the largest resident size the process has had, in KiB.
func (p *process) peakMemory() (int64, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, errors.New("no VmHWM in /proc/PID/status")
}

// freeAddress is a loopback address that nothing listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
