package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

func TestACutStreamIsSaidAndResumedWhereItWasCut(t *testing.T) {
	w := newWorld(t, object{"cooldown": "0s", "reset_timeout": "1h"}, "times 5; "+down, up)
	between := newProxy(t, strings.TrimPrefix(w.URL, "http://"))
	p := enter(t, between.URL, w.Token)
	w.asks("fast", 3)
	p.state("provider:shaky", "DEGRADED") // so that an event has passed

	between.cut()
	p.says(".live", "Cut off, again in")
	w.trip(2)
	if got := p.states()["provider:shaky"]; got != "DEGRADED" {
		t.Errorf("cut off, the page shows %s: it was told DEGRADED", got)
	}

	between.mend()
	p.button("Connect now")
	p.says(".live", "Live")
	p.state("provider:shaky", "OPEN")
	if !strings.Contains(between.said(), "Last-Event-ID: ") {
		t.Errorf("the stream was not resumed, but begun anew:\n%s", between.said())
	}
	p.button("Timeline")
	p.await(`[...document.querySelectorAll(".rows .transition-row")].filter((r) => r.textContent.includes("provider:shaky")).length === 2`)
}

func TestTheStreamComesBackByItself(t *testing.T) {
	w := newWorld(t, nil, up)
	between := newProxy(t, strings.TrimPrefix(w.URL, "http://"))
	p := enter(t, between.URL, w.Token)
	between.cut()
	p.says(".live", "Cut off")
	p.says("[role=status]", "The event stream is cut. What is shown may be old.")
	between.mend()
	p.says(".live", "Live")
}

// TestAGapReloadsEverything loses more events than are replayed: what they said is read instead.
func TestAGapReloadsEverything(t *testing.T) {
	w := newWorld(t, object{"cooldown": "0s", "reset_timeout": "1h"}, "times 5; "+down, up)
	between := newProxy(t, strings.TrimPrefix(w.URL, "http://"))
	p := enter(t, between.URL, w.Token)
	w.asks("fast", 3)
	p.state("provider:shaky", "DEGRADED")

	between.cut()
	p.says(".live", "Cut off")
	w.trip(2)
	w.Must(http.StatusCreated, http.MethodPost, "/api/v1/combos", object{"name": "new", "targets": []object{{"provider": "spare", "model": "m"}}}, nil)
	for range 2100 { // two events each
		w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aspare/isolate", object{}, nil)
		w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aspare/reset", object{}, nil)
	}
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aspare/isolate", object{"by": "ada"}, nil)

	between.mend()
	p.button("Connect now")
	p.state("provider:shaky", "OPEN")
	p.state("provider:spare", "ISOLATED")
	p.button("Combos")
	p.says(".combo", "new")
}

func TestAViewThatWasOpenedWhileCutIsFilledLater(t *testing.T) {
	w := newWorld(t, nil, up)
	between := newProxy(t, strings.TrimPrefix(w.URL, "http://"))
	p := enter(t, between.URL, w.Token)
	between.cut()
	p.says(".live", "Cut off")
	p.button("Providers")
	p.says("h1", "Providers")
	between.mend()
	p.button("Connect now")
	p.says(".provider-row", "spare")
}
