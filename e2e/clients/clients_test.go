package clients

import (
	"slices"
	"testing"
)

// TestEveryClientWorksUnmodified plays every scenario with every client, and holds docs/clients.md to what came of it.
func TestEveryClientWorksUnmodified(t *testing.T) {
	found := &matrix{cells: map[cell]bool{}, missing: map[string]bool{}}
	t.Run("clients", func(t *testing.T) {
		for _, p := range parties {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				defer func() {
					if t.Skipped() {
						found.miss(p.name)
					}
				}()
				s := newStage(t)
				c := p.start(t, s.gateway.URL)
				for _, act := range p.acts() {
					t.Run(act.endpoint+"/"+act.target+"/"+act.name, func(t *testing.T) {
						defer func() { found.record(cell{p.row(act.endpoint), act.column, act.target}, !t.Failed()) }()
						act.check(t, p, act.endpoint, s.play(t, c, act.endpoint, act.target, act.scenario))
					})
				}
				for _, sc := range p.otherActs() {
					t.Run(sc.endpoint+"/"+sc.name, func(t *testing.T) {
						defer func() { found.record(cell{p.name, sc.column, sc.host}, !t.Failed()) }()
						sc.check(t, p, s.playOther(t, c, p, sc))
					})
				}
			})
		}
	})
	want := 0
	for _, p := range parties {
		if !found.missing[p.name] {
			want += len(p.acts()) + len(p.otherActs())
		}
	}
	if found.played == want {
		found.compare(t)
	} else if *update {
		t.Errorf("%d of %d scenarios were played: the documentation is written by a whole run", found.played, want)
	}
}

// act is a scenario on an endpoint with a target.
type act struct {
	scenario
	endpoint, target string
}

// acts are all that a client has to play at chat, Responses and Messages.
func (p party) acts() []act {
	var all []act
	for _, endpoint := range p.endpoints {
		for _, target := range targets {
			for _, sc := range scenarios {
				if sc.only == nil || sc.only(endpoint, target.name) {
					all = append(all, act{sc, endpoint, target.name})
				}
			}
		}
	}
	return all
}

// otherActs are all that a client has to play elsewhere.
func (p party) otherActs() []otherScenario {
	return slices.DeleteFunc(slices.Clone(otherScenarios), func(sc otherScenario) bool { return !slices.Contains(p.others, sc.column) })
}
