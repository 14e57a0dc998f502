package dashboard

import (
	"maps"
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ohmroute/ohmroute/e2e/process"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

// looks are the ways in which every view has to be usable.
var looks = map[string]struct {
	scheme        string
	width, height int64
}{
	"light": {"light", desktopWidth, desktopHeight},
	"dark":  {"dark", 1024, 768},
	"phone": {"light", phoneWidth, phoneHeight},
	"night": {"dark", phoneWidth, phoneHeight},
}

// places are the views, with something to wait for and to do before one looks.
var places = map[string]struct {
	address, shows, text string
	do                   func(*page)
}{
	"board":         {"#/breakers", ".card", "OPEN", nil},
	"breaker":       {"#/breakers/provider%3Amistral", ".transition-row", "OPEN", nil},
	"timeline":      {"#/timeline", ".transition-row", "DEGRADED", nil},
	"combos":        {"#/combos", ".candidate-row", "skipped", nil},
	"combo":         {"#/combos/fast", ".item", "Provider", nil},
	"combo-json":    {"#/combos/fast", ".item", "Provider", func(p *page) { p.button("JSON") }},
	"combo-wrong":   {"#/combos/new", ".item", "Provider", func(p *page) { p.button("Make the combo"); p.says(".problems", "wrong") }},
	"requests":      {"#/requests", ".request-row", "ok", func(p *page) { p.click("[data-request] button"); p.says(".waterfall", "answered") }},
	"providers":     {"#/providers", ".provider-row", "mistral", nil},
	"provider":      {"#/providers/mistral", ".field", "Base URL", nil},
	"keys":          {"#/keys", ".key-row", "agents", nil},
	"key":           {"#/keys", ".key-row", "agents", func(p *page) { p.button("New key"); p.says("dialog", "May use") }},
	"totals":        {"#/stats", ".tile", "Requests", nil},
	"help":          {"#/breakers", ".card", "OPEN", func(p *page) { p.press("?"); p.says("dialog", "the next breaker") }},
	"reset-all":     {"#/breakers", ".card", "OPEN", func(p *page) { p.button("Reset all…"); p.says("dialog", "Every breaker") }},
	"isolate":       {"#/breakers", ".card", "OPEN", func(p *page) { p.button("Isolate provider:groq"); p.says("dialog", "Your name") }},
	"nothing-found": {"#/breakers", ".card", "OPEN", func(p *page) { p.fill("[data-key=find]", "zzz"); p.says(".empty", "No breaker fits") }},
}

// lively is a gateway on which a lot has happened.
func lively(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, shaky: providertest.NewUpstream(t), spare: providertest.NewUpstream(t)}
	w.Gateway = process.Start(t, t.TempDir(), "--no-demo")
	w.spare.Script("", up)
	w.shaky.Script("large", down)
	w.shaky.Script("small", "times 4; "+down, up)
	w.shaky.Script("medium", "error 503 - busy")
	w.shaky.Script("late", "delay 180ms; "+down)
	target := object{"breaker_scope": "target", "breaker": object{"cooldown": "0s", "reset_timeout": "10m"}}
	with := func(more object) object {
		all := maps.Clone(target)
		maps.Copy(all, more)
		return all
	}
	w.Provider("mistral", w.shaky.URL(), object{"breaker": object{"cooldown": "0s", "reset_timeout": "1h"}, "models": []string{"large"}})
	w.Provider("openai", w.shaky.URL(), with(object{"models": []string{"small", "medium", "late"}}))
	w.Provider("groq", w.spare.URL(), with(object{"models": []string{"llama-3.3-70b-versatile", "qwen-2.5-coder-32b-instruct"}, "keys": []object{{"name": "main", "value": "sk-1"}, {"name": "spare", "value": "sk-2"}}}))
	w.Combo("fast", "mistral/large", "openai/small", "groq/llama-3.3-70b-versatile")
	w.Combo("coding", "openai/medium", "groq/qwen-2.5-coder-32b-instruct")
	w.asks("fast", 5)
	w.Combo("patient", "mistral/large", "openai/late", "groq/llama-3.3-70b-versatile")
	w.asks("coding", 7)
	w.spare.Script("", "delay 90ms; "+up)
	w.ask("patient")
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/target%3Agroq%2Fqwen-2.5-coder-32b-instruct/isolate", object{"by": "ada", "reason": "new quantisation gives odd answers, see ticket 4711"}, nil)
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/target%3Aopenai%2Fmedium/isolate", object{"by": "bob", "reason": "test"}, nil)
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/target%3Aopenai%2Fmedium/release", nil, nil)
	w.Must(http.StatusCreated, http.MethodPost, "/api/v1/keys", object{"name": "agents", "combos": []string{"fast", "coding"}, "requests_per_minute": 600}, nil)
	w.Must(http.StatusCreated, http.MethodPost, "/api/v1/keys", object{"name": "notebook of the whole research group", "parallel": 2}, nil)
	return w
}

// TestEveryViewInEveryLook saves a picture of each view in light, dark and on a phone, and holds that none has to be
// scrolled sideways and each is accessible.
func TestEveryViewInEveryLook(t *testing.T) {
	w := lively(t)
	for look, as := range looks {
		t.Run(look, func(t *testing.T) {
			source := axe(t)
			p := open(t, w.URL)
			_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: as.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			p.do("sizing", chromedp.EmulateViewport(as.width, as.height))
			p.says("form", "Admin token")
			p.accessible(source, "login")
			p.picture("login-" + look)
			p.fill("#token", w.Token)
			p.press(kb.Enter)
			p.says(".live", "Live")
			for place, where := range places {
				eval[bool](p, `(location.hash = "#/none", location.hash = `+quoted(where.address)+`, true)`)
				p.says(where.shows, where.text)
				if where.do != nil {
					where.do(p)
				}
				p.accessible(source, place)
				if wide := eval[int64](p, "document.documentElement.scrollWidth"); wide > as.width {
					t.Errorf("%s is %d wide", place, wide)
				}
				p.picture(place + "-" + look)
				p.press(kb.Escape)
				p.await(`!document.querySelector("dialog[open]")`)
				eval[bool](p, `(() => { const find = document.querySelector("[data-key=find]"); if (find?.value) { find.value = ""; find.dispatchEvent(new Event("input")); } return true; })()`)
			}
		})
	}
}
