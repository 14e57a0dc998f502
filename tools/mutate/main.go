// Command mutate changes one place of a package at a time and tells which changes the package's own tests don't notice.
//
//	go run ./mutate -module .. -package ./circuitbreaker -sample 60 -seed 1 -for 10m
//
// The changed file is laid over the real one (go test -overlay), so that the work tree stays as it is. What was judged
// is appended to -state; a run with the same file goes on where the last one ended. It ends with status 1 when more
// mutants survived than -allow, 2 when it could not do its work.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	module, pkg, files string
	only, run, args    string
	sample             int
	seed               uint64
	lasting            time.Duration
	each               time.Duration
	shard              shard
	state              string
	allow              int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	survived, allowed, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case survived > allowed:
		os.Exit(1)
	}
}

func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("mutate", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.module, "module", ".", "folder of the module")
	f.StringVar(&o.pkg, "package", "", "folder of the package, below the module: ./circuitbreaker")
	f.StringVar(&o.files, "files", "*.go", "patterns of the file names to change, with commas between them")
	f.StringVar(&o.only, "only", "", "only mutants whose line, as it is printed, has this text in it")
	f.StringVar(&o.run, "run", "", "only these tests judge, as in go test -run")
	f.StringVar(&o.args, "args", "", "further arguments of the test's program, with blanks between them")
	f.IntVar(&o.sample, "sample", 0, "how many mutants are judged, drawn at random; 0 for all")
	f.Uint64Var(&o.seed, "seed", 1, "of the draw")
	f.DurationVar(&o.lasting, "for", 0, "begin no further mutant after this time; 0 for ever")
	f.DurationVar(&o.each, "timeout", 0, "of a mutant's tests; 0 for ten times what they take unchanged, at least 30s")
	f.Var(&o.shard, "shard", "judge only each n-th mutant, from the i-th on: i/n, with i from 1")
	f.StringVar(&o.state, "state", "", "file to which verdicts are appended, and from which they are taken")
	f.IntVar(&o.allow, "allow", 0, "how many survivors are no failure")
	if err = f.Parse(args); err != nil {
		return o, err
	}
	if o.pkg == "" || f.NArg() > 0 {
		return o, errors.New("-package is needed, and nothing but flags")
	}
	o.module, err = filepath.Abs(o.module)
	return o, err
}

// run judges mutants and prints those that survive. It returns how many did, and how many may.
func run(ctx context.Context, args []string, out io.Writer) (survived, allowed int, err error) {
	o, err := parse(args, out)
	if err != nil {
		return 0, 0, err
	}
	mutants, err := findMutants(filepath.Join(o.module, o.pkg), strings.Split(o.files, ","))
	if err != nil {
		return 0, 0, err
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return !strings.Contains(m.String(), o.only) })
	found := len(mutants)
	mutants = o.shard.of(shuffled(mutants, o.seed))
	known, err := openVerdicts(o.state)
	if err != nil {
		return 0, 0, err
	}
	defer known.close()
	b, err := newBench(ctx, o)
	if err != nil {
		return 0, 0, err
	}
	defer b.close()
	fmt.Fprintf(out, "%s: %d mutants, seed %d, tests take %s unchanged\n", o.pkg, found, o.seed, b.unchanged.Round(time.Millisecond))

	count, err := judgeAll(ctx, o, b, known, mutants, out)
	judged := count[killed] + count[timedOut] + count[alive]
	fmt.Fprintf(out, "%s: %d judged, %d killed, %d timed out, %d survived; %d did not build\n",
		o.pkg, judged, count[killed], count[timedOut], count[alive], count[unbuilt])
	return count[alive], o.allow, err
}

// judgeAll goes through mutants until there are enough verdicts or no time is left. Mutants that don't build are none.
func judgeAll(ctx context.Context, o options, b *bench, known *verdicts, mutants []mutant, out io.Writer) (map[verdict]int, error) {
	began, count := time.Now(), map[verdict]int{}
	for _, m := range mutants {
		judged := count[killed] + count[timedOut] + count[alive]
		if o.sample > 0 && judged >= o.sample || o.lasting > 0 && time.Since(began) > o.lasting || ctx.Err() != nil {
			break
		}
		v, ok := known.of(m)
		if !ok {
			var err error
			if v, err = b.judge(ctx, m); err != nil {
				return count, err
			}
			if err = known.add(m, v); err != nil {
				return count, err
			}
		}
		count[v]++
		if v == alive {
			fmt.Fprintf(out, "survived %s\n", m)
		}
	}
	return count, nil
}

// shuffled is the order of a seed. It depends on nothing but the seed and the mutants.
func shuffled(mutants []mutant, seed uint64) []mutant {
	mutants = slices.Clone(mutants)
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
	return mutants
}
