package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/ohmroute/ohmroute/bench/process"
)

// adapter describes another gateway in a file. In command, config and env, {upstream} is the upstream's base URL without a
// path, {upstream_host} its host and port, {port} the port to listen on, {config} the path of the file that holds config,
// and {dir} an empty folder.
type adapter struct {
	Name    string            `yaml:"name"`
	Command []string          `yaml:"command"`
	Port    int               `yaml:"port"`    // 0: a free one
	Ready   string            `yaml:"ready"`   // path that answers 200 when it can be asked
	Start   time.Duration     `yaml:"start"`   // how long that may take
	Model   string            `yaml:"model"`   // what requests name
	Headers map[string]string `yaml:"headers"` // of each request
	Loose   bool              `yaml:"loose"`   // it writes answers anew: only their text is looked at
	Config  string            `yaml:"config"`
	File    string            `yaml:"file"` // the name of the file that holds config
	Env     map[string]string `yaml:"env"`
}

func readAdapter(path string) (adapter, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return adapter{}, err
	}
	a := adapter{Model: "m", File: "config.yaml", Start: time.Minute}
	if err := yaml.UnmarshalWithOptions(raw, &a, yaml.DisallowUnknownField()); err != nil {
		return adapter{}, fmt.Errorf("%s: %w", path, err)
	}
	if a.Name == "" || len(a.Command) == 0 {
		return adapter{}, fmt.Errorf("%s: name and command are needed", path)
	}
	return a, nil
}

func startAdapter(ctx context.Context, path, dir, upstream string) (subject, error) {
	a, err := readAdapter(path)
	if err != nil {
		return subject{}, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", a.Port)
	if a.Port == 0 {
		if address, err = process.FreeAddress(); err != nil {
			return subject{}, err
		}
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return subject{}, err
	}
	folder, err := os.MkdirTemp(dir, "adapter-")
	if err != nil {
		return subject{}, err
	}
	config := filepath.Join(folder, filepath.Base(a.File))
	fill := strings.NewReplacer("{upstream}", upstream, "{upstream_host}", strings.TrimPrefix(upstream, "http://"),
		"{port}", port, "{config}", config, "{dir}", folder).Replace
	if err := os.WriteFile(config, []byte(fill(a.Config)), 0o600); err != nil {
		return subject{}, err
	}
	command := process.Command{Address: address, Ready: a.Ready, Patience: a.Start}
	for i, word := range a.Command {
		if word = fill(word); i == 0 {
			command.Name = word
			continue
		}
		command.Args = append(command.Args, word)
	}
	for name, value := range a.Env {
		command.Env = append(command.Env, name+"="+fill(value))
	}
	p, err := process.Start(ctx, command)
	if err != nil {
		return subject{}, errors.Join(fmt.Errorf("adapter %s", path), err)
	}
	return subject{name: a.Name, process: p, model: a.Model, headers: a.Headers, loose: a.Loose}, nil
}
