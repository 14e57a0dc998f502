package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
)

// subject is one of those that are measured.
type subject struct {
	name    string
	url     string
	process *process // nil: none between client and upstream
}

// startOhmroute builds the binary if need be, starts it with one provider and the combo "bench" on it, and keeps breakers,
// metrics and SQLite on, as a user has them.
func startOhmroute(ctx context.Context, binary, dir, upstream string) (*process, error) {
	if binary == "" {
		binary = filepath.Join(dir, "ohmroute")
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "github.com/ohmroute/ohmroute/cmd/ohmroute")
		build.Dir = ".."
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building ohmroute: %w\n%s", err, out)
		}
	}
	settings := filepath.Join(dir, "ohmroute.yaml")
	err := os.WriteFile(settings, []byte(`
providers:
  - {id: upstream, kind: openai, base_url: "`+upstream+`/v1", models: [m]}
combos:
  - {name: bench, strategy: priority, targets: [{provider: upstream, model: m}]}
`), 0o600)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(ctx, address, binary, "serve", "--config", settings, "--listen", address,
		"--data-dir", filepath.Join(dir, "data"), "--log-level", "error")
	if err != nil {
		return nil, err
	}
	return p, check(ctx, p.url)
}

// check asks once, so that a subject that is set up wrongly says so before it is measured.
func check(ctx context.Context, url string) error {
	s := scenarios[0]
	if err := ask(ctx, &http.Client{}, url+s.path(), s.body(), false); err != nil {
		return fmt.Errorf("first request to %s: %w", url, err)
	}
	return nil
}

// startSelf starts another role of this program.
func startSelf(ctx context.Context, role string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return startProcess(ctx, address, self, append([]string{"-role", role, "-listen", address}, args...)...)
}
