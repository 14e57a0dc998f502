package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers"
)

// readable are the headers that a page may read of any answer, and those that are about the connection.
var readable = []string{"Content-Type", "Content-Length", "Cache-Control", "Vary", "Date"}

func TestAPageCanReadEveryHeaderThatTellsAClientSomething(t *testing.T) {
	const page = "https://chat.example"
	g := newGateway(t, false, func(o *Options) { o.Settings.AllowedOrigins = []string{page} })
	for name, answers := range map[string]target{
		"an answer":               dropping(plain(`{"choices":[]}`), 1, "seed"),
		"every target has failed": failing(0, &providers.Failure{Kind: providers.Overloaded, Status: http.StatusServiceUnavailable, UpstreamID: "up_1"}),
	} {
		g.route(answers)
		h := g.ask(http.MethodPost, messagesPath, messagesBody, "Origin", page, "Sec-Fetch-Site", "cross-site").Header()
		exposed := strings.Split(strings.ToLower(h.Get("Access-Control-Expose-Headers")), ", ")
		for header := range h {
			if !slices.Contains(readable, header) && !strings.HasPrefix(header, "Access-Control-") && !slices.Contains(exposed, strings.ToLower(header)) {
				t.Errorf("%s: %s is hidden", name, header)
			}
		}
	}
}
