package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the CPU time, user and system, that the process and its descendants that still run have used so far. It is read
// from the clock of each process, in nanoseconds: the ticks of /proc are too coarse for a short measurement.
func (p *Process) CPU() (time.Duration, error) {
	var sum time.Duration
	for _, pid := range p.family() {
		var t unix.Timespec
		const scheduled = 2 // CPUCLOCK_SCHED: what the scheduler counted, of all threads
		if err := unix.ClockGettime(int32(^pid)<<3|scheduled, &t); err != nil {
			return 0, fmt.Errorf("the CPU clock of process %d: %w", pid, err)
		}
		sum += time.Duration(t.Nano())
	}
	return sum, nil
}

// Memory is the resident size in KiB of the process and its descendants, and the sum of the largest that each has had.
func (p *Process) Memory() (now, peak int64, err error) {
	for _, pid := range p.family() {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			return 0, 0, err
		}
		resident, err1 := member(raw, "VmRSS:")
		largest, err2 := member(raw, "VmHWM:")
		if err := errors.Join(err1, err2); err != nil {
			return 0, 0, err
		}
		now, peak = now+resident, peak+largest
	}
	return now, peak, nil
}

func member(status []byte, name string) (int64, error) {
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("no %s in /proc/PID/status", name)
}

// family is the process and its descendants: gateways that start workers are measured with them.
func (p *Process) family() []int {
	pids := []int{p.cmd.Process.Pid}
	for i := 0; i < len(pids); i++ {
		pid := strconv.Itoa(pids[i])
		tasks, err := os.ReadDir("/proc/" + pid + "/task")
		if err != nil {
			continue
		}
		for _, task := range tasks {
			children, err := os.ReadFile("/proc/" + pid + "/task/" + task.Name() + "/children")
			if err != nil {
				continue
			}
			for field := range strings.FieldsSeq(string(children)) {
				if child, err := strconv.Atoi(field); err == nil {
					pids = append(pids, child)
				}
			}
		}
	}
	return pids
}
