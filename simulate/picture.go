package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The picture of a policy: a row for each breaker, faults shaded behind the rows that they are the reason of, and what
// clients got below, all over one axis of time. A state is told by its height as well as by its colour.
const (
	pictureWidth = 1000
	labelWidth   = 190
	rowHeight    = 26
	barHeight    = 70
	axisHeight   = 22
)

// heights of the states' bars in a row.
var heights = map[string]int{"CLOSED": 4, "DEGRADED": 10, "HALF_OPEN": 15, "OPEN": 20, "ISOLATED": 20}

// states in the order of the legend.
var states = []string{"CLOSED", "DEGRADED", "HALF_OPEN", "OPEN"}

func (p *page) legend() {
	p.addf("<ul class=\"legend\">")
	for _, s := range states {
		p.addf("<li><svg viewBox=\"0 0 24 20\" aria-hidden=\"true\"><rect class=\"%s\" y=\"%d\" width=\"24\" height=\"%d\"/></svg>%s</li>", s, 20-heights[s], heights[s], s)
	}
	for _, c := range [][2]string{{"fault", "a fault"}, {"clean", "answered at once"}, {"rescued", "answered by another call"}, {"failed", "an error, or broken off"}} {
		p.addf("<li><svg viewBox=\"0 0 24 20\" aria-hidden=\"true\"><rect class=\"%s\" width=\"24\" height=\"20\"/></svg>%s</li>", c[0], c[1])
	}
	p.addf("</ul>\n")
}

// picture draws on a page; times are placed on the axis.
type picture struct {
	*page
	end time.Duration
}

func (r *Result) draw(p *page, o *Outcome) {
	rows := o.rows()
	d := picture{p, r.horizon(o)}
	bottom := len(rows) * rowHeight
	height := bottom + barHeight + axisHeight + 10
	p.addf("<div class=\"wide\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", pictureWidth, height,
		text("States of the breakers and answers to clients over time, policy "+o.Policy))
	d.axis(bottom+barHeight+10, height)
	for i, name := range rows {
		r.row(&d, o, name, i*rowHeight)
	}
	o.bars(&d, bottom+10, r.Duration)
	p.addf("</svg></div>\n")
}

// rows are the breakers that have something to show: those of the targets, and what else has moved.
func (o *Outcome) rows() []string {
	var names []string
	for i := range o.Targets {
		names = append(names, "target:"+o.Targets[i].Target)
	}
	for i := range o.Transitions {
		names = append(names, o.Transitions[i].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// horizon is the end of the axis: of the arrivals, or of what the breakers did after them.
func (r *Result) horizon(o *Outcome) time.Duration {
	end := time.Duration(r.Duration)
	if n := len(o.Transitions); n > 0 {
		end = max(end, time.Duration(o.Transitions[n-1].At))
	}
	return max(end, time.Millisecond)
}

func (d *picture) x(at ms) float64 {
	return labelWidth + float64(pictureWidth-labelWidth-10)*min(float64(at)/float64(d.end), 1)
}

// row draws one breaker.
func (r *Result) row(d *picture, o *Outcome, name string, y int) {
	for i := range r.Faults {
		f := &r.Faults[i]
		if guards(name, f.Target) || covers(f.Target, strings.TrimPrefix(name, "target:")) {
			d.rect("fault", d.x(f.From), y, d.x(f.To), rowHeight, f.Target+" "+f.Text+", "+f.From.String()+" to "+f.To.String())
		}
	}
	d.addf("<text x=\"0\" y=\"%d\">%s</text>\n", y+rowHeight-7, text(shorten(name)))
	state, since := "CLOSED", ms(0)
	span := func(to ms) {
		d.rect(state, d.x(since), y+rowHeight-3-heights[state], d.x(to), heights[state], name+" "+state+" from "+since.String()+" to "+to.String())
	}
	for i := range o.Transitions {
		if t := &o.Transitions[i]; t.Name == name {
			span(t.At)
			state, since = t.To, t.At
		}
	}
	span(ms(d.end))
}

// shorten fits a name into its place.
func shorten(name string) string {
	const most = 30
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return string(runes[:most-1]) + "…"
}

// rect draws a box with a title.
func (d *picture) rect(class string, from float64, y int, to float64, height int, title string) {
	d.addf("<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>\n",
		class, from, y, max(to-from, 0.8), height, text(title))
}

// bars draws what became of the requests, by when they came.
func (o *Outcome) bars(d *picture, y int, duration ms) {
	most := 1
	for i := range o.Timeline {
		s := &o.Timeline[i]
		most = max(most, s.Clean+s.Rescued+s.Failed)
	}
	d.addf("<text x=\"0\" y=\"%d\">clients' requests</text>\n<text class=\"soft\" x=\"0\" y=\"%d\">%s</text>\n", y+barHeight-20, y+barHeight-5,
		fmt.Sprintf("up to %d in %s", most, ms(time.Duration(duration)/timelineSlices)))
	for i := range o.Timeline {
		s := &o.Timeline[i]
		to := duration
		if i+1 < len(o.Timeline) {
			to = o.Timeline[i+1].From
		}
		floor := y + barHeight
		for _, part := range []struct {
			class string
			n     int
		}{{"clean", s.Clean}, {"rescued", s.Rescued}, {"failed", s.Failed}} {
			if part.n == 0 {
				continue
			}
			height := max(part.n*barHeight/most, 1)
			floor -= height
			d.rect(part.class, d.x(s.From), floor, d.x(to)-0.5, height, fmt.Sprintf("%d %s, from %s", part.n, part.class, s.From))
		}
	}
}

// axis draws lines at round times.
func (d *picture) axis(y, height int) {
	step := stepOf(d.end)
	for at := time.Duration(0); at <= d.end; at += step {
		x := d.x(ms(at))
		d.addf("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/><text class=\"soft\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
			x, x, y, x, height-4, ms(at))
	}
}

// stepOf is the distance of about ten lines.
func stepOf(end time.Duration) time.Duration {
	steps := []time.Duration{
		time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
		10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour,
	}
	for _, s := range steps {
		if end/s <= 12 {
			return s
		}
	}
	return (end / 10).Truncate(time.Hour)
}
