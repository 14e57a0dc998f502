package combo

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ohmroute/ohmroute/providers"
)

func TestResolveTellsWhatANameStandsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		r.cfg.Aliases["quick"] = "c"
		r.router.Swap(r.cfg)
		for name, want := range map[string]Resolved{
			"quick": {Combo: "c", Keepalive: DefaultCombo().Keepalive},
			"a/m":   {Combo: "a/m", Direct: true, Keepalive: DefaultCombo().Keepalive},
		} {
			if got, err := r.router.Resolve(name); err != nil || got != want {
				t.Errorf("%s: %+v %v", name, got, err)
			}
		}
		_, err := r.router.Resolve("nobody")
		if e, ok := errors.AsType[*Error](err); !ok || e.Status != 404 {
			t.Errorf("got %v", err)
		}
	})
}

func TestAnErrorSaysCodeAndTarget(t *testing.T) {
	e := &Error{Status: 503, Code: "overloaded", Target: "a/m", Message: "a/m: busy"}
	if got := e.Error(); got != "combo: 503 overloaded from a/m: a/m: busy" {
		t.Error(got)
	}
	if got := (&Error{Status: 404, Code: "model_not_found"}).Error(); got != "combo: 404 model_not_found" {
		t.Error(got)
	}
}

func TestEveryKindHasAPhraseAndARow(t *testing.T) {
	h := &host{Provider: &Provider{}, rules: providers.Rules{}}
	for _, kind := range providers.Kinds() {
		if phrases[kind] == "" && kind != providers.ContextLength {
			t.Errorf("%s has no phrase", kind)
		}
		if rule := h.rule(kind); rule.Kind != kind {
			t.Errorf("%s: row of %s", kind, rule.Kind)
		}
	}
	if rule := h.rule("made up"); rule.Kind != providers.Local {
		t.Errorf("an unknown kind has the row of %s", rule.Kind)
	}
	if f := failureOf(errors.New("boom")); f.Kind != providers.Local {
		t.Errorf("an unclassified error is %s", f.Kind)
	}
}
