package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// plan is how much is measured.
type plan struct {
	rounds int
	span   time.Duration
	only   string
	binary string
}

// figure is one measurement of a subject.
type figure struct {
	perSecond float64
	cpu       time.Duration // of the subject's process, per request
	p50, p99  time.Duration
}

// run measures every subject on every scenario, in turn, round by round, and prints the medians of the rounds.
func run(ctx context.Context, out io.Writer, p plan) error {
	dir, err := os.MkdirTemp("", "ohmroute-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	upstream, err := startSelf(ctx, "upstream")
	if err != nil {
		return err
	}
	defer upstream.stop()
	proxy, err := startSelf(ctx, "proxy", "-upstream", upstream.url)
	if err != nil {
		return err
	}
	defer proxy.stop()
	gateway, err := startOhmroute(ctx, p.binary, dir, upstream.url)
	if err != nil {
		return err
	}
	defer gateway.stop()

	subjects := []subject{
		{name: "direct", url: upstream.url},
		{name: "ReverseProxy", url: proxy.url, process: proxy},
		{name: "ohmroute", url: gateway.url, process: gateway},
	}
	fmt.Fprintf(out, "%d rounds of %s; medians of the rounds; ratios are to the ReverseProxy of the same run\n\n", p.rounds, p.span)
	fmt.Fprintln(out, "| scenario | subject | requests/s | CPU us/request | CPU ratio | p50 us | p99 us |")
	fmt.Fprintln(out, "|---|---|--:|--:|--:|--:|--:|")
	for _, s := range scenarios {
		if !strings.HasPrefix(s.name, p.only) {
			continue
		}
		figures, err := measureAll(ctx, subjects, s, p)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		printRows(out, s, subjects, figures)
	}
	return printMemory(out, subjects)
}

// measureAll gives, per subject, the figure of each round.
func measureAll(ctx context.Context, subjects []subject, s scenario, p plan) ([][]figure, error) {
	figures := make([][]figure, len(subjects))
	for range p.rounds {
		for i, each := range subjects {
			f, err := measure(ctx, each, s, p.span)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", each.name, err)
			}
			figures[i] = append(figures[i], f)
		}
	}
	return figures, nil
}

func measure(ctx context.Context, each subject, s scenario, span time.Duration) (figure, error) {
	var before, after time.Duration
	var err error
	if each.process != nil {
		if before, err = each.process.cpu(); err != nil {
			return figure{}, err
		}
	}
	begun := time.Now()
	seen, err := drive(ctx, each.url, s, span)
	took := time.Since(begun)
	if err == nil && seen.requests == 0 {
		err = errors.New("no request was answered")
	}
	if err != nil {
		return figure{}, err
	}
	if each.process != nil {
		if after, err = each.process.cpu(); err != nil {
			return figure{}, err
		}
	}
	return figure{
		perSecond: float64(seen.requests) / took.Seconds(),
		cpu:       (after - before) / time.Duration(seen.requests),
		p50:       seen.quantile(0.5),
		p99:       seen.quantile(0.99),
	}, nil
}

func printRows(out io.Writer, s scenario, subjects []subject, figures [][]figure) {
	yardstick := median(figures[1], func(f figure) float64 { return float64(f.cpu) })
	for i, each := range subjects {
		cpu := median(figures[i], func(f figure) float64 { return float64(f.cpu) })
		ratio := "-"
		if each.process != nil && yardstick > 0 {
			ratio = fmt.Sprintf("%.2f", cpu/yardstick)
		}
		fmt.Fprintf(out, "| %s | %s | %.0f | %.1f | %s | %.0f | %.0f |\n", s.name, each.name,
			median(figures[i], func(f figure) float64 { return f.perSecond }), cpu/1e3, ratio,
			median(figures[i], func(f figure) float64 { return float64(f.p50) })/1e3,
			median(figures[i], func(f figure) float64 { return float64(f.p99) })/1e3)
	}
}

func printMemory(out io.Writer, subjects []subject) error {
	fmt.Fprintln(out)
	for _, each := range subjects {
		if each.process == nil {
			continue
		}
		kib, err := each.process.peakMemory()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "peak memory of %s: %.1f MiB\n", each.name, float64(kib)/1024)
	}
	return nil
}

func median(figures []figure, of func(figure) float64) float64 {
	values := make([]float64, len(figures))
	for i, f := range figures {
		values[i] = of(f)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
