package server

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ohmroute/ohmroute/combo"
)

// shown is /metrics of a gateway on which everything happened once: the labels of each sample's name, with their
// values.
type shown map[string]map[string][]string

var (
	sampleLine = regexp.MustCompile(`(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? [^ ]+$`)
	labelPair  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"`)
)

func everyMetric(t *testing.T) (*stack, shown) {
	t.Helper()
	s := newStack(t)
	s.one.Script("", "error 500 - it broke")
	s.two.Script("", "chat Hello there")
	s.chat(plainBody)
	s.must(http.MethodPost, "/api/v1/breakers/target%3Atwo%2Fm/isolate", `{"by":"me"}`)
	s.server.noteDropped(http.Header{}, &combo.Answer{Target: "two/m", Dropped: []string{"seed"}, DroppedCount: 1})
	page := scrape(s.gateway)
	all := shown{}
	for _, sample := range sampleLine.FindAllStringSubmatch(page, -1) {
		if all[sample[1]] == nil {
			all[sample[1]] = map[string][]string{}
		}
		for _, label := range labelPair.FindAllStringSubmatch(sample[2], -1) {
			all[sample[1]][label[1]] = append(all[sample[1]][label[1]], label[2])
		}
	}
	return s, all
}

// family is the metric that a sample belongs to.
func family(sample string) string {
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		if name, ok := strings.CutSuffix(sample, part); ok && !strings.HasSuffix(name, "_transitions") {
			return name
		}
	}
	return sample
}

var description = regexp.MustCompile(`fqName: "([^"]+)", help: "([^"]+)".*variableLabels: \{([^}]*)\}`)

// metricRows are the rows of docs/metrics.md.
func metricRows(t *testing.T, s *stack, all shown) string {
	t.Helper()
	types := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(scrape(s.gateway), -1) {
		types[line[1]] = line[2]
	}
	descriptions := make(chan *prometheus.Desc, 200)
	s.server.metrics.registry.Describe(descriptions)
	close(descriptions)
	rows := map[string]string{}
	for d := range descriptions {
		found := description.FindStringSubmatch(d.String())
		if found == nil {
			t.Fatalf("no description: %s", d)
		}
		name, help, labels := found[1], found[2], strings.FieldsFunc(found[3], func(r rune) bool { return r == ',' || r == ' ' })
		if !strings.HasPrefix(name, "ohmroute_") {
			continue
		}
		if types[name] == "" {
			t.Errorf("%s is registered, and not on the page", name)
		}
		for i := range labels {
			labels[i] = "`" + labels[i] + "`"
		}
		rows[name] = fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, types[name], cmp.Or(strings.Join(labels, ", "), "none"), help)
	}
	for sample := range all {
		if name := family(sample); strings.HasPrefix(name, "ohmroute_") && rows[name] == "" {
			t.Errorf("%s is on the page, and not registered", sample)
		}
	}
	var text strings.Builder
	text.WriteString("| metric | type | labels | says |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		text.WriteString(rows[name])
	}
	return text.String()
}

func TestTheDocumentationListsEveryMetric(t *testing.T) {
	s, all := everyMetric(t)
	rows := metricRows(t, s, all)
	path := filepath.Join("..", "docs", "metrics.md")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begins, ends = "<!-- metrics: as go test ./server -run EveryMetric wants them -->\n", "<!-- end of metrics -->\n"
	_, rest, begun := strings.Cut(string(was), begins)
	listed, _, ended := strings.Cut(rest, ends)
	if !begun || !ended || strings.TrimSpace(listed) != strings.TrimSpace(rows) {
		t.Errorf("between the markers of %s there should be\n%s", path, rows)
	}
}
