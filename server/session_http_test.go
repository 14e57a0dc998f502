package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// session logs in and returns the Cookie header of what follows.
func (g *gateway) session() string {
	g.t.Helper()
	re := g.ask(http.MethodPost, "/api/v1/session", `{"token":"`+testAdminToken+`"}`)
	cookies := re.Result().Cookies()
	if re.Code != http.StatusOK || len(cookies) != 1 {
		g.t.Fatalf("logging in: status %d, %v: %s", re.Code, cookies, re.Body)
	}
	return cookies[0].Name + "=" + cookies[0].Value
}

func TestTheTokenOpensASession(t *testing.T) {
	g := newGateway(t, true)
	re := g.ask(http.MethodPost, "/api/v1/session", `{"token":"`+testAdminToken+`"}`)
	cookie := re.Result().Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Secure || cookie.MaxAge != 0 {
		t.Errorf("cookie %+v", cookie)
	}
	if body := re.json(); body["version"] != "test" || body["instance"] != "local" || body["expires_at"] == nil {
		t.Errorf("answer %v", body)
	}
	if strings.Contains(re.Body.String(), cookie.Value) || re.Header().Get("Cache-Control") != "no-store" {
		t.Error("the answer shows the secret or may be kept")
	}
	session := cookie.Name + "=" + cookie.Value
	for _, call := range []struct{ method, path, body string }{
		{http.MethodGet, "/api/v1/session", ""},
		{http.MethodGet, "/api/v1/breakers", ""},
		{http.MethodPost, "/api/v1/breakers/reset", "{}"},
	} {
		if re := g.ask(call.method, call.path, call.body, "Cookie", session); re.Code != http.StatusOK {
			t.Errorf("%s %s: %d", call.method, call.path, re.Code)
		}
	}
	if re := g.ask(http.MethodDelete, "/api/v1/session", "", "Cookie", session); re.Code != http.StatusNoContent ||
		re.Result().Cookies()[0].MaxAge != -1 {
		t.Errorf("logging out: %d, %v", re.Code, re.Result().Cookies())
	}
	g.ask(http.MethodGet, "/api/v1/breakers", "", "Cookie", session).wantError(401, "admin_token_required")
	if re := g.ask(http.MethodGet, "/api/v1/session", "", "Cookie", session); strings.TrimSpace(re.Body.String()) != `{"open":false}` {
		t.Errorf("after logging out: %s", re.Body)
	}
}

func TestACookieIsSecureBehindTLS(t *testing.T) {
	g := newGateway(t, true)
	re := g.ask(http.MethodPost, "/api/v1/session", `{"token":"`+testAdminToken+`"}`, "X-Forwarded-Proto", "https")
	if cookie := re.Result().Cookies()[0]; !cookie.Secure {
		t.Errorf("cookie %+v", cookie)
	}
}

func TestGatewaysOnOneHostHaveCookiesOfTheirOwn(t *testing.T) {
	for host, want := range map[string]string{
		"localhost:4700": "ohmroute_session_4700", "localhost:4701": "ohmroute_session_4701",
		"gateway.example": "ohmroute_session", "[::1]:80": "ohmroute_session_80", "[::1]": "ohmroute_session",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Host = host
		if got := sessionCookie(r); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}

func TestWrongTokensOpenNothingAndAreSlowed(t *testing.T) {
	g := newGateway(t, true)
	for range freeWrongTokens {
		re := g.ask(http.MethodPost, "/api/v1/session", `{"token":"not-the-admin-token"}`)
		re.wantError(401, "invalid_admin_token")
		if len(re.Result().Cookies()) != 0 {
			t.Error("a cookie was set")
		}
	}
	start := time.Now()
	g.ask(http.MethodPost, "/api/v1/session", `{"token":"not-the-admin-token"}`).wantError(401, "invalid_admin_token")
	if held := time.Since(start); held < 50*time.Millisecond {
		t.Errorf("the fourth was answered after %s", held)
	}
	g.session() // the right one is not slowed
	for body, code := range map[string]string{
		"": "invalid_parameter", "{}": "invalid_parameter", `{"token":""}`: "invalid_parameter",
		`{"token":1}`: "invalid_json", "x": "invalid_json", `{"tokens":"a"}`: "invalid_json",
	} {
		g.ask(http.MethodPost, "/api/v1/session", body).wantError(400, code)
	}
}

func TestOnlyOwnPagesLogInAndOut(t *testing.T) {
	g := newGateway(t, true)
	body := `{"token":"` + testAdminToken + `"}`
	g.ask(http.MethodPost, "/api/v1/session", body, "Origin", "https://evil.example").wantError(403, "cross_origin")
	g.ask(http.MethodPost, "/api/v1/session", body, "Sec-Fetch-Site", "same-site").wantError(403, "cross_origin")
	session := g.session()
	g.ask(http.MethodDelete, "/api/v1/session", "", "Cookie", session, "Origin", "http://localhost:3000").wantError(403, "cross_origin")
	g.ask(http.MethodPost, "/api/v1/breakers/reset", "", "Cookie", session, "Origin", "http://localhost:3000").wantError(403, "cross_origin")
	if re := g.ask(http.MethodPost, "/api/v1/breakers/reset", "", "Cookie", session, "Origin", "http://localhost:4700"); re.Code != 200 {
		t.Errorf("the own page: %d", re.Code)
	}
}

func TestTheEventStreamEndsWithItsSession(t *testing.T) {
	for name, end := range map[string]func(*gateway, string){
		"by logging out": func(g *gateway, session string) { g.ask(http.MethodDelete, "/api/v1/session", "", "Cookie", session) },
		"by expiry":      func(*gateway, string) { time.Sleep(sessionIdle + time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGateway(t, true)
				session := g.session()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					g.ask(http.MethodGet, "/api/v1/events", "", "Cookie", session)
				}()
				synctest.Wait()
				select {
				case <-ended:
					t.Fatal("the stream ended by itself")
				default:
				}
				end(g, session)
				synctest.Wait()
				select {
				case <-ended:
				default:
					t.Fatal("the stream goes on")
				}
			})
		})
	}
}
