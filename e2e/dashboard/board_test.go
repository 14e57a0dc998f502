package dashboard

import (
	"fmt"
	"net/http"
	"testing"
)

func TestTheBoardIsFilteredByStateAndByName(t *testing.T) {
	w := newWorld(t, slow, down)
	w.trip(5)
	p := w.enter()
	p.state(shaky, "OPEN")
	shown := func(n int) {
		t.Helper()
		p.await(fmt.Sprintf(`[...document.querySelectorAll(".card")].filter((c) => c.checkVisibility()).length === %d`, n))
	}
	shown(6)
	p.click(".filter.state-OPEN")
	shown(1)
	p.await(`document.querySelector(".filter.state-OPEN").getAttribute("aria-pressed") === "true"`)
	p.click(".filter.state-OPEN")
	shown(6)
	p.fill("[data-key=find]", "key:spare")
	shown(1)
	p.state("key:spare/main", "CLOSED")
}

func TestTroubledProvidersComeFirstAndKeepTheFocusWhenTheyMove(t *testing.T) {
	w := newWorld(t, slow, up)
	p := w.enter()
	p.await(`document.querySelector(".group h2").textContent === "shaky"`)
	eval[bool](p, `(document.querySelector('.card[data-name="provider:spare"]').focus(), true)`)
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/provider%3Aspare/isolate", object{"by": "ada"}, nil)
	p.await(`document.querySelector(".group h2").textContent === "spare"`)
	p.await(`document.activeElement.dataset.name === "provider:spare"`)
}

func TestAThousandBreakersAreShownInPart(t *testing.T) {
	w := newWorld(t, slow, up)
	models := make([]string, 1000)
	for i := range models {
		models[i] = fmt.Sprintf("model-%03d", i)
	}
	w.Provider("many", w.spare.URL(), object{"models": models})
	w.Must(http.StatusOK, http.MethodPost, "/api/v1/breakers/target%3Amany%2Fmodel-999/isolate", object{"by": "ada"}, nil)
	p := w.enter()
	p.says(".view", "608 more are not shown")
	p.state("target:many/model-999", "ISOLATED") // trouble is shown in any case
	p.fill("[data-key=find]", "model-77")
	p.await(`document.querySelectorAll(".card").length === 10`)
}

// TestWhatIsSeldomIsShownToo puts what a test can hardly bring about into the page's copy of the gateway's answers.
func TestWhatIsSeldomIsShownToo(t *testing.T) {
	w := newWorld(t, slow, up)
	p := w.enter()
	p.state(shaky, "CLOSED")
	// The gateway's next answer takes it away again, so the page itself watches for the text from before the change.
	const with = `import("/assets/core/store.js").then(({ store, changed }) => new Promise((done) => {
		const shown = () => [...document.querySelectorAll(%s)].some((e) => e.checkVisibility() && e.textContent.includes(%s));
		const observer = new MutationObserver(() => { if (shown()) { observer.disconnect(); done(true); } });
		observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		%s;
	}))`
	eval[bool](p, fmt.Sprintf(with, quoted(on("target:shaky/m", ".flag")), `"suspect: slow to begin, asked last"`,
		`store.explanations.set("x", { candidates: [{ provider: "shaky", model: "m", suspect: true }] }); changed("explanations")`))
	eval[bool](p, fmt.Sprintf(with, `"[role=alert]"`, `"The store is broken: breakers work from memory, and the oldest unsaved change is 1 min 30 s old."`,
		`store.persistence = { status: "degraded", oldest_unsaved_ms: 90_000 }; changed("persistence")`))
	p.await(`!document.querySelector(".banners [role=alert]")`) // the next answer says that it isn't
}

func TestOlderRequestsAreReadPageByPage(t *testing.T) {
	w := newWorld(t, slow, up)
	w.asks("fast", 60)
	p := w.enter()
	p.button("Requests")
	p.await(`document.querySelectorAll("[data-request]").length === 50`)
	p.button("Show older")
	p.await(`document.querySelectorAll("[data-request]").length === 60`)
	p.gone("button", "Show older")
	w.ask("spare/m")
	p.await(`document.querySelector("[data-request] .combo-name").textContent === "spare/m"`)
}
