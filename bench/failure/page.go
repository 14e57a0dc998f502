package main

import (
	"fmt"
	"strings"
	"time"
)

// text is the outcome as Markdown.
func (o *outcome) text(p plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%g requests a second of each incident under each policy, half of them streamed; healthy for %s, failing for %s.\n\n",
		p.rate/p.scale, p.scaled(healthyFor), p.scaled(faultFor))
	b.WriteString("| incident | policy | requests | errors | broken streams | added p99 | calls wasted | stopped after | back after |\n" +
		"|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, l := range o.lanes {
		a := o.accounts[i]
		fmt.Fprintf(&b, "| %s: %s | %s | %d | %d | %d | %s | %d | %s | %s |\n", l.incident.name, l.incident.says, l.policy.name,
			a.requests, a.errors, a.broken, round(max(0, a.added)), a.wasted, round(a.stopped), round(a.back))
	}
	b.WriteString("\n")
	for _, each := range policies {
		fmt.Fprintf(&b, "* `%s`: %s\n", each.name, each.says)
	}
	return b.String()
}

func round(d time.Duration) string {
	if d == never {
		return "-"
	}
	return d.Round(10 * time.Millisecond).String()
}
