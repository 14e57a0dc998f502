package config_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/providers"
)

const comingFrom = "../docs/coming-from.md"

func TestEveryFileInTheDocumentationCanBeUsed(t *testing.T) {
	for page, files := range map[string]int{comingFrom: 3, "../docs/configuration.md": 1} {
		blocks := yamlBlocks(t, page)
		if len(blocks) < files {
			t.Errorf("%s has %d files, not %d", page, len(blocks), files)
		}
		for i, text := range blocks {
			for _, p := range parse(text) {
				t.Errorf("%s, file %d: %s", page, i+1, p)
			}
		}
	}
}

// vocabulary is what users of the other systems look for.
const vocabulary = `failureThreshold resetTimeout halfOpenRequests kindThresholds cooldownByKind maxBackoffMultiplier immediateOpen
	canExecute execute getCircuitBreaker resetAllCircuitBreakers evictColdBreakersIfNeeded saveCircuitBreakerState
	loadCircuitBreakerState CircuitBreakerOpenError getRetryAfterMs _effectiveResetTimeout _refreshOpenState
	enabled failure_threshold open_secs max_retries base_ms max_backoff_ms base_secs max_secs /api/v1/breaker-state --check
	error_threshold volume_threshold window_duration tripped_duration num_buckets enforce`

func TestEveryNameOfTheOtherSystemsIsExplained(t *testing.T) {
	var theirs strings.Builder
	for _, row := range tables(t, comingFrom) {
		theirs.WriteString(row["theirs"] + " " + row["what differs, and why"] + " ")
	}
	for name := range strings.FieldsSeq(vocabulary) {
		if !regexp.MustCompile(`[^\w-]` + regexp.QuoteMeta(name) + `\b`).MatchString(theirs.String()) {
			t.Errorf("%s stands in no table", name)
		}
	}
}

func TestEverythingOfOursThatTheTablesNameExists(t *testing.T) {
	checks := map[string]func(string) bool{
		"setting": isSetting, "library": isLibrary, "breaker": isBreaker, "member": isMember(t), "call": isCall(t), "command": isCommand(t),
	}
	found := map[string]int{}
	for _, row := range tables(t, comingFrom) {
		for _, name := range quoted(row["ours"]) {
			known := false
			for sort, is := range checks {
				if is(name) {
					known = true
					found[sort]++
				}
			}
			if !known {
				t.Errorf("the column ours names %s, which is nothing in this version", name)
			}
		}
	}
	for sort := range checks {
		if found[sort] == 0 {
			t.Errorf("no %s was found in the tables", sort)
		}
	}
}

func TestASettingThatDoesNotExistIsNoSetting(t *testing.T) {
	for _, name := range []string{
		"breaker.num_buckets", "breaker.kinds.<kind>.treshold", "breaker.kinds.outage.threshold", "targets.only_on", "max_retries: 2",
		"breaker.measure: median", "breaker.window: 3m", "breaker.reset_timeout: 30", "retry.base: 0s", "targets[].only_on: [anything]",
		"breaker.kinds.client_error.counts: true", "when_exhausted.do: retry",
	} {
		if isSetting(name) {
			t.Errorf("%s passes for a setting", name)
		}
	}
}

// isSetting tells whether a file takes a path and, if it is there, a value, in one of the places where the page says
// that settings stand. `<kind>` is every failure kind.
func isSetting(name string) bool {
	path, value, given := strings.Cut(name, ": ")
	if !regexp.MustCompile(`^[a-z_]+(\[\])?(\.([a-z_]+(\[\])?|<kind>))*$`).MatchString(path) {
		return false
	}
	if strings.Contains(path, "<kind>") {
		return !slices.ContainsFunc(providers.Kinds(), func(k providers.Kind) bool {
			return mayLack(k, path) && !isSetting(strings.Replace(name, "<kind>", string(k), 1))
		})
	}
	return slices.ContainsFunc([]string{"", "defaults.", "providers[].", "combos[]."}, func(place string) bool {
		text, at := document(place+path, cmp.Or(value, "null"))
		return !slices.ContainsFunc(parse(text), func(p config.Problem) bool { return refuses(p, at, given) })
	})
}

// mayLack is every kind, but for scope those that somebody can be charged for.
func mayLack(k providers.Kind, path string) bool {
	rule, _ := providers.RuleOf(k)
	return !strings.HasSuffix(path, ".scope") || rule.Charged != providers.ChargeNone
}

// document is a file in flow style with one value at a path, and the path as a problem has it.
func document(path, value string) (text, at string) {
	names := strings.Split(path, ".")
	for _, name := range slices.Backward(names) {
		bare, isList := strings.CutSuffix(name, "[]")
		if isList {
			value = "[" + value + "]"
		}
		value = `{"` + bare + `": ` + value + "}"
	}
	return value, strings.ReplaceAll(path, "[]", "[0]")
}

