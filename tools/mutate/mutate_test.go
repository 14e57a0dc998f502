package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `package p

import "fmt"

func limit(a, b int) (int, error) {
	if a < 3 && b == 0 {
		a++
		return 0, nil
	}
	defer fmt.Println()
	return a + b, nil
}
`

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestEveryOperatorChangesOnePlace(t *testing.T) {
	folder := write(t, map[string]string{"p.go": sample, "p_test.go": sample})
	mutants, err := findMutants(folder, []string{"*.go", "p*.go"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range mutants {
		got = append(got, m.String())
		if source := string(m.source()); source == sample || !strings.HasPrefix(source, sample[:m.from]) || !strings.HasSuffix(source, sample[m.to:]) {
			t.Errorf("%s makes %s", m, source)
		}
	}
	want := []string{
		"p.go:10:2: drop statement: defer fmt.Println() -> nothing",
		"p.go:11:2: return zero: return a + b, nil -> return *new(int), *new(error)",
		"p.go:11:9: swap sign: a + b -> ((a) - (b))",
		"p.go:6:9: off by one: 3 -> 4",
		"p.go:6:19: off by one: 0 -> 1",
		"p.go:6:5: negate condition: a < 3 && b == 0 -> !(a < 3 && b == 0)",
		"p.go:6:5: swap comparison: a < 3 -> ((a) <= (3))",
		"p.go:6:5: swap comparison: a < 3 -> ((a) >= (3))",
		"p.go:6:5: swap connective: a < 3 && b == 0 -> ((a < 3) || (b == 0))",
		"p.go:6:14: swap comparison: b == 0 -> ((b) != (0))",
		"p.go:7:3: drop statement: a++ -> nothing",
		"p.go:8:10: off by one: 0 -> 1",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestShardsShareTheWorkAndASeedIsAnOrder(t *testing.T) {
	mutants, err := findMutants(write(t, map[string]string{"p.go": sample}), []string{"*.go"})
	if err != nil {
		t.Fatal(err)
	}
	if first, again := shuffled(mutants, 5), shuffled(mutants, 5); !slices.Equal(first, again) {
		t.Error("a seed gives two orders")
	}
	all := map[mutant]int{}
	for _, text := range []string{"1/3", "2/3", "3/3"} {
		var s shard
		if err := s.Set(text); err != nil {
			t.Fatal(err)
		}
		for _, m := range s.of(mutants) {
			all[m]++
		}
	}
	for _, m := range mutants {
		if all[m] != 1 {
			t.Errorf("%s is in %d shards", m, all[m])
		}
	}
	for _, text := range []string{"", "0/3", "4/3", "x", "1/x"} {
		if new(shard).Set(text) == nil {
			t.Errorf("%q is a shard", text)
		}
	}
}

// TestSurvivorsAreFoundAndVerdictsAreKept judges a small module of its own.
func TestSurvivorsAreFoundAndVerdictsAreKept(t *testing.T) {
	module := write(t, map[string]string{
		"go.mod":    "module example.com/p\n\ngo 1.26\n",
		"p.go":      "package p\n\nfunc Big(n int) bool {\n\treturn n > 10\n}\n\nfunc Loop(n int) int {\n\tfor n > 0 {\n\t\tn--\n\t}\n\treturn n\n}\n",
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestBig(t *testing.T) {\n\tif !Big(20) || Big(0) || Loop(3) != 0 {\n\t\tt.Fatal()\n\t}\n}\n",
	})
	state := filepath.Join(t.TempDir(), "state")
	var out strings.Builder
	args := []string{"-module", module, "-package", ".", "-state", state, "-timeout", "5s", "-allow", "3"}
	survived, allowed, err := run(t.Context(), args, &out)
	if err != nil || allowed != 3 {
		t.Fatalf("allowed %d, %v\n%s", allowed, err, &out)
	}
	if survived != 3 || !strings.Contains(out.String(), "survived p.go:4:9: swap comparison: n > 10 -> ((n) >= (10))") || !strings.Contains(out.String(), "1 timed out") {
		t.Errorf("%d survived:\n%s", survived, &out)
	}
	before, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := run(t.Context(), args, &out); err != nil || again != survived {
		t.Errorf("then %d survived, %v", again, err)
	}
	if after, _ := os.ReadFile(state); string(after) != string(before) {
		t.Errorf("judged again:\n%s", after)
	}
}
