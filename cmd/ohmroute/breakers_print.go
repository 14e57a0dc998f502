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
	fmt.Fprintln(w.out, lineOf(widths, columns, func(text string) string { return text }))
	for i := range all {
		fmt.Fprintln(w.out, lineOf(widths, rows[i], func(text string) string { return painted(w, t, all[i].State, text) }))
	}
}

// The columns of a listing, and what of them is kept on a terminal that is too narrow for all.
const (
	columnName = iota
	columnState
	columnCount
	columnRetry
	columnReason

	leastName, leastReason = 20, 12
)

// widthsOf are the columns' widths; a column of width 0 is left out. On a terminal names and reasons give way to the
// rest, but not beyond what tells them apart: then whole columns go, the reason first.
func widthsOf(t terminal, rows [][]string) []int {
	widths := make([]int, len(columns))
	for _, row := range append(rows, columns) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if t.width == 0 {
		return widths
	}
	name, reason := widths[columnName], widths[columnReason]
	widths[columnName], widths[columnReason] = min(name, leastName), min(reason, leastReason)
	for _, less := range []int{columnReason, columnCount, columnRetry} {
		if room(t, widths) < 0 {
			widths[less] = 0
		}
	}
	widths[columnName] = max(min(name, widths[columnName]+room(t, widths)), 1)
	if widths[columnReason] > 0 {
		widths[columnReason] = min(reason, widths[columnReason]+room(t, widths))
	}
	widths[columnState] += min(room(t, widths), 0)
	return widths
}

// room is how many columns of a terminal are left, below 0 if there are too few.
func room(t terminal, widths []int) int {
	left := t.width + len(between)
	for _, width := range widths {
		if width > 0 {
			left -= width + len(between)
		}
	}
	return left
}

// between stands between two columns.
const between = "  "

// lineOf is a row as it is printed; paint colours the state.
func lineOf(widths []int, row []string, paint func(string) string) string {
	var cells []string
	for i, cell := range row {
		if widths[i] <= 0 {
			continue
		}
		cell = cut(cell, widths[i])
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == columnState {
			cell = paint(cell)
		}
		cells = append(cells, cell+padding)
	}
	return strings.TrimRight(strings.Join(cells, between), " ")
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
