package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Measures of a plot, in the units of its view box.
const (
	plotWidth  = 600
	plotLeft   = 70
	rowHeight  = 70
	rowMiddle  = 45 // answers grow upwards from here, what went wrong downwards
	scaleUp    = 40 // of the most answers
	scaleDown  = 20
	plotTop    = 24
	plotBottom = 34
	buckets    = 60
)

// series is one line of a row: how many in each bucket, drawn up or down as an area.
type series struct {
	colour string
	of     func(record) int
	down   bool
}

var drawn = []series{
	{colour: "#3b82c4", of: func(r record) int { return count(r.whole) }},            // all answers; those of the failing target lie upon them
	{colour: "#3f9a52", of: func(r record) int { return count(r.whole && r.first) }}, // answers of the target that fails
	{colour: "#d08a2e", of: record.wasted, down: true},
	{colour: "#c0392b", of: func(r record) int { return count(!r.whole) }, down: true},
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// plot writes one SVG for each incident, with a row for each policy.
func (o *outcome) plot(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // pictures of the documentation
		return err
	}
	byIncident := map[string][]*lane{}
	for _, l := range o.lanes {
		byIncident[l.incident.name] = append(byIncident[l.incident.name], l)
	}
	for name, lanes := range byIncident {
		file := filepath.Join(dir, picture(name))
		if err := os.WriteFile(file, []byte(o.svg(lanes)), 0o644); err != nil { //nolint:gosec // likewise
			return err
		}
	}
	return nil
}

func picture(incident string) string { return incident + ".svg" }

// pictures shows the plots in the page.
func (o *outcome) pictures(p plan) string {
	dir, err := filepath.Rel(filepath.Dir(p.page), p.plots)
	if err != nil {
		dir = p.plots
	}
	var b strings.Builder
	b.WriteString("\n")
	for i, l := range o.lanes {
		if i == 0 || o.lanes[i-1].incident.name != l.incident.name {
			fmt.Fprintf(&b, "![%s: %s](%s)\n", l.incident.name, l.incident.says, filepath.Join(dir, picture(l.incident.name)))
		}
	}
	return b.String()
}

func (o *outcome) svg(lanes []*lane) string {
	var b strings.Builder
	height := plotTop + rowHeight*len(lanes) + plotBottom
	what := lanes[0].incident
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" role="img">`,
		plotLeft+plotWidth+10, height)
	fmt.Fprintf(&b, "<title>%s: %s</title><rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>", what.name, what.says)
	fmt.Fprintf(&b, `<text x="%d" y="14">%s: %s</text>`, plotLeft, what.name, what.says)
	fmt.Fprintf(&b, `<rect x="%.0f" y="%d" width="%.0f" height="%d" fill="#f3e6e4"/>`,
		o.x(o.fault), plotTop, o.x(o.health)-o.x(o.fault), rowHeight*len(lanes))
	for row, l := range lanes {
		top := plotTop + row*rowHeight
		fmt.Fprintf(&b, `<text x="4" y="%d">%s</text>`, top+rowMiddle, l.policy.name)
		most := o.most(l)
		for _, s := range drawn {
			b.WriteString(o.area(l, s, top+rowMiddle, most))
		}
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">up: answers, <tspan fill="#3f9a52">of the target that fails</tspan>, <tspan fill="#3b82c4">of the other</tspan>;`+
		` down: <tspan fill="#d08a2e">calls wasted</tspan>, <tspan fill="#c0392b">errors seen</tspan>; shaded: the fault, %s of %s</text></svg>`+"\n",
		4, height-14, (o.health - o.fault).Round(100*time.Millisecond), o.end.Round(100*time.Millisecond))
	return b.String()
}

func (o *outcome) x(at time.Duration) float64 {
	return plotLeft + plotWidth*float64(at)/float64(o.end)
}

// tally is a series by bucket.
func (o *outcome) tally(l *lane, s series) [buckets]int {
	var counts [buckets]int
	for _, r := range l.records {
		counts[min(buckets-1, int(float64(buckets)*float64(r.at)/float64(o.end)))] += s.of(r)
	}
	return counts
}

// most is the largest number of answers in a bucket, which is what a row is scaled by.
func (o *outcome) most(l *lane) int {
	most := 1
	for _, n := range o.tally(l, drawn[0]) {
		most = max(most, n)
	}
	return most
}

func (o *outcome) area(l *lane, s series, base, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<path fill="%s" d="M%d %d`, s.colour, plotLeft, base)
	any := false
	for _, n := range o.tally(l, s) {
		any = any || n > 0
		y := base - n*scaleUp/most
		if s.down {
			y = base + min(scaleDown, (n*scaleUp+most-1)/most)
		}
		fmt.Fprintf(&b, "V%dh%d", y, plotWidth/buckets)
	}
	fmt.Fprintf(&b, `V%dz"/>`, base)
	if !any {
		return ""
	}
	return b.String()
}
