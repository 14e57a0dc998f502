package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ohmroute/ohmroute/config/litellm"
)

// importCommand is the parent of what can be imported.
func importCommand(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Make a configuration file of another gateway's",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(importLiteLLMCommand(w))
	return cmd
}

func importLiteLLMCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use:   "litellm FILE",
		Short: "Make a configuration file of that of a LiteLLM proxy",
		Long: `litellm reads the config.yaml of a LiteLLM proxy and prints a configuration file of ohmroute's. What could not be
carried over is named on the standard error stream, and in comments at the top of the result.

  ohmroute import litellm config.yaml > ohmroute.yaml
  ohmroute check --config ohmroute.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("the configuration file can't be read: %w", err)
			}
			file, notes, err := litellm.Convert(text)
			for _, n := range notes {
				fmt.Fprintf(w.err, "%s\n", n)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			_, err = w.out.Write(file)
			return err
		},
	}
}
