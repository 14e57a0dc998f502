package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers"
)

func TestWhatGoesUp(t *testing.T) {
	g := newGateway(t, false)
	var sent *providers.Request
	g.route(func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
		sent = a.Request
		return plain(`{}`)(ctx, a)
	})
	re := g.ask(http.MethodPost, "/openai/v1/chat/completions?api-version=1&x=%2F", plainBody,
		"Authorization", "Bearer client-secret", "X-Api-Key", "client-secret", "Cookie", "a=b", "Proxy-Authorization", "x",
		"Accept-Encoding", "gzip", "Idempotency-Key", "i", "X-Idempotency-Key", "i",
		"Openai-Beta", "b", "Traceparent", "t", "X-Session-Id", "s-1", "Content-Type", "application/x-www-form-urlencoded")
	if re.Code != 200 {
		t.Fatalf("%d %s", re.Code, re.Body)
	}
	t.Run("never the client's credentials, encodings or idempotency keys", func(t *testing.T) {
		for name, values := range sent.Header {
			for _, v := range values {
				if strings.Contains(v, "secret") {
					t.Errorf("%s: %s", name, v)
				}
			}
		}
		for _, name := range keptHeaders {
			if sent.Header.Get(name) != "" {
				t.Errorf("%s went up", name)
			}
		}
	})
	t.Run("other headers for the provider's allow-list, query, session and JSON as content type", func(t *testing.T) {
		if sent.Header.Get("Openai-Beta") != "b" || sent.Header.Get("Traceparent") != "t" {
			t.Errorf("headers %v", sent.Header)
		}
		if sent.Query != "api-version=1&x=%2F" || sent.SessionHeader != "s-1" || sent.ContentType != "application/json" {
			t.Errorf("query %q, session %q, content-type %q", sent.Query, sent.SessionHeader, sent.ContentType)
		}
		if sent.Endpoint != providers.Chat || sent.RequestID != re.Header().Get("X-Request-Id") || sent.Start.IsZero() {
			t.Errorf("endpoint %q, id %q", sent.Endpoint, sent.RequestID)
		}
	})
}
