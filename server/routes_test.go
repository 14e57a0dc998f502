package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// caller is one way to come to a route.
type caller struct {
	name    string
	headers map[string]string
	remote  string
	host    string
}

// admitted says which roles let a caller pass the guard once a client key was made.
var admitted = map[string]map[role]bool{
	"nobody here":                         {roleOpen: true, rolePage: true, roleLogin: true, roleMetrics: true},
	"nobody elsewhere":                    {roleOpen: true, rolePage: true, roleLogin: true},
	"client key":                          {roleOpen: true, rolePage: true, roleLogin: true, roleClient: true},
	"client key as x-api-key":             {roleOpen: true, rolePage: true, roleLogin: true, roleClient: true},
	"admin token":                         {roleOpen: true, rolePage: true, roleLogin: true, roleMetrics: true, roleAdmin: true},
	"admin token as x-api-key":            {roleOpen: true, rolePage: true, roleLogin: true},
	"metrics token":                       {roleOpen: true, rolePage: true, roleLogin: true, roleMetrics: true},
	"wrong token":                         {roleOpen: true, rolePage: true, roleLogin: true},
	"admin token from a foreign page":     {roleOpen: true, rolePage: true, roleMetrics: true},
	"admin token with a foreign origin":   {roleOpen: true, rolePage: true, roleMetrics: true},
	"admin token under a foreign host":    {roleOpen: true, rolePage: true, roleMetrics: true},
	"nobody here, led by a foreign page":  {roleOpen: true, rolePage: true},
	"nobody here, under a foreign host":   {roleOpen: true, rolePage: true},
	"session":                             {roleOpen: true, rolePage: true, roleLogin: true, roleMetrics: true, roleAdmin: true},
	"session from a page of another port": {roleOpen: true, rolePage: true, roleMetrics: true},
	"session beside a wrong token":        {roleOpen: true, rolePage: true, roleLogin: true},
	"session with a foreign origin":       {roleOpen: true, rolePage: true, roleMetrics: true},
	"session under a foreign host":        {roleOpen: true, rolePage: true, roleMetrics: true},
	"session's secret as a token":         {roleOpen: true, rolePage: true, roleLogin: true},
	"client key in place of a session":    {roleOpen: true, rolePage: true, roleLogin: true},
	"session that ended":                  {roleOpen: true, rolePage: true, roleLogin: true},
}

func callers(clientKey, metricsToken, session, ended string) []caller {
	bearer := func(token string) map[string]string { return map[string]string{"Authorization": "Bearer " + token} }
	with := func(headers map[string]string, name, value string) map[string]string {
		headers[name] = value
		return headers
	}
	return []caller{
		{name: "nobody here", remote: "127.0.0.1:1000"},
		{name: "nobody elsewhere"},
		{name: "client key", headers: bearer(clientKey)},
		{name: "client key as x-api-key", headers: map[string]string{"X-Api-Key": clientKey}},
		{name: "admin token", headers: bearer(testAdminToken)},
		{name: "admin token as x-api-key", headers: map[string]string{"X-Api-Key": testAdminToken}},
		{name: "metrics token", headers: bearer(metricsToken)},
		{name: "wrong token", headers: bearer("a-token-that-nobody-has")},
		{name: "admin token from a foreign page", headers: with(bearer(testAdminToken), "Sec-Fetch-Site", "cross-site")},
		{name: "admin token with a foreign origin", headers: with(bearer(testAdminToken), "Origin", "https://evil.example")},
		{name: "admin token under a foreign host", headers: bearer(testAdminToken), host: "evil.example"},
		{name: "nobody here, led by a foreign page", remote: "127.0.0.1:1000", headers: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		{name: "nobody here, under a foreign host", remote: "127.0.0.1:1000", host: "evil.example"},
		{name: "session", headers: map[string]string{"Cookie": session}},
		{name: "session from a page of another port", headers: map[string]string{"Cookie": session, "Sec-Fetch-Site": "same-site"}},
		{name: "session beside a wrong token", headers: with(bearer("a-token-that-nobody-has"), "Cookie", session)},
		{name: "session with a foreign origin", headers: map[string]string{"Cookie": session, "Origin": "https://evil.example"}},
		{name: "session under a foreign host", headers: map[string]string{"Cookie": session}, host: "evil.example:4700"},
		{name: "session's secret as a token", headers: bearer(strings.SplitN(session, "=", 2)[1])},
		{name: "client key in place of a session", headers: map[string]string{"Cookie": strings.SplitN(session, "=", 2)[0] + "=" + clientKey}},
		{name: "session that ended", headers: map[string]string{"Cookie": ended}},
	}
}

// TestEveryRouteAdmitsItsRoleAndNobodyElse walks the whole table: a new row is covered as soon as it stands there.
func TestEveryRouteAdmitsItsRoleAndNobodyElse(t *testing.T) {
	const metricsToken = "metrics-token-of-the-tests"
	g := newGateway(t, true, func(o *Options) { o.Settings.MetricsToken = metricsToken })
	clientKey := g.must(http.MethodPost, "/api/v1/keys", `{"name":"tests"}`).json()["key"].(string)
	ended := g.session()
	g.ask(http.MethodDelete, "/api/v1/session", "", "Cookie", ended)
	gone, leave := context.WithCancel(t.Context())
	leave() // streams end at once
	n := 0
	for _, rt := range routes {
		prefixes := []string{""}
		if rt.role == roleClient {
			prefixes = clientPrefixes[:]
		}
		for _, prefix := range prefixes {
			path := prefix + strings.NewReplacer(":id", "x", ":name", "x", "*", "x").Replace(rt.path)
			for _, who := range callers(clientKey, metricsToken, g.session(), ended) {
				t.Run(fmt.Sprintf("%s %s by %s", rt.method, path, who.name), func(t *testing.T) {
					n++
					r := httptest.NewRequestWithContext(gone, rt.method, path, http.NoBody)
					r.Host = "localhost:4700"
					if who.host != "" {
						r.Host = who.host
					}
					r.RemoteAddr = who.remote
					if r.RemoteAddr == "" {
						r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1000", n>>16&255, n>>8&255, n&255) // never slowed
					}
					for name, value := range who.headers {
						r.Header.Set(name, value)
					}
					re := g.serveAborted(r)
					refused := re.Code == http.StatusUnauthorized || re.Code == http.StatusForbidden
					if want := admitted[who.name][rt.role]; want == refused {
						t.Errorf("status %d, admitted should be %v: %s", re.Code, want, re.Body)
					}
					if re.Code >= 400 && rt.path != "/readyz" {
						re.envelope()
					}
				})
			}
		}
	}
}

// serveAborted serves a request whose client may be gone; an abort is an answer too.
func (g *gateway) serveAborted(r *http.Request) (re reply) {
	w := httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil && !isAbort(p) {
			panic(p)
		}
		re = reply{w, g.t}
	}()
	g.handler.ServeHTTP(w, r)
	return reply{w, g.t}
}

