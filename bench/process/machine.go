package process

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Machine says where, when and by which command figures were measured, and warns of company that makes them worthless.
func Machine(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured at %s by `%s`\non %s, %d CPUs, %s of memory, Linux %s, %s.\n",
		time.Now().UTC().Format("2006-01-02 15:04 UTC"), strings.TrimSpace(command),
		line("/proc/cpuinfo", "model name"), runtime.NumCPU(), memory(), kernel(), runtime.Version())
	if load, cores := loadAverage(), float64(runtime.NumCPU()); load > cores/2 {
		fmt.Fprintf(&b, "**The machine was busy: its load average was %.1f at the start. Absolute figures say nothing.**\n", load)
	}
	return b.String() + "\n"
}

func memory() string {
	kib, err := strconv.ParseInt(strings.TrimSuffix(line("/proc/meminfo", "MemTotal"), " kB"), 10, 64)
	if err != nil {
		return "unknown size"
	}
	return fmt.Sprintf("%.0f GiB", float64(kib)/(1<<20))
}

// line is the value of the first line of a /proc file that begins with the name.
func line(file, name string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "an unknown " + name
	}
	for each := range strings.Lines(string(raw)) {
		if rest, found := strings.CutPrefix(each, name); found {
			_, value, _ := strings.Cut(rest, ":")
			return strings.TrimSpace(value)
		}
	}
	return "an unknown " + name
}

func kernel() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return "of an unknown version"
	}
	return unix.ByteSliceToString(name.Release[:])
}

func loadAverage() float64 {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(raw), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}
