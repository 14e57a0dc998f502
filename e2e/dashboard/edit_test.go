package dashboard

import (
	"net/http"
	"testing"
)

// combo is what the gateway has of a combo.
func (w *world) combo(name string) object {
	w.t.Helper()
	var c object
	w.Must(http.StatusOK, http.MethodGet, "/api/v1/combos/"+name, nil, &c)
	return c
}

func at(path string) string { return "[data-path=" + quoted(path) + "]" }

func TestAComboIsEditedWithAnErrorAtItsFieldAndThenRight(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	p.button("Combos")
	p.button("Edit combo fast")
	p.fill(at("targets[1].weight"), "-3")
	p.fill(at("targets[0].model"), "")
	p.button("Save")
	p.says(".problems", "2 things are wrong with it.")
	p.await(`document.querySelector('` + at("targets[1].weight") + `').getAttribute("aria-invalid") === "true"`)
	p.await(`document.activeElement.matches(".problems")`)
	p.button("targets[1].weight")
	p.await(`document.activeElement.dataset.path === "targets[1].weight"`)
	if got := len(w.combo("fast")["targets"].([]any)); got != 2 || w.combo("fast")["version"] != 1.0 {
		t.Fatalf("it was stored: %v", w.combo("fast"))
	}

	p.fill(at("targets[1].weight"), "3")
	p.fill(at("targets[0].model"), "m")
	p.button("Save")
	p.says(".toast", "The combo fast is saved.")
	p.says("h1", "Combos")
	second := w.combo("fast")["targets"].([]any)[1].(object)
	if second["weight"] != 3.0 {
		t.Errorf("stored is %v", second)
	}
}

func TestWhatWasChangedIsNotLostUnasked(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	p.button("Combos")
	p.button("Edit combo fast")
	p.fill(at("targets[1].weight"), "3")
	p.button("Keys")
	p.says("dialog", "Leave without saving?")
	p.button("Cancel")
	p.await(`!document.querySelector("dialog") && location.hash === "#/combos/fast"`)
	p.await(element(at("targets[1].weight")) + `.value === "3"`)
	p.button("Keys")
	p.button("Leave")
	p.says("h1", "Client keys")
	p.button("Combos")
	p.says("h1", "Combos")
}

func TestAFoldedFieldIsOpenedForItsError(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	p.button("Combos")
	p.button("Edit combo fast")
	p.click("[data-fold=retry] > summary")
	p.await(element(at("retry.base")))
	p.fill(at("retry.base"), "soon")
	p.click("[data-fold=retry] > summary")
	p.await(`!` + element(at("retry.base")))
	p.button("Save")
	p.says(".problems", "retry.base")
	p.await(element(at("retry.base")) + `?.getAttribute("aria-invalid") === "true"`)
}

func TestJSONIsEditedAndAnErrorLeadsToItsPlace(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	p.button("Combos")
	p.button("Edit combo fast")
	p.await(element(at("targets[0].model")))
	p.button("JSON")
	write := func(text string) {
		eval[bool](p, `(() => { const area = document.querySelector("[data-json]"); area.value = `+text+`; area.dispatchEvent(new Event("input")); return true; })()`)
	}
	write(`area.value.replace('"m"', '"m", "colour": "blue"')`)
	p.button("Save")
	p.says(".problems", "targets[0].colour")
	p.button("targets[0].colour")
	p.await(`(() => { const a = document.querySelector("[data-json]"); return a.value.slice(a.selectionStart, a.selectionEnd) === '"blue"'; })()`)

	write(`"{"`)
	p.button("Save")
	p.says(".problems", "This is not JSON.")
	write(`JSON.stringify({ name: "fast", targets: [{ provider: "spare", model: "m" }] })`)
	p.button("Form")
	p.await(element(at("targets[0].provider")) + `.value === "spare"`)
	p.button("Save")
	p.says("h1", "Combos")
	if got := len(w.combo("fast")["targets"].([]any)); got != 1 {
		t.Errorf("%d targets are stored", got)
	}
}

