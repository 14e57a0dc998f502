package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/server/adminclient"
)

// remote is a running gateway, as the flags name it.
type remote struct {
	server, dataDir string
	output          word
}

func (r *remote) flags(cmd *cobra.Command) {
	r.output = word{value: "table", words: []string{"table", "json"}}
	f := cmd.PersistentFlags()
	f.StringVar(&r.server, "server", "http://"+defaultListen, "`address` of the gateway's admin side")
	f.StringVar(&r.dataDir, "data-dir", defaultDataDir, "`directory` whose admin.token is used, unless OHMROUTE_ADMIN_TOKEN is set")
	f.Var(&r.output, "output", "how to print")
}

// client finds the token: in the environment, else in the data directory.
func (r *remote) client(w world) (*adminclient.Client, error) {
	token, _ := w.env(config.AdminTokenEnv)
	if token == "" {
		path := filepath.Join(r.dataDir, config.TokenFile)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("there is no admin token: set %s, or name the gateway's --data-dir (%w)", config.AdminTokenEnv, err)
		}
		token = strings.TrimSpace(string(text))
	}
	return adminclient.New(r.server, token)
}

// asked makes a command's run of what is asked of the gateway.
func (r *remote) asked(w world, ask func(context.Context, *adminclient.Client, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, names []string) error {
		c, err := r.client(w)
		if err != nil {
			return err
		}
		return ask(cmd.Context(), c, names)
	}
}

// breakersCommand is a listing by itself, and the parent of what can be done to breakers.
func breakersCommand(w world) *cobra.Command {
	r := &remote{}
	l := &listing{remote: r}
	cmd := &cobra.Command{
		Use:   "breakers",
		Short: "Look at the breakers of a running gateway, and operate them",
		Long: `breakers talks to a running gateway with the admin token. Without more it lists them.

  ohmroute breakers list --state open
  ohmroute breakers target:openai/gpt-4o           this one
  ohmroute breakers watch
  ohmroute breakers isolate target:openai/gpt-4o --reason maintenance
  ohmroute breakers release target:openai/gpt-4o
  ohmroute breakers reset                          all of them, isolated ones left`,
		Args:              breakerNames,
		ValidArgsFunction: r.names(w),
		RunE:              r.asked(w, l.run(w)),
	}
	r.flags(cmd)
	l.flags(cmd)
	cmd.AddCommand(listCommand(w, r), watchCommand(w, r), resetCommand(w, r), isolateCommand(w, r), releaseCommand(w, r))
	return cmd
}

// breakerNames tells the names of breakers, which all have a scope, from mistyped commands.
func breakerNames(cmd *cobra.Command, args []string) error {
	for _, arg := range args {
		if !strings.Contains(arg, ":") {
			return fmt.Errorf("unknown command %q for %q, and no breaker either: those are provider:, key: or target: and a name", arg, cmd.CommandPath())
		}
	}
	return nil
}

func listCommand(w world, r *remote) *cobra.Command {
	l := &listing{remote: r}
	cmd := &cobra.Command{
		Use:               "list [NAME...]",
		Short:             "List the breakers, or those of these names",
		ValidArgsFunction: r.names(w),
		RunE:              r.asked(w, l.run(w)),
	}
	l.flags(cmd)
	return cmd
}

// listing is what the flags leave of a list.
type listing struct {
	*remote
	state, scope string // empty: any
}

func (l *listing) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.state, "state", "", "only those in this `state`: closed, degraded, open, half_open, isolated")
	cmd.Flags().StringVar(&l.scope, "scope", "", "only those of this `scope`: provider, key, target")
}

func (l *listing) run(w world) func(context.Context, *adminclient.Client, []string) error {
	return func(ctx context.Context, c *adminclient.Client, names []string) error {
		all, err := c.Breakers(ctx, l.state, l.scope)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			done, errs := each(ctx, names, c.Breaker)
			done = slices.DeleteFunc(done, func(b *adminclient.Breaker) bool { return !contains(all.Breakers, b.Name) })
			return errors.Join(append(errs, l.print(w, done))...)
		}
		if l.output.value == "json" {
			return printJSON(w, all.Raw)
		}
		printBreakers(w, all.Breakers)
		if all.Persistence.Status != "ok" {
			fmt.Fprintf(w.err, "ohmroute: the gateway's database does not take what changes (persistence is %s)\n", all.Persistence.Status)
		}
		return nil
	}
}

