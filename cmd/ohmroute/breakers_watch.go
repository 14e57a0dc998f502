package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/server/adminclient"
)

// Between two attempts to follow the events of a gateway that can't be reached.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 10 * time.Second
)

func watchCommand(w world, r *remote) *cobra.Command {
	return &cobra.Command{
		Use:   "watch [NAME...]",
		Short: "Follow what happens to the breakers, or to those of these names, as it happens",
		Long: `watch lists the breakers that are not closed and then prints every transition as it comes. When the
connection breaks it says so, and goes on where it was as soon as the gateway is back. It ends with an interrupt.`,
		ValidArgsFunction: r.names(w),
		RunE: func(cmd *cobra.Command, names []string) error {
			c, err := r.client(w)
			if err != nil {
				return err
			}
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			f := &following{world: w, client: c, terminal: terminalOf(w), json: r.output.value == "json", names: names}
			if err := f.begin(ctx); err != nil {
				return err
			}
			return f.follow(ctx)
		},
	}
}

// following is a watch of a gateway's events.
type following struct {
	world
	terminal terminal
	client   *adminclient.Client
	json     bool
	names    []string // empty: all
	last     string   // the ID of the last event
}

// begin prints what is not closed, or what was named.
func (f *following) begin(ctx context.Context) error {
	if len(f.names) > 0 {
		named, errs := each(ctx, f.names, f.client.Breaker)
		if len(errs) == 0 && !f.json {
			printTable(f.world, f.terminal, statuses(named))
		}
		return errors.Join(errs...)
	}
	if f.json {
		return nil
	}
	all, err := f.client.Breakers(ctx, "", "")
	if err != nil {
		return err
	}
	var notable []circuitbreaker.Status
	for _, b := range all.Breakers {
		if b.State != circuitbreaker.Closed {
			notable = append(notable, b)
		}
	}
	if len(notable) == 0 {
		_, err = fmt.Fprintf(f.out, "all of %s closed\n", plural(len(all.Breakers), "breaker"))
		return err
	}
	printTable(f.world, f.terminal, notable)
	return nil
}

// follow prints events until ctx ends. A gateway that goes away is waited for; one that refuses is not.
func (f *following) follow(ctx context.Context) error {
	pause := firstPause
	for {
		err := f.client.Events(ctx, f.last, func() { pause = firstPause }, f.print)
		refused, ok := errors.AsType[*adminclient.Error](err)
		switch {
		case ok:
			return refused
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it was interrupted, which is how it ends
		}
		fmt.Fprintf(f.err, "ohmroute: %s; trying again in %s\n", err, pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// print shows one event; it always goes on.
func (f *following) print(ev adminclient.Event) bool {
	f.last = ev.ID
	if !f.wants(ev) {
		return true
	}
	if f.json {
		line, err := json.Marshal(struct {
			ID   string          `json:"id"`
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}{ev.ID, ev.Type, ev.Data})
		if err == nil {
			fmt.Fprintf(f.out, "%s\n", line)
		}
		return true
	}
	switch ev.Type {
	case "breaker.transition":
		var t circuitbreaker.Transition
		if json.Unmarshal(ev.Data, &t) == nil {
			f.printTransition(&t)
		}
	case "persistence.degraded", "persistence.restored", "config.changed":
		fmt.Fprintf(f.out, "%s  %s\n", time.Now().Format(time.TimeOnly), ev.Type)
	}
	return true
}

// wants tells whether an event is of what was named, or of the disk, which is everybody's.
func (f *following) wants(ev adminclient.Event) bool {
	if len(f.names) == 0 || strings.HasPrefix(ev.Type, "persistence.") {
		return true
	}
	var t circuitbreaker.Transition
	return ev.Type == "breaker.transition" && json.Unmarshal(ev.Data, &t) == nil && slices.Contains(f.names, t.Name)
}

func (f *following) printTransition(t *circuitbreaker.Transition) {
	line := fmt.Sprintf("%s  %s  %s -> %s", t.At.Local().Format(time.TimeOnly), t.Name, t.From, painted(f.world, f.terminal, t.To, t.To.String()))
	if t.Reason != "" {
		line += "  " + t.Reason
	}
	if t.Kind != "" {
		line += "  " + string(t.Kind)
	}
	if t.Wait > 0 {
		line += "  retry in " + t.Wait.Round(time.Second).String()
	}
	fmt.Fprintln(f.out, line)
}
