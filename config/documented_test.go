package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented are the schemas of OpenAPI whose members and words docs/configuration.md tells.
var documented = []string{
	"ProviderInput", "ProviderKind", "ProviderKey", "ProviderScope", "Dialect", "Model", "Price", "Timeouts",
	"ComboInput", "Strategy", "Target", "Retry", "ComboTimeouts", "Hold", "WhenExhausted",
	"BreakerSettings", "Measure", "KindSettings", "Charge", "Failover", "FailureKind",
}

func TestEverySettingIsDocumented(t *testing.T) {
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var api struct {
		Components struct {
			Schemas map[string]struct {
				Enum       []string
				Properties map[string]struct{ ReadOnly bool }
			}
		}
	}
	if err := json.Unmarshal(read("../server/openapi.json"), &api); err != nil {
		t.Fatal(err)
	}
	page := string(read("../docs/configuration.md"))
	computed := []string{"managed_by", "version"}
	for _, name := range documented {
		schema := api.Components.Schemas[name]
		words := slices.Concat(schema.Enum, slices.Sorted(maps.Keys(schema.Properties)))
		if len(words) == 0 {
			t.Errorf("there is no schema %s with anything in it", name)
		}
		for _, word := range words {
			if strings.HasSuffix(word, "_ms") || schema.Properties[word].ReadOnly || slices.Contains(computed, word) {
				continue
			}
			if !regexp.MustCompile("[`\"]" + regexp.QuoteMeta(word) + "[`\"]").MatchString(page) {
				t.Errorf("%s of %s stands nowhere", word, name)
			}
		}
	}
}
