package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/bench/process"
)

// plan is what is measured, and how much of it.
type plan struct {
	rounds   int
	span     time.Duration
	only     string
	rate     int
	idle     int
	breakers int
	binary   string
	adapters []string
	page     string
	limit    time.Duration
	command  string
}

// figure is one measurement of a subject.
type figure struct {
	perSecond     float64
	cpu           float64 // of the subject's process, us per request
	p50, p99      time.Duration
	first, first9 time.Duration // to the first bytes of the answer: median, and what 99 % did not exceed
}

// report is all that a run found. Figures are by scenario and subject, one a round.
type report struct {
	subjects  []subject
	scenarios []scenario
	figures   map[string]map[string][]figure
	memory    map[string]int64 // peak KiB by subject
	idle      []idleFigure
	starts    []startFigure
}

// run measures and prints.
func run(ctx context.Context, out io.Writer, p plan) error {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	if p.idle > 0 {
		p.idle = roomFor(p.idle)
	}
	before := process.Machine(p.command)
	dir, err := os.MkdirTemp("", "ohmroute-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := measureAll(ctx, p, dir)
	if err != nil {
		return err
	}
	text := before + r.text(p)
	if _, err := io.WriteString(out, text); err != nil || p.page == "" {
		return err
	}
	return process.ReplaceMarked(p.page, "bench/load", text)
}

func measureAll(ctx context.Context, p plan, dir string) (*report, error) {
	s, err := startAll(ctx, p, dir)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	r := &report{subjects: s.list, figures: map[string]map[string][]figure{}, memory: map[string]int64{}}
	for _, each := range scenarios {
		if !strings.HasPrefix(each.name, p.only) {
			continue
		}
		r.scenarios = append(r.scenarios, each)
		if err := r.rounds(ctx, each, p); err != nil {
			return nil, fmt.Errorf("%s: %w", each.name, err)
		}
	}
	for _, each := range s.list {
		if _, r.memory[each.name], err = each.process.Memory(); err != nil {
			return nil, err
		}
	}
	if p.idle > 0 && strings.HasPrefix("idle", p.only) {
		if r.idle, err = measureIdle(ctx, s, p, dir); err != nil {
			return nil, err
		}
	}
	if p.breakers > 0 && strings.HasPrefix("start", p.only) {
		r.starts, err = measureStart(ctx, s, p, filepath.Join(dir, "starts"))
	}
	return r, err
}

// rounds measures every subject in turn, round by round.
func (r *report) rounds(ctx context.Context, s scenario, p plan) error {
	r.figures[s.name] = map[string][]figure{}
	behind := map[string]bool{}
	for range p.rounds {
		for _, each := range r.subjects {
			if behind[each.name] {
				continue
			}
			f, err := measure(ctx, each, s, p)
			if errors.Is(err, errBehind) {
				behind[each.name] = true
				delete(r.figures[s.name], each.name)
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", each.name, err)
			}
			r.figures[s.name][each.name] = append(r.figures[s.name][each.name], f)
		}
	}
	return nil
}

func measure(ctx context.Context, each subject, s scenario, p plan) (figure, error) {
	before, err := each.process.CPU()
	if err != nil {
		return figure{}, err
	}
	begun := time.Now()
	seen, err := drive(ctx, each, s, p)
	took := time.Since(begun)
	if err == nil && len(seen.latencies) == 0 {
		err = errors.New("no request was answered")
	}
	if err != nil {
		return figure{}, err
	}
	after, err := each.process.CPU()
	if err != nil {
		return figure{}, err
	}
	requests := float64(len(seen.latencies))
	return figure{
		perSecond: requests / took.Seconds(),
		cpu:       float64((after - before).Nanoseconds()) / 1e3 / requests,
		p50:       quantile(seen.latencies, 0.5), p99: quantile(seen.latencies, 0.99),
		first: quantile(seen.firsts, 0.5), first9: quantile(seen.firsts, 0.99),
	}, nil
}

// median of what each round gives; 0 if there are none.
func median(rounds int, of func(round int) float64) float64 {
	if rounds == 0 {
		return 0
	}
	values := make([]float64, rounds)
	for i := range values {
		values[i] = of(i)
	}
	slices.Sort(values)
	return values[rounds/2]
}

// middle is the median of a subject's rounds.
func (r *report) middle(scenario, subject string, of func(figure) float64) float64 {
	figures := r.figures[scenario][subject]
	return median(len(figures), func(i int) float64 { return of(figures[i]) })
}

// against is the median of the rounds of what a comparison with another subject's figure of the same round gives.
func (r *report) against(scenario, subject, other string, compare func(a, b figure) float64) float64 {
	mine, theirs := r.figures[scenario][subject], r.figures[scenario][other]
	return median(min(len(mine), len(theirs)), func(i int) float64 { return compare(mine[i], theirs[i]) })
}

// cpuRatio is a subject's CPU per request, and so per event too, as a ratio to the yardstick's.
func (r *report) cpuRatio(scenario, subject string) float64 {
	return r.against(scenario, subject, yardstick, func(a, b figure) float64 { return a.cpu / b.cpu })
}

// added is a time of a subject over that without any gateway, in us.
func (r *report) added(scenario, subject string, of func(figure) time.Duration) float64 {
	return r.against(scenario, subject, "direct", func(a, b figure) float64 { return us(of(a) - of(b)) })
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
