package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ohmroute/ohmroute/bench/process"
)

// subject is one of those that are measured.
type subject struct {
	name    string
	process *process.Process
	model   string            // what requests name
	headers map[string]string // of each request
	loose   bool              // it writes answers anew
	direct  bool              // the upstream itself: nothing is between it and the client
}

// yardstick is the subject that ratios are to.
const yardstick = "ReverseProxy"

// subjects are all that this run measures. stop ends them and the upstream.
type subjects struct {
	list     []subject
	upstream *process.Process
	binary   string
}

func (s *subjects) stop() {
	for _, each := range s.list {
		_ = each.process.Stop()
	}
}

// startAll starts the upstream and every subject, ohmroute with breakers, metrics and SQLite on, as a user has them.
func startAll(ctx context.Context, p plan, dir string) (_ *subjects, err error) {
	s := &subjects{binary: p.binary}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if s.upstream, err = startSelf(ctx, "upstream"); err != nil {
		return nil, err
	}
	s.list = append(s.list, subject{name: "direct", process: s.upstream, model: "m", direct: true})
	proxy, err := startSelf(ctx, "proxy", "-upstream", s.upstream.URL)
	if err != nil {
		return nil, err
	}
	s.list = append(s.list, subject{name: yardstick, process: proxy, model: "m"})
	if s.binary == "" {
		if s.binary, err = process.Build(ctx, dir); err != nil {
			return nil, err
		}
	}
	gateway, err := s.startOhmroute(ctx, filepath.Join(dir, "gateway"))
	if err != nil {
		return nil, err
	}
	s.list = append(s.list, gateway)
	for _, path := range p.adapters {
		other, err := startAdapter(ctx, path, dir, s.upstream.URL)
		if err != nil {
			return nil, err
		}
		s.list = append(s.list, other)
	}
	for _, each := range s.list {
		if err = check(ctx, each); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// startOhmroute starts the binary in an empty folder, with one provider and the combo "bench" on it.
func (s *subjects) startOhmroute(ctx context.Context, dir string) (subject, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return subject{}, err
	}
	p, err := process.Serve(ctx, s.binary, dir, `
providers:
  - {id: upstream, kind: openai, base_url: "`+s.upstream.URL+`/v1", models: [m]}
combos:
  - {name: bench, strategy: priority, targets: [{provider: upstream, model: m}]}
`)
	return subject{name: "ohmroute", process: p, model: "bench"}, err
}

// check asks once, so that a subject that is set up wrongly says so before it is measured.
func check(ctx context.Context, each subject) error {
	c := newClient(each, scenarios[0])
	defer c.http.CloseIdleConnections()
	if _, err := c.ask(ctx, time.Now(), new([]byte)); err != nil {
		return fmt.Errorf("first request to %s: %w", each.name, err)
	}
	return nil
}

// startSelf starts another role of this program.
func startSelf(ctx context.Context, role string, args ...string) (*process.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := process.FreeAddress()
	if err != nil {
		return nil, err
	}
	return process.Start(ctx, process.Command{
		Name: self, Args: append([]string{"-role", role, "-listen", address}, args...), Address: address,
	})
}
