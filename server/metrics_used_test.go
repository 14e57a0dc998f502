package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// word finds what matters in a PromQL expression: texts, durations and numbers, which are passed over, names, and
// what tells names apart.
var word = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9][0-9a-zA-Z.]*|[a-zA-Z_:][a-zA-Z0-9_:]*|[{}()=!~,\[\]]`)

var (
	grouping = []string{"by", "without", "on", "ignoring", "group_left", "group_right"}
	joining  = []string{"and", "or", "unless", "bool", "offset"}
	known    = []string{"absent", "changes", "clamp_min", "histogram_quantile", "increase", "max", "min", "rate", "sum", "vector"}
)

// usage is what an expression takes from /metrics.
type usage struct {
	metrics, labels []string
	wrong           []string
}

// used reads an expression and compares it with what is shown.
func (all shown) used(expr string) (u usage) {
	tokens := word.FindAllString(expr, -1)
	next := func(i int) string {
		if i < len(tokens) {
			return tokens[i]
		}
		return ""
	}
	for i := 0; i < len(tokens); i++ {
		name := tokens[i]
		switch {
		case !regexp.MustCompile(`^[a-zA-Z_:]`).MatchString(name) || slices.Contains(joining, name):
		case slices.Contains(grouping, name):
			for i += 2; i < len(tokens) && tokens[i] != ")"; i++ {
				if tokens[i] != "," {
					u.labels = append(u.labels, tokens[i])
				}
			}
		case next(i+1) == "(" || slices.Contains(grouping, next(i+1)):
			if !slices.Contains(known, name) {
				u.wrong = append(u.wrong, "function "+name)
			}
		default:
			u.metrics = append(u.metrics, name)
			if all[name] == nil {
				u.wrong = append(u.wrong, "metric "+name)
			}
			if next(i+1) == "{" {
				i = all.selected(name, tokens, i+2, &u)
			}
		}
	}
	for _, label := range u.labels {
		if !slices.ContainsFunc(u.metrics, func(m string) bool { return all[m][label] != nil }) {
			u.wrong = append(u.wrong, "label "+label)
		}
	}
	return u
}

// selected reads a metric's matchers up to the closing brace and gives its place.
func (all shown) selected(metric string, tokens []string, i int, u *usage) int {
	for ; i < len(tokens) && tokens[i] != "}"; i++ {
		if strings.ContainsAny(tokens[i], `=!~,"`) {
			continue
		}
		label := tokens[i]
		if all[metric][label] == nil {
			u.wrong = append(u.wrong, "label "+label+" of "+metric)
		}
		for i++; i < len(tokens) && !strings.HasPrefix(tokens[i], `"`); i++ {
		}
		if i == len(tokens) {
			break
		}
		for value := range strings.SplitSeq(strings.Trim(tokens[i], `"`), "|") {
			if words, bounded := labelWords()[label]; bounded && !slices.Contains(words, value) {
				u.wrong = append(u.wrong, "value "+value+" of "+label)
			}
		}
	}
	return i
}

// labelWords are the values of labels that have only so many.
func labelWords() map[string][]string {
	kinds := []string{kindOK}
	for _, k := range providers.Kinds() {
		kinds = append(kinds, string(k))
	}
	var states []string
	for s := circuitbreaker.Closed; s <= circuitbreaker.Isolated; s++ {
		states = append(states, s.String())
	}
	return map[string][]string{
		"kind": kinds, "state": states,
		"outcome": {
			combo.OutcomeOK, combo.OutcomeFailed, combo.OutcomeTruncated, combo.OutcomeUnavailable, combo.OutcomeCanceled, combo.OutcomeRejected,
		},
	}
}