// edited opens the combo fast for both operators, and lets the first of them save another weight.
func edited(t *testing.T, w *world, first, second *page) {
	t.Helper()
	for _, p := range []*page{first, second} {
		p.button("Combos")
		p.button("Edit combo fast")
		p.await(element(at("targets[0].weight")))
	}
	second.fill(at("targets[1].weight"), "7")
	first.fill(at("targets[0].weight"), "5")
	first.button("Save")
	first.says("h1", "Combos")
	second.says(".note", "Somebody else has changed it")
	second.button("Save")
	second.says("dialog", "Somebody else has changed this combo")
	second.says("dialog .differences", `"weight": 5`)
	if v := w.combo("fast")["version"]; v != 2.0 {
		t.Fatalf("it is at version %v: the second operator has overwritten the first one's change", v)
	}
}

func weights(w *world) [2]any {
	targets := w.combo("fast")["targets"].([]any)
	return [2]any{targets[0].(object)["weight"], targets[1].(object)["weight"]}
}

func TestOfTwoOperatorsTheSecondIsShownTheFirstOnesChange(t *testing.T) {
	t.Run("and may take it", func(t *testing.T) {
		w := newWorld(t, nil, up)
		first, second := w.enter(), w.enter()
		edited(t, w, first, second)
		second.button("Take theirs")
		second.await(element(at("targets[0].weight")) + `.value === "5"`)
		second.fill(at("targets[1].weight"), "8")
		second.button("Save")
		second.says("h1", "Combos")
		if got := weights(w); got != [2]any{5.0, 8.0} {
			t.Errorf("the weights are %v", got)
		}
	})
	t.Run("and may overwrite it", func(t *testing.T) {
		w := newWorld(t, nil, up)
		first, second := w.enter(), w.enter()
		edited(t, w, first, second)
		second.button("Overwrite with mine")
		second.says("h1", "Combos")
		if got := weights(w); got != [2]any{1.0, 7.0} {
			t.Errorf("the weights are %v", got)
		}
	})
}

func TestAProviderInUseIsNotDeletedAndAComboIs(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	p.button("Providers")
	p.button("Delete provider spare")
	p.button("Delete")
	p.says(".toast", "is a target of")
	p.button("Combos")
	p.button("Delete combo fast")
	p.button("Delete")
	p.says(".empty", "No combos yet")
	p.button("Providers")
	p.button("Delete provider spare")
	p.button("Delete")
	p.gone(".provider-row", "spare")
	if status, _ := w.Admin(http.MethodGet, "/api/v1/providers/spare", nil); status != http.StatusNotFound {
		t.Errorf("the gateway answers %d", status)
	}
}

func TestAProviderIsMadeAndTested(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	p.button("Providers")
	p.button("New provider")
	p.fill(at("id"), "third")
	p.fill(at("base_url"), w.spare.URL())
	p.button("Add to models")
	p.fill(at("models[0].name"), "m")
	p.button("Add to keys")
	p.fill(at("keys[0].name"), "main")
	p.fill(at("keys[0].value"), "sk-of-the-third")
	p.button("Make the provider")
	p.says(".provider-row", "third")
	p.button("Test provider third")
	p.says("dialog", "answered in")
	p.button("Close")
	p.button("Edit provider third")
	p.await(element(at("keys[0].value")) + `.value === "[redacted]"`)
	p.fill(at("max_concurrency"), "4")
	p.button("Save")
	p.says(".toast", "saved")
	w.ask("third/m")
	requests := w.spare.Requests()
	if got := requests[len(requests)-1].Header.Get("Authorization"); got != "Bearer sk-of-the-third" {
		t.Errorf("after saving the redacted key it sends %q", got)
	}
}

func TestAClientKeyIsShownOnceAndRevoked(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	p.button("Keys")
	p.button("New key")
	p.button("Make the key")
	p.says("dialog .wrong", "must have")
	p.fill("dialog input", "agents")
	p.button("Make the key")
	p.says("dialog", "shown this once")
	secret := eval[string](p, `document.querySelector("[data-secret]").value`)
	p.button("Done")
	if shown := eval[string](p, `document.documentElement.outerHTML`); len(secret) < 20 || contains(shown, secret) {
		t.Errorf("the secret %q is still on the page", secret)
	}
	p.says(".key-row", "agents")
	p.button("Revoke key agents")
	p.button("Revoke")
	p.says(".empty", "No client keys")
}
