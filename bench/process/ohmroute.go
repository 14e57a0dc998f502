package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds the binary of the tree that this module stands in, and returns its path in dir.
func Build(ctx context.Context, dir string) (string, error) {
	root, err := tree()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "ohmroute")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "github.com/ohmroute/ohmroute/cmd/ohmroute")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building ohmroute: %w\n%s", err, out)
	}
	return binary, nil
}

// tree is the nearest folder upwards that holds the program.
func tree() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "ohmroute")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("there is no cmd/ohmroute in this folder or above it")
		}
		dir = above
	}
}

// Serve starts the binary on a data directory, with the configuration file of that text unless it is empty.
func Serve(ctx context.Context, binary, dir, configuration string) (*Process, error) {
	address, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--listen", address, "--data-dir", filepath.Join(dir, "data"), "--log-level", "error", "--no-demo"}
	if configuration != "" {
		file := filepath.Join(dir, "ohmroute.yaml")
		if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "--config", file)
	}
	return Start(ctx, Command{Name: binary, Args: args, Address: address, Ready: "/readyz"})
}