func TestTheReaderOfExpressionsFindsMistakes(t *testing.T) {
	all := shown{"up_total": {"state": {"OPEN"}, "name": {"x"}}, "down": {}}
	for expr, want := range map[string]string{
		`sum by (name) (rate(up_total{state="OPEN"}[5m])) > 0.5`: "[]",
		`sum(rate(upp_total[5m]))`:                               "[metric upp_total]",
		`up_total{stat="OPEN"}`:                                  "[label stat of up_total]",
		`up_total{state=~"OPEN|AJAR"}`:                           "[value AJAR of state]",
		`sum by (nme) (up_total)`:                                "[label nme]",
		`sum by (name) (down)`:                                   "[label name]",
		`avg_over_tim(down[5m])`:                                 "[function avg_over_tim]",
		`down and on (name) up_total offset 5m`:                  "[]",
		`down unless on (host) up_total`:                         "[label host]",
	} {
		if got := fmt.Sprint(all.used(expr).wrong); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}

var labelInText = regexp.MustCompile(`\$labels\.([a-z_]+)`)

func TestAlertsNameOnlyWhatIsShown(t *testing.T) {
	_, all := everyMetric(t)
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "deploy", "alerts.yaml"))
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &file, yaml.Strict())
	}
	if err != nil {
		t.Fatal(err)
	}
	manual, err := os.ReadFile(filepath.Join("..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			seen++
			u := all.used(r.Expr)
			if len(u.wrong) > 0 || len(u.metrics) == 0 {
				t.Errorf("%s: %v", r.Alert, u.wrong)
			}
			for _, found := range labelInText.FindAllStringSubmatch(r.Annotations["summary"], -1) {
				if !slices.Contains(u.labels, found[1]) {
					t.Errorf("%s: its text names label %s, which it doesn't keep", r.Alert, found[1])
				}
			}
			if !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]) || r.Annotations["summary"] == "" {
				t.Errorf("%s has no severity or text", r.Alert)
			}
			if !strings.Contains(string(manual), "### "+r.Alert+"\n") || !strings.HasSuffix(r.Annotations["runbook_url"], "docs/operations.md#"+strings.ToLower(r.Alert)) {
				t.Errorf("%s: there is no section in docs/operations.md, or no link to it", r.Alert)
			}
		}
	}
	if sections := strings.Count(string(manual), "\n### Ohmroute"); seen == 0 || sections != seen {
		t.Errorf("%d alerts, and %d sections", seen, sections)
	}
}

var (
	legend   = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)
	variable = regexp.MustCompile(`^label_values\(([a-z_]+), ([a-z_]+)\)$`)
)

func TestTheDashboardNamesOnlyWhatIsShown(t *testing.T) {
	_, all := everyMetric(t)
	var board struct {
		Panels []struct {
			Title, Description, Type string
			Targets                  []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
		Annotations struct {
			List []struct{ Expr, TitleFormat string }
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "deploy", "grafana", "ohmroute.json"))
	if err == nil {
		err = json.Unmarshal(text, &board)
	}
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	check := func(title, expr, text string) {
		u := all.used(strings.NewReplacer("$__rate_interval", "5m", "$", "").Replace(expr))
		if len(u.wrong) > 0 || len(u.metrics) == 0 {
			t.Errorf("%s: %v in %s", title, u.wrong, expr)
		}
		for _, m := range u.metrics {
			seen[family(m)] = true
		}
		for _, found := range legend.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(u.labels, found[1]) {
				t.Errorf("%s: its legend names label %s, which it doesn't keep", title, found[1])
			}
		}
	}
	for _, p := range board.Panels {
		if p.Type != "row" && (len(p.Targets) == 0 || p.Description == "") {
			t.Errorf("%s has nothing to show or says nothing of it", p.Title)
		}
		for _, target := range p.Targets {
			check(p.Title, target.Expr, target.LegendFormat)
		}
	}
	for _, a := range board.Annotations.List {
		check("an annotation", a.Expr, a.TitleFormat)
	}
	for _, v := range board.Templating.List {
		if v.Type != "query" {
			continue
		}
		if found := variable.FindStringSubmatch(v.Query); found == nil || all[found[1]][found[2]] == nil {
			t.Errorf("variable %s: %s", v.Name, v.Query)
		}
	}
	for sample := range all {
		if strings.HasPrefix(sample, "ohmroute_") && !seen[family(sample)] {
			t.Errorf("%s is not on the dashboard", sample)
		}
	}
}
