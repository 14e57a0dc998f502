package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of a mutant's tests, unless they are given.
const (
	leastTime = 30 * time.Second
	slower    = 10 // times as long as unchanged
)

// bench builds a package's tests over a changed file and runs them.
type bench struct {
	module, pkg string
	arguments   []string
	folder      string // of what is built
	unchanged   time.Duration
	each        time.Duration
}

// newBench makes sure that the tests pass unchanged and takes their time.
func newBench(ctx context.Context, o options) (*bench, error) {
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	arguments := append([]string{"-test.failfast", "-test.short", "-test.run", o.run}, strings.Fields(o.args)...)
	b := &bench{module: o.module, pkg: o.pkg, arguments: arguments, folder: folder, each: 10 * time.Minute}
	out, err := b.build(ctx, nil)
	if err == nil {
		began := time.Now()
		out, err = b.test(ctx)
		b.unchanged = time.Since(began)
	}
	if err != nil {
		b.close()
		return nil, fmt.Errorf("the unchanged package: %w\n%s", err, out)
	}
	b.each = o.each
	if b.each == 0 {
		b.each = max(leastTime, slower*b.unchanged)
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.folder) }

func (b *bench) judge(ctx context.Context, m mutant) (verdict, error) {
	changed := filepath.Join(b.folder, "changed.go")
	if err := os.WriteFile(changed, m.source(), 0o600); err != nil {
		return "", err
	}
	_, err := b.build(ctx, map[string]string{m.file.path: changed})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return unbuilt, nil
	}
	_, err = b.test(ctx)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	switch {
	case err == nil:
		return alive, nil
	case errors.Is(err, context.DeadlineExceeded):
		return timedOut, nil
	}
	return killed, nil
}

// build compiles the tests with files in place of others.
func (b *bench) build(ctx context.Context, replace map[string]string) ([]byte, error) {
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(b.folder, "overlay.json")
	if err = os.WriteFile(path, overlay, 0o600); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", path, "-o", b.binary(), b.pkg)
	c.Dir = b.module
	return c.CombinedOutput()
}

// test runs what was built. Its error is context.DeadlineExceeded when the time was over.
func (b *bench) test(ctx context.Context) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, b.each)
	defer stop()
	c := exec.CommandContext(ctx, b.binary(), b.arguments...)
	c.Dir = filepath.Join(b.module, b.pkg)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if err != nil && ctx.Err() != nil {
		return out, context.DeadlineExceeded
	}
	return out, err
}

func (b *bench) binary() string { return filepath.Join(b.folder, "package.test") }
