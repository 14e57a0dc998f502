package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ohmroute/ohmroute/e2e/process"
)

// page is one tab with cookies of its own. Its methods end the test when they can't do what they say. The test fails at
// its end if the page has thrown, or has broken its own policy.
type page struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // to chromedp a tab is a context

	mu     sync.Mutex
	faults []string
}

const (
	desktopWidth, desktopHeight = 1440, 900
	phoneWidth, phoneHeight     = 375, 780
)

// open shows an address in a new tab.
func open(t *testing.T, address string) *page {
	t.Helper()
	all, err := browser()
	if errors.Is(err, errNoBrowser) {
		need(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := chromedp.NewContext(all, chromedp.WithNewBrowserContext())
	p := &page{t: t, ctx: ctx}
	p.do("opening a tab")
	watched := make(chan struct{})
	messages := chromedp.Console(ctx)
	go func() {
		defer close(watched)
		p.watch(messages)
	}()
	t.Cleanup(func() {
		if t.Failed() {
			p.picture("failed-" + strings.ReplaceAll(t.Name(), "/", "-"))
		}
		leave()
		<-watched
		for _, fault := range p.faults {
			t.Errorf("the page complains: %s", fault)
		}
	})
	p.do("sizing", chromedp.EmulateViewport(desktopWidth, desktopHeight))
	p.do("opening "+address, chromedp.Navigate(address))
	return p
}

// watch collects what should not be on the console. Answers that are no success are there too; tests provoke those.
func (p *page) watch(messages func(func(chromedp.ConsoleMessage, error) bool)) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.Source == "network" || !m.IsException() && m.Type != chromedp.ConsoleError {
			continue
		}
		p.mu.Lock()
		p.faults = append(p.faults, m.String())
		p.mu.Unlock()
	}
}

func (p *page) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, process.Patience)
	defer cancel()
	if what == "opening a tab" {
		ctx = p.ctx // the first call makes the tab, which lives as long as its context
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

func awaited(p *runtime.EvaluateParams) { p.AwaitPromise = new(true) }

// eval gives the value of an expression of JavaScript.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, process.Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, awaited))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until a condition of JavaScript holds: it is looked at whenever the page changes.
func (p *page) await(condition string) {
	p.t.Helper()
	// A new document ends the promise of the old one: then the condition is looked at there.
	const watching = `new Promise((done) => {
		const holds = () => { try { return %s; } catch { return false; } }; // what it looks at may not be there yet
		const look = () => { if (holds()) { observer.disconnect(); clearInterval(timer); done(true); } };
		const observer = new MutationObserver(look);
		const timer = setInterval(look, 100);
		observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		look();
	})`
	ctx, cancel := context.WithTimeout(p.ctx, process.Patience)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(watching, condition), awaited))
		if err == nil {
			return
		}
		if ctx.Err() != nil || p.t.Context().Err() != nil {
			p.t.Fatalf("waited in vain for %s\nthe page shows:\n%s", condition, p.shown())
		}
	}
}

// shown is what stands on the page, for messages.
func (p *page) shown() string {
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// element is the expression for the first visible element that a selector names.
func element(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].find((e) => e.checkVisibility())`, quoted(selector))
}

// says waits until an element shows a text.
func (p *page) says(selector, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf(`[...document.querySelectorAll(%s)].some((e) => e.checkVisibility() && e.textContent.includes(%s))`, quoted(selector), quoted(text)))
}

// gone waits until nothing visible has the text.
func (p *page) gone(selector, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf(`![...document.querySelectorAll(%s)].some((e) => e.checkVisibility() && e.textContent.includes(%s))`, quoted(selector), quoted(text)))
}

// click clicks the first visible element that a selector names, with the mouse and where it is.
func (p *page) click(selector string) {
	p.t.Helper()
	p.await(element(selector) + ` && !` + element(selector) + `.disabled`)
	at := eval[[]float64](p, `(() => { const e = `+element(selector)+`; e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	p.do("clicking "+selector, chromedp.MouseClickXY(at[0], at[1]))
}

// button clicks the button or link of a name, as it is read out. Behind an open dialog none can be clicked.
func (p *page) button(name string) {
	p.t.Helper()
	const find = `[...(document.querySelector("dialog[open]") ?? document).querySelectorAll("button, a.button, .nav a")].find((e) => e.checkVisibility() && (e.getAttribute("aria-label") ?? e.textContent).trim() === %s)`
	found := fmt.Sprintf(find, quoted(name))
	p.await(found)
	eval[bool](p, `(() => { document.querySelectorAll("[data-wanted]").forEach((e) => delete e.dataset.wanted); `+found+`.dataset.wanted = ""; return true; })()`)
	p.click("[data-wanted]")
}

// fill types a text into a field, instead of what stands there.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.await(element(selector))
	eval[bool](p, `(() => { const e = `+element(selector)+`; e.focus(); e.select(); return true; })()`)
	p.press(kb.Delete)
	p.press(text)
}

// press sends keys to whatever has the focus. As on a keyboard, a character comes only from a key that nobody has taken.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do("pressing keys", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range keys {
			events := kb.Encode(r)
			pressed, released := events[0], events[len(events)-1]
			if len(events) == 3 {
				pressed.Text, pressed.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			}
			for _, e := range []*input.DispatchKeyEventParams{pressed, released} {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// states is what the board shows of each breaker.
func (p *page) states() map[string]string {
	p.t.Helper()
	return eval[map[string]string](p, `Object.fromEntries([...document.querySelectorAll(".card")].map((c) => [c.dataset.name, c.querySelector(".badge").textContent]))`)
}

// state waits until the board shows a breaker in a state, by word and by shape.
func (p *page) state(name, state string) {
	p.t.Helper()
	card := fmt.Sprintf(`document.querySelector('.card[data-name=%s]')`, strings.ReplaceAll(quoted(name), "'", `\'`))
	p.await(fmt.Sprintf(`%s?.querySelector(".badge").textContent === %s && %s.querySelector(".badge svg").dataset.shape === %s`, card, quoted(state), card, quoted(state)))
}

// on is the selector of something on the card of a breaker.
func on(name, selector string) string {
	return fmt.Sprintf(".card[data-name=%s] %s", quoted(name), selector)
}

// expect removes faults that the test has provoked.
func (p *page) expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = slices.DeleteFunc(p.faults, func(fault string) bool { return strings.Contains(fault, text) })
}
