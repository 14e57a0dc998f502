package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ohmroute/ohmroute/"

// allowed is the import table: what each package may import of this module. It is a one-way street;
// a new arrow is a decision and belongs in docs/architecture.md first.
var allowed = map[string][]string{
	"migrations":               {},
	"circuitbreaker":           {},
	"sse":                      {},
	"providers":                {"circuitbreaker", "providers/translate", "sse"},
	"combo":                    {"circuitbreaker", "providers"},
	"db":                       {"circuitbreaker", "migrations"},
	"config":                   {"circuitbreaker", "combo", "providers"},
	"web":                      {},
	"server":                   {"circuitbreaker", "combo", "config", "providers", "server/tracing", "sse", "web"},
	"config/litellm":           {"config", "providers"},
	"server/tracing":           {"combo", "providers"},
	"cmd/ohmroute":             {"circuitbreaker", "combo", "config", "config/litellm", "db", "providers", "server", "server/adminclient", "server/tracing", "simulate"},
	"simulate":                 {"circuitbreaker", "combo", "config", "providers"},
	"server/adminclient":       {"circuitbreaker"},
	"config/configtest":        {},
	"circuitbreaker/storetest": {"circuitbreaker"},
	"providers/translate":      {"sse"},
	"providers/providertest":   {"circuitbreaker", "providers", "sse"},
}

// confined names the packages that only some folders may import: HTTP and SQL each stay behind their doors.
var confined = map[string][]string{
	"net/http":                                       {"providers", "providers/providertest", "sse", "server", "server/adminclient", "server/tracing", "e2e", "e2e/process"},
	"database/sql":                                   {"db"},
	"github.com/jmoiron/sqlx":                        {"db"},
	"modernc.org/sqlite":                             {"db"},
	"github.com/pressly/goose/v3":                    {"db"},
	"github.com/labstack/echo/v4":                    {"server"},
	"github.com/tmaxmax/go-sse":                      {"providers", "sse", "server/adminclient"},
	"github.com/spf13/cobra":                         {"cmd/ohmroute"},
	"github.com/prometheus/client_golang/prometheus": {"server"},
	"go.opentelemetry.io/otel/sdk/trace":             {"server/tracing"},
}

type listed struct {
	ImportPath string   `json:"ImportPath"`
	Imports    []string `json:"Imports"`
}

func TestImportsAreAOneWayStreet(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		may, known := allowed[name]
		if !known && name != "e2e" && !strings.HasPrefix(name, "e2e/") {
			t.Errorf("package %s is not in the import table", name)
			continue
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, module)
			if isOurs && known && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s: not in the import table, which allows it %v", name, ours, may)
			}
			if homes, isConfined := confined[imported]; isConfined && !slices.Contains(homes, name) {
				t.Errorf("%s imports %s: only %v may", name, imported, homes)
			}
		}
	}
}

func TestTheImportTableNamesOnlyPackagesThatExist(t *testing.T) {
	exists := make(map[string]bool)
	for _, p := range listPackages(t) {
		exists[strings.TrimPrefix(p.ImportPath, module)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if !exists[name] {
			t.Errorf("the import table names %s, which does not exist", name)
		}
	}
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("go list's answer: %v", err)
		}
		all = append(all, p)
	}
}
