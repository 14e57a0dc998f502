package server

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/combo"
)

// totals count requests per combo, target and kind since the start, for the dashboard. The zero value is ready.
type totals struct {
	mu      sync.Mutex
	combos  map[string]map[string]uint64 // combo, outcome
	targets map[targetLabels]map[string]uint64
	kinds   map[string]uint64
}

type comboTotal struct {
	Combo    string            `json:"combo"`
	Requests uint64            `json:"requests"`
	Outcomes map[string]uint64 `json:"outcomes"`
}

type targetTotal struct {
	Provider string            `json:"provider"`
	Model    string            `json:"model"`
	Attempts uint64            `json:"attempts"`
	Kinds    map[string]uint64 `json:"kinds"`
}

type kindTotal struct {
	Kind     string `json:"kind"`
	Attempts uint64 `json:"attempts"`
}

func (t *totals) add(r *combo.Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.combos == nil {
		t.combos = make(map[string]map[string]uint64)
		t.targets = make(map[targetLabels]map[string]uint64)
		t.kinds = make(map[string]uint64)
	}
	count(t.combos, boundedCombo(r), r.Outcome)
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.Outcome == combo.Skipped {
			continue
		}
		kind := kindOK
		if a.Outcome == combo.Failed {
			kind = string(a.Kind)
		}
		count(t.targets, targetLabels{a.Provider, boundedModel(a)}, kind)
		t.kinds[kind]++
	}
}

func count[K comparable](m map[K]map[string]uint64, key K, word string) {
	inner := m[key]
	if inner == nil {
		inner = make(map[string]uint64)
		m[key] = inner
	}
	inner[word]++
}

func sum(m map[string]uint64) uint64 {
	var n uint64
	for _, v := range m {
		n += v
	}
	return n
}

// stats is the answer of GET /api/v1/stats; every list is sorted by name.
type stats struct {
	Combos  []comboTotal  `json:"combos"`
	Targets []targetTotal `json:"targets"`
	Kinds   []kindTotal   `json:"kinds"`
}

func (t *totals) stats() stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := stats{Combos: []comboTotal{}, Targets: []targetTotal{}, Kinds: []kindTotal{}}
	for name, outcomes := range t.combos {
		out.Combos = append(out.Combos, comboTotal{name, sum(outcomes), maps.Clone(outcomes)})
	}
	for target, kinds := range t.targets {
		out.Targets = append(out.Targets, targetTotal{target.provider, target.model, sum(kinds), maps.Clone(kinds)})
	}
	for kind, n := range t.kinds {
		out.Kinds = append(out.Kinds, kindTotal{kind, n})
	}
	slices.SortFunc(out.Combos, func(a, b comboTotal) int { return cmp.Compare(a.Combo, b.Combo) })
	slices.SortFunc(out.Targets, func(a, b targetTotal) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	slices.SortFunc(out.Kinds, func(a, b kindTotal) int { return cmp.Compare(a.Kind, b.Kind) })
	return out
}

func (s *Server) showStats(c echo.Context) error {
	s.recorder.catchUp()
	writeJSON(exchangeOf(c), http.StatusOK, s.recorder.totals.stats())
	return nil
}
