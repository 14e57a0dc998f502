package translate

import "testing"

func TestAnEffortIsABudgetAndBack(t *testing.T) {
	for name, tokens := range map[string]int{
		"none": 0, "minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768,
	} {
		r := reasoning{effort: name}
		if n, ok := r.tokens(); n != tokens || !ok {
			t.Errorf("%s is %d tokens, %v; want %d", name, n, ok, tokens)
		}
		if got := r.level(); got != name {
			t.Errorf("the level of %s is %s", name, got)
		}
	}
}

func TestABudgetIsTheLargestEffortThatItPaysFor(t *testing.T) {
	for budget, want := range map[string]string{
		"0": "none", "1": "low", "1024": "low", "2048": "low", "8191": "low", "8192": "medium", "16383": "medium",
		"16384": "high", "31999": "high", "32768": "high", "200000": "high",
		"-1": "", "": "", "1.5": "", "many": "",
	} {
		if got := (reasoning{budget: budget}).level(); got != want {
			t.Errorf("%q tokens are %q, want %q", budget, got, want)
		}
	}
}

func TestABudgetInTokensBeatsTheEffortBesideIt(t *testing.T) {
	r := reasoning{effort: "high", budget: "5000"}
	if n, ok := r.tokens(); n != 5000 || !ok {
		t.Errorf("got %d, %v", n, ok)
	}
	if got := r.level(); got != "high" {
		t.Errorf("the effort that was said became %s", got)
	}
}

func TestOtherNamesOfEffortsAreUnderstood(t *testing.T) {
	for name, want := range map[string]string{
		"off": "none", "max": "xhigh", "ultra": "xhigh", "minimal": "minimal", "none": "none", "": "", "default": "",
	} {
		if got := effortNamed(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
