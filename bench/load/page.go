package main

import (
	"fmt"
	"strings"
	"time"
)

// text is the run as Markdown.
func (r *report) text(p plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rounds of %s. Figures are medians of the rounds; a ratio is the median of the rounds' ratios to the ReverseProxy.\n"+
		"Added is over no gateway at all in the same round. Open loop: %d JSON requests a second, or a tenth as many streams.\n\n", p.rounds, p.span, p.rate)
	b.WriteString("| scenario | subject | requests/s | CPU us/request | CPU us/event | CPU ratio | p50 us | p99 us | added p50 | added p99 | first event p50 us | p99 us |\n" +
		"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range r.scenarios {
		for _, each := range r.subjects {
			b.WriteString(r.row(s, each))
		}
	}
	b.WriteString("\nPeak memory of these scenarios:")
	for _, each := range r.subjects {
		if !each.direct {
			fmt.Fprintf(&b, " %s %.1f MiB;", each.name, mib(r.memory[each.name]))
		}
	}
	b.WriteString("\n" + r.idleText() + r.startText())
	return b.String() + r.verdicts()
}

func (r *report) row(s scenario, each subject) string {
	of := func(get func(figure) float64) float64 { return r.middle(s.name, each.name, get) }
	p50 := func(f figure) time.Duration { return f.p50 }
	p99 := func(f figure) time.Duration { return f.p99 }
	if len(r.figures[s.name][each.name]) == 0 {
		return "| " + s.name + " | " + each.name + " | falls behind" + strings.Repeat(" | -", 9) + " |\n"
	}
	cpu := of(func(f figure) float64 { return f.cpu })
	cells := []string{
		s.name, each.name, fmt.Sprintf("%.0f", of(func(f figure) float64 { return f.perSecond })), "-", "-", "-",
		fmt.Sprintf("%.0f", of(func(f figure) float64 { return us(f.p50) })),
		fmt.Sprintf("%.0f", of(func(f figure) float64 { return us(f.p99) })), "-", "-", "-", "-",
	}
	if !each.direct {
		cells[3] = fmt.Sprintf("%.1f", cpu)
		cells[5] = fmt.Sprintf("%.2f", r.cpuRatio(s.name, each.name))
		cells[8] = fmt.Sprintf("%.0f", r.added(s.name, each.name, p50))
		cells[9] = fmt.Sprintf("%.0f", r.added(s.name, each.name, p99))
	}
	if events := s.sent(); events > 0 {
		if !each.direct {
			cells[4] = fmt.Sprintf("%.2f", cpu/float64(events))
		}
		cells[10] = fmt.Sprintf("%.0f", of(func(f figure) float64 { return us(f.first) }))
		cells[11] = fmt.Sprintf("%.0f", of(func(f figure) float64 { return us(f.first9) }))
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func (r *report) idleText() string {
	if len(r.idle) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| subject | at rest MiB | idle streams | with them MiB | peak MiB |\n|---|--:|--:|--:|--:|\n")
	for _, f := range r.idle {
		fmt.Fprintf(&b, "| %s | %.1f | %d | %.1f | %.1f |\n", f.name, mib(f.atRest), f.streams, mib(f.open), mib(f.peak))
	}
	return b.String()
}

func (r *report) startText() string {
	if len(r.starts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n| stored breakers | ready after ms, median | slowest |\n|--:|--:|--:|\n")
	for _, f := range r.starts {
		ms := func(i int) float64 { return us(f.starts[i]) / 1e3 }
		slowest := 0.0
		for i := range f.starts {
			slowest = max(slowest, ms(i))
		}
		fmt.Fprintf(&b, "| %d | %.1f | %.1f |\n", f.breakers, median(len(f.starts), ms), slowest)
	}
	return b.String()
}
