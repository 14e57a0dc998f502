package simulate

import (
	_ "embed" // for the style sheet
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
)

//go:embed page.css
var pageStyle string

// page is a document as it is written. Whatever comes from a script goes through text.
type page struct{ strings.Builder }

// addf adds markup; its arguments are numbers and words of ours.
func (p *page) addf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// text makes a text of anybody's harmless.
func text(s string) string { return html.EscapeString(s) }

// HTML writes the result as one page that needs nothing else: no script, no font, no picture.
func (r *Result) HTML(w io.Writer) error {
	p := &page{}
	p.addf("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"+
		"<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n", text(r.Name), pageStyle)
	p.addf("<h1>%s</h1>\n<p>%s</p>\n", text(r.Name), text(r.headline()))
	r.policyTable(p)
	p.legend()
	for i := range r.Policies {
		o := &r.Policies[i]
		p.addf("<h2>%s</h2>\n<p>%s</p>\n", text(o.Policy), text(o.headline()))
		r.draw(p, o)
		r.faultTable(p, o)
		o.targetTable(p)
		o.transitionTable(p)
	}
	p.addf("</body>\n</html>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// column is one of a table; numbers stand to the right.
type column struct {
	title  string
	number bool
}

// table writes a table; cells are texts of anybody.
func (p *page) table(columns []column, rows [][]string) {
	cell := func(tag string, i int, s string) {
		class := ""
		if columns[i].number {
			class = ` class="n"`
		}
		p.addf("<%s%s>%s</%s>", tag, class, text(s), tag)
	}
	p.addf("<div class=\"wide\"><table>\n<thead><tr>")
	for i, c := range columns {
		cell("th", i, c.title)
	}
	p.addf("</tr></thead>\n<tbody>\n")
	for _, row := range rows {
		p.addf("<tr>")
		for i, s := range row {
			cell("td", i, s)
		}
		p.addf("</tr>\n")
	}
	p.addf("</tbody></table></div>\n")
}

func (r *Result) policyTable(p *page) {
	var rows [][]string
	for i := range r.Policies {
		o := &r.Policies[i]
		c := &o.Clients
		rows = append(rows, []string{
			o.Policy, strconv.Itoa(c.Answered), strconv.Itoa(c.FirstTry), c.errorWords(), strconv.Itoa(c.BrokenOff),
			c.Added.P50.String(), c.Added.P99.String(), c.Added.Max.String(), strconv.Itoa(o.wasted()),
		})
	}
	p.table([]column{
		{"policy", false},
		{"answered", true},
		{"first try", true},
		{"errors", false},
		{"broken off", true},
		{"added p50", true},
		{"added p99", true},
		{"added max", true},
		{"wasted calls", true},
	}, rows)
}

func (r *Result) faultTable(p *page, o *Outcome) {
	var rows [][]string
	for i := range r.Faults {
		f, seen := &r.Faults[i], &o.Faults[i]
		rows = append(rows, []string{
			f.Target, f.Text, f.From.String(), f.To.String(), strconv.Itoa(seen.Calls), strconv.Itoa(seen.Wasted),
			orElse(seen.Stopped, "never"), orElse(seen.Recovered, "not seen"),
		})
	}
	if len(rows) > 0 {
		p.table([]column{
			{"target", false},
			{"fault", false},
			{"from", true},
			{"to", true},
			{"calls", true},
			{"wasted", true},
			{"stopped after", true},
			{"recovered after", true},
		}, rows)
	}
}

func (o *Outcome) targetTable(p *page) {
	var rows [][]string
	for i := range o.Targets {
		t := &o.Targets[i]
		rows = append(rows, []string{
			t.Target, strconv.Itoa(t.Calls), strconv.Itoa(t.Answered), strconv.Itoa(t.Wasted), strconv.Itoa(t.Probes),
			strconv.Itoa(t.Forced), t.Lost.String(),
		})
	}
	p.table([]column{
		{"target", false}, {"calls", true}, {"answered", true}, {"wasted", true}, {"probes", true}, {"forced", true}, {"time lost", true},
	}, rows)
}

func (o *Outcome) transitionTable(p *page) {
	var rows [][]string
	for i := range o.Transitions {
		t := &o.Transitions[i]
		rows = append(rows, []string{t.At.String(), t.Name, t.From, t.To, t.why(), t.waits()})
	}
	p.addf("<details><summary>%d transitions of breakers</summary>\n", len(rows))
	p.table([]column{{"at", true}, {"breaker", false}, {"from", false}, {"to", false}, {"reason", false}, {"wait", true}}, rows)
	p.addf("</details>\n")
}
