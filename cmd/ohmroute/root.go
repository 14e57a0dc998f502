package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func rootCommand(w world) *cobra.Command {
	root := &cobra.Command{
		Use:   "ohmroute",
		Short: "An LLM gateway: one combo name, many targets, five-state circuit breakers",
		Long: `ohmroute is an LLM gateway. Clients name a combo instead of a model; its targets are walked through
circuit breakers, so that whatever is down is left out and the answer comes from the next one.

Every flag can be set in the environment too: --data-dir is OHMROUTE_DATA_DIR. Flags beat the environment, which
beats the configuration file.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return fromEnvironment(cmd.Flags(), w.env)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(serveCommand(w), checkCommand(w), breakersCommand(w), simulateCommand(w), importCommand(w), versionCommand())
	return root
}

// fromEnvironment sets the flags that weren't given from OHMROUTE_NAME; they count as given then.
func fromEnvironment(flags *pflag.FlagSet, env func(string) (string, bool)) error {
	var wrong error
	flags.VisitAll(func(f *pflag.Flag) {
		name := "OHMROUTE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, set := env(name)
		if f.Changed || !set || value == "" || f.Name == "help" {
			return
		}
		if err := flags.Set(f.Name, value); err != nil && wrong == nil {
			wrong = fmt.Errorf("%s: %q is no value for it: %w", name, value, err)
		}
	})
	return wrong
}

// word is a flag that takes one of a few words.
type word struct {
	value string
	words []string
}

func (w *word) String() string { return w.value }

func (w *word) Type() string { return strings.Join(w.words, "|") }

// Set refuses other words.
func (w *word) Set(value string) error {
	if slices.Contains(w.words, value) {
		w.value = value
		return nil
	}
	return fmt.Errorf("must be one of %s", strings.Join(w.words, ", "))
}
