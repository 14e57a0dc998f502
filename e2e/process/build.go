// Package process runs the real binary for tests that look at it from outside: it is built once for a test binary,
// started on a data directory and a loopback address of its own, spoken to over HTTP, and killed at the test's end.
package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Patience bounds every wait of these tests; a healthy run needs a fraction of it.
const Patience = time.Minute

// binary is the path of the program under test.
var binary string

// Main builds the binary, runs the tests, and returns what to exit with: it is what TestMain calls.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ohmroute-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a folder for the binary:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	path := filepath.Join(dir, "ohmroute")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/ohmroute/ohmroute/cmd/ohmroute") //nolint:gosec // the path is our own
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		return 1
	}
	binary = path
	return m.Run()
}

// Run runs the binary with the arguments to its end, with env added to its environment, and returns its exit code and
// all that it said.
func Run(tb testing.TB, env []string, args ...string) (code int, output string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...) //nolint:gosec // the test's own arguments
	cmd.Env = append(environment(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		tb.Fatalf("%v: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// environment is this process's environment without settings of the program under test.
func environment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OHMROUTE_") {
			env = append(env, v)
		}
	}
	return env
}
