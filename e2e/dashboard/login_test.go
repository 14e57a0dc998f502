package dashboard

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestTheTokenOpensTheDashboardAndAWrongOneDoesNot(t *testing.T) {
	w := newWorld(t, nil, up)
	p := open(t, w.URL)
	p.fill("#token", "this-is-not-the-admin-token")
	p.press(kb.Enter)
	p.says(".wrong", "This is not the admin token.")
	if n := eval[int](p, `document.querySelectorAll(".shell").length`); n != 0 {
		t.Fatal("the dashboard is shown")
	}
	p.fill("#token", w.Token)
	p.button("Log in")
	p.says(".live", "Live")
	p.state("provider:shaky", "CLOSED")
	if stored := eval[string](p, `document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)`); stored != "{}{}" {
		t.Errorf("scripts can read %s", stored)
	}

	p.do("loading it again", chromedp.Reload())
	p.says(".live", "Live")

	p.click(".side [data-key=log-out]")
	p.says("form", "Admin token")
	if n := eval[int](p, `fetch("/api/v1/breakers").then((r) => r.status)`); n != http.StatusUnauthorized {
		t.Errorf("after logging out the page still gets %d", n)
	}
}

func TestASessionThatEndsElsewhereLeadsToTheLogin(t *testing.T) {
	w := newWorld(t, nil, up)
	p := w.enter()
	eval[int](p, `fetch("/api/v1/session", { method: "DELETE" }).then((r) => r.status)`)
	p.says(".login", "Your session has ended")
	p.fill("#token", w.Token)
	p.press(kb.Enter)
	p.says(".live", "Live")
	p.state("provider:shaky", "CLOSED")
}
