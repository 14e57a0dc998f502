package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/providers"
)

// route is one row of the table: the whole of what the gateway answers to.
type route struct {
	method, path string
	role         role
	handler      func(*Server, echo.Context) error
}

// clientPrefixes are the places where SDKs expect an OpenAI-compatible host, depending on how they are pointed at it.
var clientPrefixes = [...]string{"/v1", "", "/openai/v1"}

// routes is the table. Paths of roleClient stand below each of clientPrefixes, all others as they are.
var routes = []route{
	{http.MethodPost, "/chat/completions", roleClient, generate(providers.Chat)},
	{http.MethodPost, "/completions", roleClient, generate(providers.Completions)},
	{http.MethodPost, "/embeddings", roleClient, generate(providers.Embeddings)},
	{http.MethodPost, "/responses", roleClient, generate(providers.Responses)},
	{http.MethodPost, "/messages", roleClient, generate(providers.Messages)},
	{http.MethodPost, "/messages/count_tokens", roleClient, generate(providers.CountTokens)},
	{http.MethodPost, "/moderations", roleClient, generate(providers.Moderations)},
	{http.MethodPost, "/images/generations", roleClient, generate(providers.Images)},
	{http.MethodPost, "/audio/speech", roleClient, generate(providers.Speech)},
	{http.MethodPost, "/audio/transcriptions", roleClient, generate(providers.Transcriptions)},
	{http.MethodPost, "/rerank", roleClient, generate(providers.Rerank)},
	{http.MethodGet, "/responses", roleClient, (*Server).refuseUpgrade},
	{http.MethodGet, "/models", roleClient, (*Server).listModels},
	{http.MethodGet, "/models/*", roleClient, (*Server).showModel},

	{http.MethodGet, "/", roleOpen, (*Server).hello},
	{http.MethodGet, "/", rolePage, (*Server).home}, // in its place where the admin side is
	{http.MethodGet, assetsRoute, rolePage, (*Server).showAsset},
	{http.MethodGet, "/api/hello", roleOpen, (*Server).hello},
	{http.MethodGet, "/healthz", roleOpen, (*Server).healthz},
	{http.MethodGet, "/readyz", roleOpen, (*Server).readyz},
	{http.MethodGet, "/metrics", roleMetrics, (*Server).metricsPage},

	{http.MethodGet, "/api/v1/providers", roleAdmin, providerDocuments.listed},
	{http.MethodPost, "/api/v1/providers", roleAdmin, providerDocuments.created},
	{http.MethodGet, "/api/v1/providers/:id", roleAdmin, providerDocuments.shown},
	{http.MethodPut, "/api/v1/providers/:id", roleAdmin, providerDocuments.replaced},
	{http.MethodDelete, "/api/v1/providers/:id", roleAdmin, providerDocuments.deleted},
	{http.MethodPost, "/api/v1/providers/:id/test", roleAdmin, (*Server).testProvider},

	{http.MethodGet, "/api/v1/combos", roleAdmin, comboDocuments.listed},
	{http.MethodPost, "/api/v1/combos", roleAdmin, comboDocuments.created},
	{http.MethodGet, "/api/v1/combos/:name", roleAdmin, comboDocuments.shown},
	{http.MethodPut, "/api/v1/combos/:name", roleAdmin, comboDocuments.replaced},
	{http.MethodDelete, "/api/v1/combos/:name", roleAdmin, comboDocuments.deleted},
	{http.MethodPost, "/api/v1/combos/:name/explain", roleAdmin, (*Server).explainCombo},

	{http.MethodGet, "/api/v1/breakers", roleAdmin, (*Server).listBreakers},
	{http.MethodPost, "/api/v1/breakers/reset", roleAdmin, (*Server).resetBreakers},
	{http.MethodGet, "/api/v1/breakers/:name", roleAdmin, (*Server).showBreaker},
	{http.MethodPost, "/api/v1/breakers/:name/reset", roleAdmin, (*Server).resetBreaker},
	{http.MethodPost, "/api/v1/breakers/:name/isolate", roleAdmin, (*Server).isolateBreaker},
	{http.MethodPost, "/api/v1/breakers/:name/release", roleAdmin, (*Server).releaseBreaker},
	{http.MethodGet, "/api/v1/breaker-state", roleAdmin, (*Server).breakerState},

	{http.MethodGet, "/api/v1/keys", roleAdmin, (*Server).listKeys},
	{http.MethodPost, "/api/v1/keys", roleAdmin, (*Server).createKey},
	{http.MethodDelete, "/api/v1/keys/:id", roleAdmin, (*Server).deleteKey},

	{http.MethodPost, "/api/v1/session", roleLogin, (*Server).logIn},
	{http.MethodGet, "/api/v1/session", roleLogin, (*Server).showSession},
	{http.MethodDelete, "/api/v1/session", roleLogin, (*Server).logOut},

	{http.MethodGet, "/api/v1/events", roleAdmin, whileLoggedIn((*Server).events)},
	{http.MethodGet, "/api/v1/requests", roleAdmin, (*Server).listRequests},
	{http.MethodGet, "/api/v1/requests/:id", roleAdmin, (*Server).showRequest},
	{http.MethodGet, "/api/v1/stats", roleAdmin, (*Server).showStats},
	{http.MethodGet, "/api/v1/openapi.json", roleAdmin, (*Server).showOpenAPI},
}

// assetsRoute is where the dashboard's files are: a page asks for dozens of them.
const assetsRoute = "/assets/*"

// quietRoutes are asked all the time by machines; their access log lines are of level debug.
var quietRoutes = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// side is which of the listeners serves a role.
type side func(role) bool

func bothSides(role) bool      { return true }
func clientSide(who role) bool { return who == roleOpen || who == roleClient }
func adminSide(who role) bool  { return who != roleClient }

// handler makes the handler of one listener.
func (s *Server) handler(serves side) http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = s.fail
	for _, rt := range routes {
		if !serves(rt.role) {
			continue
		}
		if rt.role != roleClient {
			s.register(e, rt)
			continue
		}
		for _, prefix := range clientPrefixes {
			at := rt
			at.path = prefix + rt.path
			s.register(e, at)
		}
	}
	routed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := routablePath(r.URL)
		if !ok {
			w.(*exchange).tell(errUnknownRoute)
			return
		}
		if s.origins.cors(w, r, path) {
			return
		}
		e.ServeHTTP(w, withoutTrailingSlash(r, path))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(routed, w, r) })
}

// register adds a row to echo, behind its role's guard. What can be read with GET can be asked for with HEAD.
func (s *Server) register(e *echo.Echo, rt route) {
	guarded := func(c echo.Context) error {
		exchangeOf(c).route = rt.path
		if err := s.admit(rt.role, c); err != nil {
			return err
		}
		return rt.handler(s, c)
	}
	e.Add(rt.method, rt.path, guarded)
	if rt.method == http.MethodGet {
		e.Add(http.MethodHead, rt.path, guarded)
	}
}
