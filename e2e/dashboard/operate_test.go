package dashboard

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	shaky = "provider:shaky"
	spare = "provider:spare"
)

var slow = object{"cooldown": "0s", "reset_timeout": "1h", "jitter": 0}

func TestResetAllAsksFirstAndLeavesIsolatedOnesAlone(t *testing.T) {
	w := newWorld(t, slow, down)
	w.trip(5)
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aspare/isolate", object{"by": "ada"}, nil)
	p := w.enter()
	p.state(shaky, "OPEN")

	p.button("Reset all…")
	p.says("dialog", "Reset all breakers?")
	p.button("Cancel")
	p.await(`!document.querySelector("dialog")`)
	if state := w.State(shaky); state != "OPEN" {
		t.Fatalf("cancelled, and it is %s", state)
	}

	p.button("Reset all…")
	p.button("Reset all")
	p.says(".toast", "1 breaker reset. 1 isolated one left alone.")
	p.state(shaky, "CLOSED")
	p.state(spare, "ISOLATED")

	p.button("Reset all…")
	p.click("dialog input[type=checkbox]")
	p.button("Reset all")
	p.state(spare, "CLOSED")
	if state := w.State(spare); state != "CLOSED" {
		t.Errorf("the gateway says %s", state)
	}
}

func TestEverythingIsDoneByKeyboardAlone(t *testing.T) {
	w := newWorld(t, slow, down)
	w.trip(5)
	p := w.enter()
	p.state(shaky, "OPEN")

	t.Run("Tab begins with the way past the navigation", func(t *testing.T) {
		p.do("loading it again", chromedp.Reload())
		p.state(shaky, "OPEN")
		p.press(kb.Tab)
		if got := eval[string](p, `document.activeElement.textContent`); got != "Skip to the content" {
			t.Errorf("the focus is at %q", got)
		}
	})
	t.Run("j and k walk over the breakers, and r resets the one that has the focus", func(t *testing.T) {
		for range 20 {
			p.press("j")
			if eval[bool](p, `document.activeElement.dataset.name === "provider:shaky"`) {
				break
			}
		}
		p.press("r")
		p.says("dialog", "Reset provider:shaky?")
		p.press(kb.Escape)
		p.await(`!document.querySelector("dialog") && document.activeElement.dataset.name === "provider:shaky"`)
		p.press("r")
		p.says("dialog", "Reset provider:shaky?")
		p.press(kb.Enter)
		p.state(shaky, "CLOSED")
		p.await(`document.activeElement.dataset.name === "provider:shaky"`)
	})
	t.Run("i isolates and releases", func(t *testing.T) {
		p.press("i")
		p.says("dialog", "Isolate provider:shaky?")
		p.press("ada" + kb.Tab + "testing" + kb.Enter)
		p.says(on(shaky, ".card-held"), "Held by ada: testing")
		p.press("i")
		p.says("dialog", "Release")
		p.press(kb.Enter)
		p.state(shaky, "HALF_OPEN")
	})
	t.Run("numbers change the view and give its heading the focus", func(t *testing.T) {
		p.press("3")
		p.await(`location.hash === "#/combos" && document.activeElement.matches("h1") && document.activeElement.textContent === "Combos"`)
		p.press("1")
		p.await(`document.activeElement.textContent === "Breakers"`)
	})
	t.Run("? shows the keys, which can be turned off", func(t *testing.T) {
		p.press("?")
		p.says("dialog", "Single keys are shortcuts")
		p.click("dialog input[type=checkbox]")
		p.press(kb.Escape)
		p.await(`!document.querySelector("dialog")`)
		p.press("3")
		p.press(kb.Tab)
		if hash := eval[string](p, "location.hash"); hash == "#/combos" {
			t.Error("3 is still a shortcut")
		}
	})
	t.Run("the theme is toggled with Enter and remembered", func(t *testing.T) {
		before := eval[string](p, `getComputedStyle(document.body).backgroundColor`)
		eval[bool](p, `(document.querySelector(".side [data-key=theme]").focus(), true)`)
		p.press(kb.Enter)
		p.await(`getComputedStyle(document.body).backgroundColor !== ` + quoted(before))
		p.await(`!!localStorage.getItem("ohmroute.theme")`)
	})
}

func TestChangesOfStateAreReadOut(t *testing.T) {
	w := newWorld(t, slow, down)
	p := w.enter()
	p.state(shaky, "CLOSED")
	w.asks("fast", 3)
	p.says("#announcer", "provider:shaky is DEGRADED")
	w.asks("fast", 2)
	p.says("#announcer", "provider:shaky is OPEN: too many failures")
}
