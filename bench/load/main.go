// Command load runs the same work through ohmroute, a minimal httputil.ReverseProxy, no gateway at all and any other gateway
// that an adapter file describes, interleaved in one run on loopback, and prints what each cost: CPU per request and per
// event, latency as the client saw it, peak memory; then 10,000 idle streams, the start with 10,000 stored breakers, and
// whether each target held.
//
//	go run ./load -rounds 5 -time 3s
//	go run ./load -adapter load/adapters/nginx.yaml -only json
//
// Every part is a process of its own, so that each one's CPU can be told from the others'. All of it ends by itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	role := flag.String("role", "run", "run, or a part of the run: upstream, proxy")
	listen := flag.String("listen", "", "address of a part")
	upstream := flag.String("upstream", "", "where the proxy sends")
	p := plan{command: "go run ./load " + strings.Join(os.Args[1:], " ")}
	flag.IntVar(&p.rounds, "rounds", 5, "rounds; each measures every subject on every scenario once")
	flag.DurationVar(&p.span, "time", 3*time.Second, "time of one measurement")
	flag.StringVar(&p.only, "only", "", "run only what begins so: the name of a scenario, idle, start")
	flag.IntVar(&p.rate, "rate", 500, "requests per second of the open-loop scenarios")
	flag.IntVar(&p.idle, "idle", 10_000, "idle streams; 0 leaves that part out")
	flag.IntVar(&p.breakers, "breakers", 10_000, "stored breakers of the start; 0 leaves that part out")
	flag.StringVar(&p.binary, "ohmroute", "", "path of the binary to measure; empty: build it")
	flag.Func("adapter", "adapter file of another gateway, may be repeated", func(path string) error {
		p.adapters = append(p.adapters, path)
		return nil
	})
	flag.StringVar(&p.page, "write", "", "a page whose part between the marks of this tool is replaced by the output")
	flag.DurationVar(&p.limit, "limit", 30*time.Minute, "after this long everything ends, finished or not")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch *role {
	case "upstream":
		err = serveUpstream(*listen)
	case "proxy":
		err = serveProxy(*listen, *upstream)
	case "run":
		err = run(ctx, os.Stdout, p)
	default:
		err = fmt.Errorf("no role %q", *role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}
