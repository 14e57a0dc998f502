package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ohmroute/ohmroute/bench/process"
)

// plan is what is played.
type plan struct {
	scale   float64
	rate    float64
	only    string
	binary  string
	page    string
	plots   string
	command string
}

func (p plan) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) * p.scale) }

// outcome is a run: the lanes with their records, and when what happened, since the load began.
type outcome struct {
	lanes         []*lane
	accounts      []account
	fault, health time.Duration
	end           time.Duration
}

func run(ctx context.Context, out io.Writer, p plan) error {
	where := process.Machine(p.command)
	dir, err := os.MkdirTemp("", "ohmroute-failure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o, err := play(ctx, p, dir)
	if err != nil {
		return err
	}
	text := where + o.text(p)
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	if p.plots != "" {
		if err := o.plot(p.plots); err != nil {
			return err
		}
	}
	if p.page == "" {
		return nil
	}
	if p.plots != "" {
		text += o.pictures(p)
	}
	return process.ReplaceMarked(p.page, "bench/failure", text)
}

// play plays the incidents under all policies, side by side.
func play(ctx context.Context, p plan, dir string) (*outcome, error) {
	if p.binary == "" {
		var err error
		if p.binary, err = process.Build(ctx, dir); err != nil {
			return nil, err
		}
	}
	lanes, err := newLanes(p)
	defer func() {
		for _, l := range lanes {
			l.upstream.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	spare, err := newUpstream(incident{}, p.scale)
	if err != nil {
		return nil, err
	}
	defer spare.close()
	g, err := startGateway(ctx, p.binary, dir, lanes, spare, p.scale)
	if err != nil {
		return nil, err
	}
	defer g.Stop()
	return conduct(ctx, p, g, lanes)
}

func newLanes(p plan) ([]*lane, error) {
	var lanes []*lane
	for _, i := range incidents {
		if !strings.Contains(i.name, p.only) {
			continue
		}
		for _, each := range policies {
			u, err := newUpstream(i, p.scale)
			if err != nil {
				return lanes, err
			}
			lanes = append(lanes, &lane{incident: i, policy: each, upstream: u})
		}
	}
	if len(lanes) == 0 {
		return nil, fmt.Errorf("no incident's name contains %q", p.only)
	}
	return lanes, nil
}

// conduct keeps the load up through health, fault and health again, and draws up the accounts.
func conduct(ctx context.Context, p plan, g *gateway, lanes []*lane) (*outcome, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024}}
	defer client.CloseIdleConnections()
	o := &outcome{lanes: lanes}
	loaded, stop := context.WithCancel(ctx)
	begun := time.Now()
	var group sync.WaitGroup
	every := p.scaled(time.Duration(float64(time.Second) / p.rate))
	for i, l := range lanes {
		shift := every * time.Duration(i) / time.Duration(len(lanes)) // so that not all come at once
		group.Go(func() { l.load(loaded, client, g.URL, begun.Add(shift), every) })
	}
	defer group.Wait()
	defer stop()

	if err := pause(ctx, p.scaled(healthyFor)); err != nil {
		return nil, err
	}
	faultAt := time.Now()
	o.fault = faultAt.Sub(begun)
	for _, l := range lanes {
		l.upstream.begin()
	}
	if err := pause(ctx, p.scaled(faultFor)); err != nil {
		return nil, err
	}
	o.health = time.Since(begun)
	for _, l := range lanes {
		if err := l.upstream.end(); err != nil {
			return nil, err
		}
	}
	if err := untilBack(ctx, p, lanes, o.health); err != nil {
		return nil, err
	}
	stop()
	group.Wait()
	o.end = time.Since(begun)
	counted, err := g.failedCalls(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range lanes {
		opened, err := g.opened(ctx, l, faultAt)
		if err != nil {
			return nil, err
		}
		if seen := l.wasted(); counted[l.name()] != seen {
			return nil, fmt.Errorf("%s: the gateway counts %d failed calls, its answers say %d", l.name(), counted[l.name()], seen)
		}
		o.accounts = append(o.accounts, l.account(o.fault, o.health, opened.Sub(begun)))
	}
	return o, nil
}

// untilBack waits until every target was asked again, or for as long as the script allows.
func untilBack(ctx context.Context, p plan, lanes []*lane, health time.Duration) error {
	const looks = 120
	for range looks {
		back := 0
		for _, l := range lanes {
			if l.cameBack(health) {
				back++
			}
		}
		if back == len(lanes) {
			return nil
		}
		if err := pause(ctx, p.scaled(recoverFor)/looks); err != nil {
			return err
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
