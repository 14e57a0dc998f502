package simulate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// mostTransitions of a policy are printed; JSON and HTML have all.
const mostTransitions = 12

// Text writes the result as tables.
func (r *Result) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: %s\n\n", r.Name, r.headline())
	fmt.Fprintln(t, "POLICY\tANSWERED\tFIRST TRY\tERRORS\tBROKEN OFF\tADDED P50\tP99\tMAX\tWASTED CALLS")
	for i := range r.Policies {
		o := &r.Policies[i]
		c := &o.Clients
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%d\t%s\t%s\t%s\t%d\n", o.Policy, c.Answered, c.FirstTry, c.errorWords(), c.BrokenOff,
			c.Added.P50, c.Added.P99, c.Added.Max, o.wasted())
	}
	for i := range r.Policies {
		r.policyText(t, &r.Policies[i])
	}
	return t.Flush()
}

// headline says in a line what was simulated.
func (r *Result) headline() string {
	requests, source := "requests", "simulated"
	if r.Requests == 1 {
		requests = "request"
	}
	if r.Replayed {
		source = "replayed"
	}
	return fmt.Sprintf("%d %s in %s %s, seed %d", r.Requests, requests, r.Duration, source, r.Seed)
}

func (r *Result) policyText(t *tabwriter.Writer, o *Outcome) {
	fmt.Fprintf(t, "\n%s: %s\n", o.Policy, o.headline())
	if len(r.Faults) > 0 {
		fmt.Fprintln(t, "\n  FAULT\tFROM\tTO\tCALLS\tWASTED\tSTOPPED AFTER\tRECOVERED AFTER")
	}
	for i := range r.Faults {
		f, seen := &r.Faults[i], &o.Faults[i]
		fmt.Fprintf(t, "  %s %s\t%s\t%s\t%d\t%d\t%s\t%s\n", f.Target, f.Text, f.From, f.To, seen.Calls, seen.Wasted,
			orElse(seen.Stopped, "never"), orElse(seen.Recovered, "not seen"))
	}
	fmt.Fprintln(t, "\n  TARGET\tCALLS\tANSWERED\tWASTED\tPROBES\tFORCED\tTIME LOST")
	for i := range o.Targets {
		s := &o.Targets[i]
		fmt.Fprintf(t, "  %s\t%d\t%d\t%d\t%d\t%d\t%s\n", s.Target, s.Calls, s.Answered, s.Wasted, s.Probes, s.Forced, s.Lost)
	}
	if len(o.Transitions) > 0 {
		fmt.Fprintln(t, "\n  AT\tBREAKER\tFROM\tTO\tREASON\tWAIT")
	}
	for i := range o.Transitions[:min(len(o.Transitions), mostTransitions)] {
		s := &o.Transitions[i]
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", s.At, s.Name, s.From, s.To, s.why(), s.waits())
	}
	if more := len(o.Transitions) - mostTransitions; more > 0 {
		fmt.Fprintf(t, "  and %d more: --output json and --html FILE have them\n", more)
	}
}

// headline says in a line what a policy was.
func (o *Outcome) headline() string {
	s := "combo " + o.Combo
	if o.Strategy != "" {
		s += " (" + o.Strategy + ")"
	}
	if k := o.Known; k != nil {
		s += fmt.Sprintf("; of the calls %d were seen in the log, %d guessed from an older one, %d of targets without any", k.Seen, k.Guessed, k.Unknown)
	}
	return s
}

func (o *Outcome) wasted() int {
	n := 0
	for i := range o.Targets {
		n += o.Targets[i].Wasted
	}
	return n
}

// errorWords are the numbers of errors by code.
func (c *Clients) errorWords() string {
	var words []string
	for _, code := range slices.Sorted(maps.Keys(c.Errors)) {
		words = append(words, fmt.Sprintf("%d %s", c.Errors[code], code))
	}
	if c.Unfinished > 0 {
		words = append(words, fmt.Sprintf("%d unfinished", c.Unfinished))
	}
	if len(words) == 0 {
		return "0"
	}
	return strings.Join(words, ", ")
}

func (t *Transition) why() string {
	if t.Kind == "" {
		return t.Reason
	}
	return t.Reason + " (" + t.Kind + ")"
}

func (t *Transition) waits() string {
	if t.Wait == 0 {
		return ""
	}
	return t.Wait.String()
}

func orElse(d *ms, without string) string {
	if d == nil {
		return without
	}
	return d.String()
}