func TestClientSideIsOpenUntilAKeyWasMade(t *testing.T) {
	g := newGateway(t, true)
	if re := g.ask(http.MethodGet, "/v1/models", ""); re.Code != 200 {
		t.Fatalf("before any key: %d", re.Code)
	}
	t.Run("but not to pages of other sites", func(t *testing.T) {
		g.ask(http.MethodPost, "/v1/chat/completions", "{}", "Origin", "https://evil.example").wantError(403, "cross_origin")
	})
	t.Run("nor under a name that a page has pointed here", func(t *testing.T) {
		ask := func(host string, headers ...string) reply {
			r := httptest.NewRequest(http.MethodPost, "http://"+host+"/v1/chat/completions", strings.NewReader(`{"model":"demo","messages":[]}`))
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			return g.serve(r)
		}
		for name, headers := range map[string][]string{
			"a browser":           {"Origin", "http://evil.example:4700", "Sec-Fetch-Site", "same-origin"},
			"an old browser":      {"Origin", "http://evil.example:4700"},
			"a form's navigation": {"Sec-Fetch-Site", "none"},
		} {
			if re := ask("evil.example:4700", headers...); re.Code != http.StatusForbidden || !strings.Contains(re.Body.String(), "foreign_host") {
				t.Errorf("%s: %d %s", name, re.Code, re.Body)
			}
		}
		if re := ask("gateway:4700"); re.Code == http.StatusForbidden {
			t.Errorf("a program that calls the gateway by a name of its own: %s", re.Body)
		}
		if re := ask("localhost:4700", "Origin", "http://localhost:4700", "Sec-Fetch-Site", "same-origin"); re.Code == http.StatusForbidden {
			t.Errorf("a page of this host: %s", re.Body)
		}
	})
	id := g.must(http.MethodPost, "/api/v1/keys", `{"name":"one"}`).json()["id"].(string)
	g.ask(http.MethodGet, "/v1/models", "").wantError(401, "missing_api_key")
	g.must(http.MethodDelete, "/api/v1/keys/"+id, "")
	g.ask(http.MethodGet, "/v1/models", "").wantError(401, "missing_api_key")
}

func TestPathTricksReachNothing(t *testing.T) {
	g := newGateway(t, true)
	for _, path := range []string{
		"//api/v1/providers", "/api//v1/providers", "/v1/../api/v1/providers", "/v1/./models", "/api/v1/providers/",
		"/api/v1/providers/demo/x", "/api/v1/providers/demo/test/", "/API/v1/providers", "/api/v1%2Fproviders",
		"/%2Fapi/v1/providers", "/api/v1/prov%69ders", "/v1%2Fmodels", "/api/v1/combos/demo%2Fexplain%2F..",
		"/api/v1/breakers/target:demo/flaky", "/v1/chat/completions/x", "/v2/models", `/v1\models`, "/healthz/x",
		"/api/v1", "/api", "/openai/models", "/v1/openai/v1/models",
	} {
		t.Run(path, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
			r.Host = "localhost"
			u, err := r.URL.Parse("http://localhost")
			if err != nil {
				t.Fatal(err)
			}
			u.Path = path
			if strings.Contains(path, "%") {
				u.RawPath = path
				u.Path = strings.NewReplacer("%2F", "/", "%69", "i").Replace(path)
			}
			r.URL = u
			r.Header.Set("Authorization", "Bearer "+testAdminToken)
			re := g.serve(r)
			if re.Code != http.StatusNotFound {
				t.Errorf("status %d: %s", re.Code, re.Body)
			}
			re.envelope()
		})
	}
}

