package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// TestNamesAreTextAndNeverMarkup gives everything a name that would run a script, and looks at every view.
func TestNamesAreTextAndNeverMarkup(t *testing.T) {
	const evil = `<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>`
	w := newWorld(t, object{"cooldown": "0s"}, down)
	w.Provider(strings.ReplaceAll(evil, "/", ""), w.shaky.URL(), object{"models": []string{evil}, "keys": []object{{"name": "k" + strings.ReplaceAll(evil, "/", ""), "value": "sk-1"}}})
	w.Must(http.StatusCreated, http.MethodPost, "/api/v1/combos", object{
		"name": evil, "aliases": []string{"alias" + evil}, "targets": []object{{"provider": strings.ReplaceAll(evil, "/", ""), "model": evil}},
	}, nil)
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aspare/isolate", object{"by": evil, "reason": evil}, nil)
	w.asks(evil, 6)
	w.Must(http.StatusCreated, http.MethodPost, "/api/v1/keys", object{"name": evil, "combos": []string{evil}}, nil)
	p := w.enter()
	for view, selector := range map[string]string{
		"breakers": ".card", "timeline": ".transition-row", "combos": ".candidate-row", "requests": ".request-row",
		"providers": ".provider-row", "keys": ".key-row", "stats": ".bars",
	} {
		eval[bool](p, `(location.hash = "#/`+view+`", true)`)
		p.says(selector, "<img src=x onerror=")
		if view == "requests" {
			p.click("[data-request] button")
			p.says(".waterfall", "<img src=x onerror=")
		}
		if n := eval[int](p, `document.querySelectorAll("#app img:not([src='/assets/icon.svg']), #app script").length`); n != 0 {
			t.Errorf("%s: a name became markup", view)
		}
	}
	eval[bool](p, `(location.hash = "#/combos/" + encodeURIComponent(`+quoted(evil)+`), true)`)
	p.says("h1", "<img src=x onerror=")
	p.await(element(at("targets[0].model")) + `.value.startsWith("<img")`)
	if eval[bool](p, "!!window.harmed") {
		t.Error("a name ran as a script")
	}
}

// TestThePolicyStopsScriptsThatGotInAllTheSame tries what an attacker would who found a way in.
func TestThePolicyStopsScriptsThatGotInAllTheSame(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	for name, try := range map[string]string{
		"markup":           `document.body.innerHTML = "<b>x</b>"`,
		"an inline script": `(() => { const s = document.createElement("script"); s.textContent = "window.harmed=1"; document.body.append(s); })()`,
		"another host":     `await fetch("https://example.com/")`,
		"a frame":          `(() => { const f = document.createElement("iframe"); f.src = "https://example.com/"; document.body.append(f); })()`,
	} {
		if eval[bool](p, `(async () => { let stopped = false; document.addEventListener("securitypolicyviolation", () => (stopped = true)); try { await (async () => { `+try+` })(); } catch { } await new Promise((done) => setTimeout(done, 50)); return stopped; })()`) {
			continue
		}
		t.Errorf("nothing stopped %s", name)
	}
	if eval[bool](p, "!!window.harmed") {
		t.Error("a script ran")
	}
	p.expect("Content Security Policy")
	p.expect("TrustedHTML")
	p.expect("TrustedScript")
}
