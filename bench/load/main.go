// Command load runs the same work through ohmroute, a minimal httputil.ReverseProxy and no gateway at all, interleaved in one
// run on loopback, and prints what each cost: CPU per request from /proc, latency as the client saw it, peak memory.
//
//	go run ./load -rounds 5 -time 3s
//
// Every part is a process of its own, so that each one's CPU can be told from the others'. All of it ends by itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	role := flag.String("role", "run", "run, or a part of the run: upstream, proxy")
	listen := flag.String("listen", "", "address of a part")
	upstream := flag.String("upstream", "", "where the proxy sends")
	rounds := flag.Int("rounds", 3, "rounds; each measures every subject on every scenario once")
	span := flag.Duration("time", 2*time.Second, "time of one measurement")
	only := flag.String("only", "", "run the scenarios whose name starts so")
	binary := flag.String("ohmroute", "", "path of the binary to measure; empty: build it")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch *role {
	case "upstream":
		err = serveUpstream(*listen)
	case "proxy":
		err = serveProxy(*listen, *upstream)
	case "run":
		err = run(ctx, os.Stdout, plan{rounds: *rounds, span: *span, only: *only, binary: *binary})
	default:
		err = fmt.Errorf("no role %q", *role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}