func contains(all []circuitbreaker.Status, name string) bool {
	return slices.ContainsFunc(all, func(b circuitbreaker.Status) bool { return b.Name == name })
}

func resetCommand(w world, r *remote) *cobra.Command {
	var isolated bool
	cmd := &cobra.Command{
		Use:               "reset [NAME...]",
		Short:             "Close breakers and forget what they counted; without a name all of them",
		ValidArgsFunction: r.names(w),
		RunE: r.asked(w, func(ctx context.Context, c *adminclient.Client, names []string) error {
			if len(names) > 0 {
				return r.eachOf(ctx, w, names, c.Reset)
			}
			done, err := c.ResetAll(ctx, isolated)
			if err != nil {
				return err
			}
			if r.output.value == "json" {
				return printJSON(w, done.Raw)
			}
			_, err = fmt.Fprintf(w.out, "%s reset\n", plural(len(done.Reset), "breaker"))
			if len(done.Isolated) > 0 && err == nil {
				_, err = fmt.Fprintf(w.out, "still isolated: %s\n", strings.Join(done.Isolated, ", "))
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&isolated, "include-isolated", false, "without a name: reset the isolated ones too")
	return cmd
}

func isolateCommand(w world, r *remote) *cobra.Command {
	var by, reason string
	cmd := &cobra.Command{
		Use:               "isolate NAME...",
		Short:             "Take what breakers guard out, until they are released",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: r.names(w),
		RunE: r.asked(w, func(ctx context.Context, c *adminclient.Client, names []string) error {
			if by == "" {
				by, _ = w.env("USER")
			}
			return r.eachOf(ctx, w, names, func(ctx context.Context, name string) (*adminclient.Breaker, error) {
				return c.Isolate(ctx, name, by, reason)
			})
		}),
	}
	cmd.Flags().StringVar(&by, "by", "", "`who` does it, as others are shown; by default the user of this machine")
	cmd.Flags().StringVar(&reason, "reason", "", "`why`, as others are shown")
	return cmd
}

func releaseCommand(w world, r *remote) *cobra.Command {
	return &cobra.Command{
		Use:               "release NAME...",
		Short:             "End isolations: the breakers are probed",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: r.names(w),
		RunE: r.asked(w, func(ctx context.Context, c *adminclient.Client, names []string) error {
			return r.eachOf(ctx, w, names, c.Release)
		}),
	}
}

// eachOf does something to one name after the other, prints what has become of each, and tells of all that failed.
func (r *remote) eachOf(ctx context.Context, w world, names []string, do func(context.Context, string) (*adminclient.Breaker, error)) error {
	done, errs := each(ctx, names, do)
	return errors.Join(append(errs, r.print(w, done))...)
}

func each(ctx context.Context, names []string, do func(context.Context, string) (*adminclient.Breaker, error)) (done []*adminclient.Breaker, errs []error) {
	for _, name := range names {
		b, err := do(ctx, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		done = append(done, b)
	}
	return done, errs
}

func (r *remote) print(w world, done []*adminclient.Breaker) error {
	if r.output.value == "json" {
		all := make([]json.RawMessage, len(done))
		for i, b := range done {
			all[i] = b.Raw
		}
		text, err := json.Marshal(map[string]any{"breakers": all})
		if err != nil {
			return err
		}
		return printJSON(w, text)
	}
	printBreakers(w, statuses(done))
	return nil
}

// names completes the names of breakers, if the gateway is there to be asked.
func (r *remote) names(w world) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
		if fromEnvironment(cmd.Flags(), w.env) != nil { // completion runs no command, and nothing before it
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, err := r.client(w)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, err := c.Breakers(cmd.Context(), "", "")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for i := range all.Breakers {
			if name := all.Breakers[i].Name; strings.HasPrefix(name, begun) && !slices.Contains(given, name) {
				names = append(names, name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// untilInterrupted is a context that ends with an interrupt.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
