package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// binary is the path of the program under test, built by TestMain.
var binary string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ohmroute-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e: making a folder for the binary:", err)
		return 1
	}
	defer os.RemoveAll(dir)

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	binary = filepath.Join(dir, "ohmroute")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/ohmroute/ohmroute/cmd/ohmroute")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "e2e: building the binary: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
