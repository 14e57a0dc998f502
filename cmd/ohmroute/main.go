// Command ohmroute is the gateway and the tool that checks its configuration. It is wiring: it knows every package
// and decides nothing that they could.
package main

import (
	"fmt"
	"io"
	"log" //nolint:depguard // to silence it
	"os"
)

func main() {
	// net/http quotes to the standard logger what an upstream sends unasked, and that may echo a key.
	log.SetOutput(io.Discard)
	os.Exit(run(os.Args[1:], world{out: os.Stdout, err: os.Stderr, env: os.LookupEnv}))
}

// world is what the program touches outside of itself, so that a test can stand in for it.
type world struct {
	out, err io.Writer
	env      func(string) (string, bool)
}

// run gives the exit code: 0, or 1 after an error that it has printed.
func run(args []string, w world) int {
	root := rootCommand(w)
	root.SetArgs(args)
	root.SetOut(w.out)
	root.SetErr(w.err)
	if err := root.Execute(); err != nil {
		fmt.Fprintf(w.err, "ohmroute: %s\n", err)
		return 1
	}
	return 0
}