func TestWrongMethods(t *testing.T) {
	g := newGateway(t, true)
	tests := map[string]struct{ method, path, allow string }{
		"GET on an endpoint that takes POST":   {http.MethodGet, "/v1/chat/completions", "OPTIONS, POST"},
		"POST on a list":                       {http.MethodPost, "/v1/models", "OPTIONS, GET, HEAD"},
		"PATCH on a provider":                  {http.MethodPatch, "/api/v1/providers/demo", "OPTIONS, DELETE, GET, HEAD, PUT"},
		"an invented method":                   {"BREW", "/healthz", "OPTIONS, GET, HEAD"},
		"a plain GET where a WebSocket is one": {http.MethodGet, "/v1/responses", "POST"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			re := g.ask(tt.method, tt.path, "")
			re.wantError(http.StatusMethodNotAllowed, "method_not_allowed")
			if got := re.Header().Get("Allow"); got != tt.allow {
				t.Errorf("Allow: %q, want %q", got, tt.allow)
			}
		})
	}
	t.Run("OPTIONS tells the methods", func(t *testing.T) {
		re := g.ask(http.MethodOptions, "/v1/models", "")
		if re.Code != http.StatusNoContent || re.Header().Get("Allow") == "" {
			t.Errorf("status %d, Allow %q", re.Code, re.Header().Get("Allow"))
		}
	})
	t.Run("a WebSocket is refused with 426", func(t *testing.T) {
		g.ask(http.MethodGet, "/v1/responses", "", "Connection", "Upgrade", "Upgrade", "websocket").
			wantError(http.StatusUpgradeRequired, "websocket_not_supported")
	})
}

func TestClientPathsWithAndWithoutPrefix(t *testing.T) {
	g := newGateway(t, true)
	for _, path := range []string{"/v1/models", "/models", "/openai/v1/models", "/v1/models/"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if re := g.ask(method, path, ""); re.Code != http.StatusOK {
				t.Errorf("%s %s: status %d", method, path, re.Code)
			}
		}
	}
	for _, path := range []string{"/", "/api/hello"} {
		if re := g.ask(http.MethodHead, path, ""); re.Code != http.StatusOK {
			t.Errorf("HEAD %s: status %d", path, re.Code)
		}
	}
}

func TestCORSIsOffUnlessConfigured(t *testing.T) {
	const page = "https://chat.example"
	preflight := []string{"Origin", page, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization"}
	t.Run("off", func(t *testing.T) {
		g := newGateway(t, true)
		for _, re := range []reply{
			g.ask(http.MethodOptions, "/v1/chat/completions", "", preflight...),
			g.ask(http.MethodGet, "/v1/models", "", "Origin", page),
		} {
			for name := range re.Header() {
				if strings.HasPrefix(name, "Access-Control") {
					t.Errorf("%s was sent", name)
				}
			}
		}
	})
	g := newGateway(t, true, func(o *Options) { o.Settings.AllowedOrigins = []string{page} })
	t.Run("a preflight of an allowed origin is answered", func(t *testing.T) {
		re := g.ask(http.MethodOptions, "/v1/chat/completions", "", preflight...)
		h := re.Header()
		if re.Code != 204 || h.Get("Access-Control-Allow-Origin") != page || h.Get("Access-Control-Allow-Headers") != "authorization" {
			t.Errorf("status %d, %v", re.Code, h)
		}
	})
	t.Run("its requests pass and its page can read the answer", func(t *testing.T) {
		re := g.ask(http.MethodPost, "/v1/chat/completions", "{", "Origin", page, "Sec-Fetch-Site", "cross-site")
		if re.Code != 400 || re.Header().Get("Access-Control-Allow-Origin") != page {
			t.Errorf("status %d, %v", re.Code, re.Header())
		}
	})
	t.Run("another origin gets nothing", func(t *testing.T) {
		re := g.ask(http.MethodGet, "/v1/models", "", "Origin", "https://evil.example")
		if got := re.Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("allowed %q", got)
		}
	})
	t.Run("the admin side has none", func(t *testing.T) {
		re := g.admin(http.MethodGet, "/api/v1/providers", "", "Origin", page)
		if re.Code != 403 || re.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("status %d, %v", re.Code, re.Header())
		}
	})
}
