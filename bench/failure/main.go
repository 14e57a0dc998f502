// Command failure plays incidents against the real binary on loopback, under steady open-loop load, and prints what each of
// them cost under each policy: errors that clients saw, added latency, calls wasted on the broken target, how long it took to
// stop asking it and to come back to it.
//
//	go run ./failure
//	go run ./failure -scale 0.2 -only hang
//
// All incidents run side by side, each on targets of its own, so that a run takes as long as one of them: about two minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	p := plan{command: "go run ./failure " + strings.Join(os.Args[1:], " ")}
	flag.Float64Var(&p.scale, "scale", 1, "every duration of the script and of the policies is multiplied by this")
	flag.Float64Var(&p.rate, "rate", 10, "requests per second of each incident under each policy; divided by -scale")
	flag.StringVar(&p.only, "only", "", "play the incidents whose name contains this")
	flag.StringVar(&p.binary, "ohmroute", "", "path of the binary; empty: build it")
	flag.StringVar(&p.page, "write", "", "a page whose part between the marks of this tool is replaced by the table")
	flag.StringVar(&p.plots, "plots", "", "a folder that gets a plot of each incident, as SVG")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, p); err != nil {
		fmt.Fprintln(os.Stderr, "failure:", err)
		os.Exit(1)
	}
}