// refuses tells whether a problem says that there is no such path, or that it can't have its value.
func refuses(p config.Problem, at string, given bool) bool {
	rest, above := strings.CutPrefix(at, p.Path)
	if above && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		for _, missing := range []string{"unknown member", "there is no failure kind", "must be a list", "must be an object"} {
			if strings.HasPrefix(p.Message, missing) {
				return true
			}
		}
	}
	return given && !p.Warning && strings.HasPrefix(p.Path, at)
}

// isLibrary tells whether `circuitbreaker.Type` or `circuitbreaker.Type.Member` is exported.
func isLibrary(name string) bool {
	parts := strings.Split(name, ".")
	if parts[0] != "circuitbreaker" {
		return false
	}
	for _, t := range []reflect.Type{
		reflect.TypeFor[*circuitbreaker.Breaker](), reflect.TypeFor[*circuitbreaker.Registry](), reflect.TypeFor[*circuitbreaker.Permit](),
		reflect.TypeFor[*circuitbreaker.Permits](), reflect.TypeFor[*circuitbreaker.OpenError](), reflect.TypeFor[circuitbreaker.Store](),
	} {
		if strings.HasSuffix(t.String(), "circuitbreaker."+parts[1]) {
			_, isMethod := t.MethodByName(parts[len(parts)-1])
			return len(parts) == 2 || isMethod
		}
	}
	return false
}

func isBreaker(name string) bool {
	return slices.Contains([]string{
		circuitbreaker.ProviderName("<id>"), circuitbreaker.KeyName("<id>", "<key name>"), circuitbreaker.TargetName("<id>", "<model>"),
	}, name)
}

// isMember tells whether a word is a state, a member of a breaker in the HTTP API, or one of an attempt.
func isMember(t *testing.T) func(string) bool {
	t.Helper()
	words := []string{"skip_reason"}
	for state := circuitbreaker.Closed; state <= circuitbreaker.Isolated; state++ {
		words = append(words, state.String())
	}
	b, err := json.Marshal(circuitbreaker.Status{})
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(b, &members); err != nil {
		t.Fatal(err)
	}
	return func(name string) bool {
		_, shown := members[name]
		return shown || slices.Contains(words, name)
	}
}

// isCall tells whether the server's route table has a method and a path.
func isCall(t *testing.T) func(string) bool {
	t.Helper()
	routes := map[string]bool{}
	for _, m := range regexp.MustCompile(`\{http\.Method(\w+), "([^"]+)"`).FindAllStringSubmatch(sources(t, "../server"), -1) {
		routes[strings.ToUpper(m[1])+" "+regexp.MustCompile(`:(\w+)`).ReplaceAllString(m[2], "{$1}")] = true
	}
	return func(name string) bool { return routes[name] }
}

// isCommand tells whether the program has a command and its flags.
func isCommand(t *testing.T) func(string) bool {
	t.Helper()
	program := sources(t, "../cmd/ohmroute")
	return func(name string) bool {
		words := strings.Fields(name)
		if len(words) < 2 || words[0] != "ohmroute" || !regexp.MustCompile(`Use: +"`+words[1]+`"`).MatchString(program) {
			return false
		}
		return !slices.ContainsFunc(words[2:], func(w string) bool {
			flag, isFlag := strings.CutPrefix(w, "--")
			return isFlag && !strings.Contains(program, `"`+flag+`"`)
		})
	}
}

func parse(text string) []config.Problem {
	_, problems := config.ParseFile([]byte(text), func(string) (string, bool) { return "set", true })
	return problems
}

func yamlBlocks(t *testing.T, page string) (blocks []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(read(t, page), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// tables are the rows of a page's tables that have a column ours, by the names of their columns.
func tables(t *testing.T, page string) (rows []map[string]string) {
	t.Helper()
	var columns []string
	for line := range strings.Lines(read(t, page)) {
		cells, isRow := strings.CutPrefix(strings.TrimSpace(line), "| ")
		switch split := strings.Split(strings.TrimSuffix(cells, " |"), " | "); {
		case !isRow && !strings.HasPrefix(line, "|"):
			columns = nil
		case !isRow:
		case columns == nil:
			columns = split
		case slices.Contains(columns, "ours"):
			if len(split) != len(columns) {
				t.Fatalf("%s has a row of %d cells: %s", page, len(split), line)
			}
			row := map[string]string{}
			for i, name := range columns {
				row[name] = split[i]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func quoted(cell string) (names []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		names = append(names, m[1])
	}
	return names
}

// sources is the text of a package without its tests.
func sources(t *testing.T, dir string) string {
	t.Helper()
	files, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			all.WriteString(read(t, filepath.Join(dir, name)))
		}
	}
	return all.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
