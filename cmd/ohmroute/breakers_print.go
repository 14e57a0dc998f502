package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/server/adminclient"
)

// terminal is what is known of the output.
type terminal struct {
	is    bool
	width int // columns; 0: as many as it takes
}

func terminalOf(w world) terminal {
	f, ok := w.out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	t := terminal{is: true}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		t.width = width
	}
	return t
}

// colours are ANSI's for the states.
var colours = map[circuitbreaker.State]string{
	circuitbreaker.Closed: "32", circuitbreaker.Degraded: "33", circuitbreaker.Open: "31",
	circuitbreaker.HalfOpen: "36", circuitbreaker.Isolated: "35",
}

// painted is a state's word in its colour, on terminals whose user wants colours.
func painted(w world, t terminal, s circuitbreaker.State, text string) string {
	if no, _ := w.env("NO_COLOR"); !t.is || no != "" {
		return text
	}
	return "\x1b[" + colours[s] + "m" + text + "\x1b[0m"
}

func statuses(all []*adminclient.Breaker) []circuitbreaker.Status {
	list := make([]circuitbreaker.Status, len(all))
	for i, b := range all {
		list[i] = b.Status
	}
	return list
}

// columns are the heads of a listing of breakers.
var columns = []string{"NAME", "STATE", "COUNT", "RETRY IN", "WHY"}

// printBreakers prints a table. On a terminal the last column is cut to its width, and states have colours.
func printBreakers(w world, all []circuitbreaker.Status) {
	printTable(w, terminalOf(w), all)
}

func printTable(w world, t terminal, all []circuitbreaker.Status) {
	rows := make([][]string, len(all))
	for i := range all {
		rows[i] = rowOf(&all[i])
	}
	widths := widthsOf(t, rows)
	fmt.Fprintln(w.out, lineOf(t, widths, columns, func(text string) string { return text }))
	for i := range all {
		fmt.Fprintln(w.out, lineOf(t, widths, rows[i], func(text string) string { return painted(w, t, all[i].State, text) }))
	}
}

// widthsOf are the columns' widths. On a terminal names give way to the rest, but not beyond what tells them apart.
func widthsOf(t terminal, rows [][]string) []int {
	widths := make([]int, len(columns))
	for _, row := range append(rows, columns) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if t.width > 0 {
		const leastName, leastReason = 20, 12
		rest := t.width - widths[1] - widths[2] - widths[3] - 4*len(between) - leastReason
		widths[0] = min(widths[0], max(rest, leastName))
	}
	return widths
}

// between stands between two columns.
const between = "  "

// lineOf is a row as it is printed; paint colours the state.
func lineOf(t terminal, widths []int, row []string, paint func(string) string) string {
	last, column := len(row)-1, 0
	var b strings.Builder
	for i, cell := range row {
		switch {
		case i < last:
			cell = cut(cell, widths[i])
		case t.width > 0:
			cell = cut(cell, t.width-column)
		}
		length := utf8.RuneCountInString(cell)
		if i == 1 {
			cell = paint(cell)
		}
		b.WriteString(cell)
		if i < last {
			b.WriteString(strings.Repeat(" ", widths[i]-length) + between)
			column += widths[i] + len(between)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// rowOf is a breaker as a listing shows it.
func rowOf(b *circuitbreaker.Status) []string {
	state := b.State.String()
	if !b.Enforce {
		state += " (observed: " + b.WouldBe.String() + ")"
	}
	retry := "-"
	if b.State != circuitbreaker.Closed && b.State != circuitbreaker.Degraded && b.RetryAfter >= 0 || b.RetryAfter > 0 {
		retry = b.RetryAfter.Round(time.Second).String()
	}
	return []string{b.Name, state, fmt.Sprintf("%d/%d", b.FailureCount, b.FailureThreshold), retry, whyOf(b)}
}

func whyOf(b *circuitbreaker.Status) string {
	switch {
	case b.Isolated != nil:
		return strings.TrimRight("by "+b.Isolated.By+": "+b.Isolated.Reason, ": ")
	case b.LastFailureKind != "" && !b.LastFailureAt.IsZero():
		return string(b.LastFailureKind) + " at " + b.LastFailureAt.Local().Format(time.TimeOnly)
	default:
		return ""
	}
}

// cut shortens a text to a width.
func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	if width < 2 {
		return ""
	}
	return string([]rune(s)[:width-1]) + "…"
}

// printJSON prints what the gateway sent, indented.
func printJSON(w world, raw json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w.out, b.String())
	return err
}
