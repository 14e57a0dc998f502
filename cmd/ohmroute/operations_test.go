package main

import (
	"regexp"
	"strings"
	"testing"
)

var (
	codeBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	ourCall   = regexp.MustCompile(`(?m)(?:^|&& |[A-Z_]+=\S+ )ohmroute ([^&|>#\n]*)`)
)

func TestTheManualsCallOnlyCommandsThatThereAre(t *testing.T) {
	for _, manual := range []string{"operations.md", "metrics.md", "import-litellm.md"} {
		calls := 0
		for _, block := range codeBlock.FindAllStringSubmatch(repository(t, "docs", manual), -1) {
			for _, call := range ourCall.FindAllStringSubmatch(block[1], -1) {
				calls++
				args := strings.Fields(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(call[1], "text"))
				root := rootCommand(world{env: func(string) (string, bool) { return "", false }})
				cmd, rest, err := root.Find(args)
				if err != nil || cmd == root {
					t.Errorf("%s: ohmroute %s: %v", manual, call[1], err)
					continue
				}
				if err := cmd.ParseFlags(rest); err != nil {
					t.Errorf("%s: ohmroute %s: %v", manual, call[1], err)
				} else if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
					t.Errorf("%s: ohmroute %s: %v", manual, call[1], err)
				}
			}
		}
		if calls == 0 {
			t.Errorf("%s has no calls", manual)
		}
	}
}
