package translate

import "testing"

func TestNamesOfClaudeTellTheVersion(t *testing.T) {
	for name, want := range map[string]claude{
		"claude-3-haiku-20240307":                    {"haiku", 300},
		"claude-3-7-sonnet-20250219":                 {"sonnet", 307},
		"claude-sonnet-4-20250514":                   {"sonnet", 400},
		"claude-opus-4-1":                            {"opus", 401},
		"claude-haiku-4-5-20251001":                  {"haiku", 405},
		"claude-sonnet-4-5@20250929":                 {"sonnet", 405},
		"anthropic/claude-sonnet-4.6":                {"sonnet", 406},
		"us.anthropic.claude-opus-4-6-v1:0":          {"opus", 406},
		"eu.anthropic.claude-3-5-sonnet-20240620-v1": {"sonnet", 305},
		"claude-opus-4-7":                            {"opus", 407},
		"claude-sonnet-5":                            {"sonnet", 500},
		"claude-fable-5-1":                           {"fable", 501},
		"claude-mythos-preview":                      {"mythos", 0},
		"Claude-Opus-5":                              {"opus", 500},
		"kimi-k2.5":                                  {},
		"target-model":                               {},
	} {
		if got := claudeNamed(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestMembersThatOnlySomeVersionsTake(t *testing.T) {
	for name, want := range map[string][5]bool{ // thinksAdaptively, alwaysThinks, samples, samplesTwice, followsSchemas
		"kimi-k2.5":             {false, false, true, true, true},
		"claude-sonnet-4":       {false, false, true, true, false},
		"claude-haiku-4-5":      {false, false, true, false, true},
		"claude-sonnet-4-6":     {true, false, true, false, true},
		"claude-opus-4-8":       {true, false, false, false, true},
		"claude-sonnet-5":       {true, false, false, false, true},
		"claude-mythos-preview": {true, true, false, true, true},
	} {
		c := claudeNamed(name)
		if got := [5]bool{c.thinksAdaptively(), c.alwaysThinks(), c.samples(), c.samplesTwice(), c.followsSchemas()}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
