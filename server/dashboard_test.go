package server

import (
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/web"
)

func TestTheRootIsAPageForBrowsersAndAGreetingForPrograms(t *testing.T) {
	g := newGateway(t, true)
	page := g.ask(http.MethodGet, "/", "", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if page.Code != http.StatusOK || page.Header().Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(page.Body.String(), "<html") {
		t.Errorf("a browser: %d %v", page.Code, page.Header())
	}
	for _, accept := range []string{"", "*/*", "application/json"} {
		re := g.ask(http.MethodGet, "/", "", "Accept", accept)
		if re.Code != http.StatusOK || re.json()["name"] != "ohmroute" || re.Header().Get("Vary") != "Accept" {
			t.Errorf("a program that takes %q: %d %s", accept, re.Code, re.Body)
		}
	}
	if re := g.ask(http.MethodHead, "/", ""); re.Code != http.StatusOK {
		t.Errorf("HEAD: %d", re.Code)
	}
}

func TestTheDashboardIsWhereTheAdminSideIs(t *testing.T) {
	g := newGateway(t, true)
	browser := []string{"Accept", "text/html"}
	g.handler = g.server.handler(clientSide)
	if re := g.ask(http.MethodGet, "/", "", browser...); re.Header().Get("Content-Type") != "application/json" {
		t.Errorf("the client side shows %s", re.Header().Get("Content-Type"))
	}
	g.ask(http.MethodGet, "/assets/app.js", "", browser...).wantError(404, "unknown_url")
	g.ask(http.MethodPost, "/api/v1/session", "").wantError(404, "unknown_url")
	g.handler = g.server.handler(adminSide)
	if re := g.ask(http.MethodGet, "/", "", browser...); !strings.HasPrefix(re.Header().Get("Content-Type"), "text/html") {
		t.Errorf("the admin side shows %s", re.Header().Get("Content-Type"))
	}
}

func TestEveryFileOfTheDashboardIsServedWithAStrictPolicy(t *testing.T) {
	g := newGateway(t, true)
	n := 0
	err := fs.WalkDir(web.Files(), "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		n++
		re := g.ask(http.MethodGet, "/"+name, "")
		h := re.Header()
		if re.Code != http.StatusOK || h.Get("Content-Type") == "" || h.Get("ETag") == "" || h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", name, re.Code, h)
		}
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", name, h)
		}
		again := g.ask(http.MethodGet, "/"+name, "", "If-None-Match", `"other", W/`+h.Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s again: %d", name, again.Code)
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files, %v", n, err)
	}
}

func TestThePageHasNothingInlineAndNothingFromElsewhere(t *testing.T) {
	page, err := fs.ReadFile(web.Files(), dashboardPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<style", "style=", "onload", "onclick", "javascript:", "http://", "https://", "src=\"//"} {
		if strings.Contains(string(page), part) {
			t.Errorf("the page has %q", part)
		}
	}
	for tag := range strings.SplitSeq(string(page), "<script") {
		if attributes, _, _ := strings.Cut(tag, "</script>"); strings.HasPrefix(attributes, " ") && !strings.HasSuffix(attributes, "></script") && !strings.HasSuffix(attributes, ">") {
			t.Errorf("a script stands in the page: %s", attributes)
		}
	}
}

func TestNoFileOfTheDashboardMakesMarkupOfText(t *testing.T) {
	err := fs.WalkDir(web.Files(), "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(web.Files(), name)
		if err != nil {
			return err
		}
		for _, sink := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "setAttribute(\"style\"", "@import", "http://", "https://"} {
			if strings.Contains(string(body), sink) && !strings.Contains(string(body), "www.w3.org/2000/svg") {
				t.Errorf("%s has %s", name, sink)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoFileIs404(t *testing.T) {
	g := newGateway(t, true)
	for _, path := range []string{"/assets/none.js", "/assets/../index.html", "/assets/%2e%2e/index.html", "/assets", "/assets/", "/index.html"} {
		g.ask(http.MethodGet, path, "").wantError(404, "unknown_url")
	}
}
