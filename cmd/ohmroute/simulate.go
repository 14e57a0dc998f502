package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ohmroute/ohmroute/simulate"
)

// simulation is what the flags of simulate say.
type simulation struct {
	script, config, combo, html, replay string

	seed   uint64
	output word
	remote remote // where a log is replayed from
}

func simulateCommand(w world) *cobra.Command {
	s := &simulation{output: word{value: "text", words: []string{"text", "json"}}}
	cmd := &cobra.Command{
		Use:   "simulate --script FILE",
		Short: "Play faults against a combo in virtual time, and tell what clients would have seen",
		Long: `simulate plays a script of faults and arrivals against a combo and its breakers, and tells what clients would
have seen. Hours pass in a moment; no server and no network are needed, and the same seed gives the same result.

The script says which targets fail when and how, how many requests come, and which settings are to be compared.
Providers and combos stand in it as in the configuration file, or are those of --config. --replay takes the requests
of a running gateway's log instead, and what its targets did.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd, w) },
	}
	f := cmd.Flags()
	f.StringVar(&s.script, "script", "", "script `file` (YAML)")
	f.StringVar(&s.config, "config", "", "configuration `file` (YAML) that has the providers and combos")
	f.StringVar(&s.combo, "combo", "", "`name` that clients give as model; needed if there are several combos")
	f.Uint64Var(&s.seed, "seed", 0, "`number` that everything random is drawn from; the script's by default")
	f.Var(&s.output, "output", "how to print")
	f.StringVar(&s.html, "html", "", "also write a page with a timeline to this `file`")
	f.StringVar(&s.replay, "replay", "", "`URL` of a gateway whose request log is replayed, or a file with answers of GET /api/v1/requests")
	f.StringVar(&s.remote.dataDir, "data-dir", defaultDataDir, "`directory` whose admin.token is used for --replay URL, unless OHMROUTE_ADMIN_TOKEN is set")
	return cmd
}

func (s *simulation) run(cmd *cobra.Command, w world) error {
	if s.script == "" && s.replay == "" {
		return errors.New("there is nothing to simulate: name a --script FILE, or a log to --replay")
	}
	in := simulate.Input{Combo: s.combo, Env: w.env}
	var err error
	if in.Script, err = readIfNamed(s.script, "script"); err != nil {
		return err
	}
	if in.Config, err = readIfNamed(s.config, "configuration file"); err != nil {
		return err
	}
	if cmd.Flags().Changed("seed") {
		in.Seed = &s.seed
	}
	if in.Log, err = s.log(cmd.Context(), w); err != nil {
		return err
	}
	plan, problems := simulate.Prepare(in)
	for _, p := range problems {
		fmt.Fprintf(w.out, "error: %s\n", p)
	}
	if plan == nil {
		return fmt.Errorf("the simulation has %s", plural(len(problems), "problem"))
	}
	result, err := plan.Run()
	if err != nil {
		return err
	}
	return s.show(w.out, result)
}

func readIfNamed(path, what string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the %s can't be read: %w", what, err)
	}
	if text == nil {
		text = []byte{} // there is one, and nothing is in it
	}
	return text, nil
}

func (s *simulation) show(out io.Writer, r *simulate.Result) error {
	if s.html != "" {
		var page bytes.Buffer
		if err := r.HTML(&page); err != nil {
			return err
		}
		if err := os.WriteFile(s.html, page.Bytes(), 0o644); err != nil { //nolint:gosec // a page is to be looked at
			return fmt.Errorf("the page can't be written: %w", err)
		}
	}
	if s.output.value == "text" {
		return r.Text(out)
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// log reads what is to be replayed; nil: nothing is.
func (s *simulation) log(ctx context.Context, w world) (*simulate.Log, error) {
	if s.replay == "" {
		return nil, nil
	}
	if !strings.Contains(s.replay, "://") {
		text, err := readIfNamed(s.replay, "request log")
		if err != nil {
			return nil, err
		}
		return simulate.ReadLog(bytes.NewReader(text))
	}
	s.remote.server = s.replay
	client, err := s.remote.client(w)
	if err != nil {
		return nil, err
	}
	var pages bytes.Buffer
	for before := ""; ; {
		page, err := client.Requests(ctx, before)
		if err != nil {
			return nil, err
		}
		pages.Write(page.Raw)
		pages.WriteByte('\n')
		if before = page.Next; before == "" {
			return simulate.ReadLog(&pages)
		}
	}
}
