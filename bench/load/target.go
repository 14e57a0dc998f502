package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// target is a bound on what ohmroute may cost.
type target struct {
	name  string
	most  float64
	unit  string
	value func(*report) (float64, bool) // false: it was not measured
}

const ours = "ohmroute"

var targets = []target{
	{"CPU per JSON request at 32 connections, ratio to the ReverseProxy", 0.85, "", cpuOf("json-32")},
	{"CPU per event of bursts at 32 streams, ratio", 1.00, "", cpuOf("stream-32")},
	{"CPU per paced event at 32 streams, ratio", 1.05, "", cpuOf("paced-32")},
	{"CPU per paced event at 200 streams, ratio", 1.05, "", cpuOf("paced-200")},
	{"CPU per request of 100 KB, ratio", 0.95, "", cpuOf("big-16")},
	{"added p50 at 1 connection, ratio", 1.1, "", addedRatio},
	{"memory at rest", 20, " MiB", func(r *report) (float64, bool) { f, ok := r.ourIdle(); return mib(f.atRest), ok }},
	{"memory with idle streams", 400, " MiB", func(r *report) (float64, bool) { f, ok := r.ourIdle(); return mib(f.peak), ok }},
	{"ready with stored breakers after", 100, " ms", readyAfter},
}

func cpuOf(scenario string) func(*report) (float64, bool) {
	return func(r *report) (float64, bool) {
		return r.cpuRatio(scenario, ours), len(r.figures[scenario][ours]) > 0
	}
}

func addedRatio(r *report) (float64, bool) {
	const alone = "json-1"
	p50 := func(f figure) time.Duration { return f.p50 }
	theirs := r.added(alone, yardstick, p50)
	return r.added(alone, ours, p50) / theirs, theirs > 0
}

func (r *report) ourIdle() (idleFigure, bool) {
	i := slices.IndexFunc(r.idle, func(f idleFigure) bool { return f.name == ours })
	if i < 0 {
		return idleFigure{}, false
	}
	return r.idle[i], true
}

func readyAfter(r *report) (float64, bool) {
	if len(r.starts) == 0 {
		return 0, false
	}
	most := r.starts[len(r.starts)-1]
	return median(len(most.starts), func(i int) float64 { return us(most.starts[i]) / 1e3 }), true
}

// verdicts says for each target whether it held.
func (r *report) verdicts() string {
	var b strings.Builder
	b.WriteString("\n| target | at most | measured | |\n|---|--:|--:|---|\n")
	for _, t := range targets {
		value, measured := t.value(r)
		switch {
		case !measured:
			fmt.Fprintf(&b, "| %s | %g%s | - | not measured |\n", t.name, t.most, t.unit)
		case value <= t.most:
			fmt.Fprintf(&b, "| %s | %g%s | %.2f%s | held |\n", t.name, t.most, t.unit, value, t.unit)
		default:
			fmt.Fprintf(&b, "| %s | %g%s | %.2f%s | **missed** |\n", t.name, t.most, t.unit, value, t.unit)
		}
	}
	return b.String()
}

func mib(kib int64) float64 { return float64(kib) / 1024 }
