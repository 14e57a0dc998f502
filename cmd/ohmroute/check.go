package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ohmroute/ohmroute/config"
)

// connectTimeout bounds what `check --connect` waits for all providers together.
const connectTimeout = 30 * time.Second

func checkCommand(w world) *cobra.Command {
	var path string
	var strict, connect bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a configuration file and name every problem in it",
		Long: `check reads a configuration file without starting anything and names every problem with its path.
It exits with 1 if there is an error.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if path == "" {
				_, err := fmt.Fprintln(w.out, "no configuration file is named (--config FILE): there is nothing to check")
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("the configuration file can't be read: %w", err)
			}
			problems := problemsOf(cmd.Context(), text, w.env, connect)
			return report(w.out, path, problems, strict)
		},
	}
	cmd.Flags().StringVar(&path, "config", "", "configuration `file` (YAML)")
	cmd.Flags().BoolVar(&strict, "strict", false, "take warnings for errors")
	cmd.Flags().BoolVar(&connect, "connect", false, "also ask each provider for its models")
	return cmd
}

func problemsOf(ctx context.Context, text []byte, env func(string) (string, bool), connect bool) []config.Problem {
	file, problems := config.ParseFile(text, env)
	if file == nil {
		return problems
	}
	problems = append(problems, file.Unset(env)...)
	if connect {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		problems = append(problems, file.Connect(ctx, env)...)
	}
	return problems
}

// report prints problems and gives the error that they amount to.
func report(out io.Writer, path string, problems []config.Problem, strict bool) error {
	errs, warnings := 0, 0
	for _, p := range problems {
		severity := "error"
		if p.Warning && !strict {
			severity = "warning"
			warnings++
		} else {
			errs++
		}
		fmt.Fprintf(out, "%s: %s\n", severity, p)
	}
	if errs > 0 {
		return fmt.Errorf("%s has %s", path, plural(errs, "problem"))
	}
	if warnings > 0 {
		_, err := fmt.Fprintf(out, "%s can be used; it has %s\n", path, plural(warnings, "warning"))
		return err
	}
	_, err := fmt.Fprintf(out, "%s is fine\n", path)
	return err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
