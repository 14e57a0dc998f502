package process

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Object is a JSON object whose members a test sets or looks at.
type Object = map[string]any

// send sends a request with the admin token and reads the answer whole. A body that isn't nil is sent as JSON.
func (g *Gateway) send(ctx context.Context, method, path string, body any) (status int, answer []byte, err error) {
	payload := io.Reader(http.NoBody)
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.URL+path, payload)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+g.Token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// Admin calls the admin API and returns status and body.
func (g *Gateway) Admin(method, path string, body any) (status int, answer []byte) {
	g.tb.Helper()
	status, answer, err := g.send(g.tb.Context(), method, path, body)
	if err != nil {
		g.tb.Fatalf("%s %s: %v", method, path, err)
	}
	return status, answer
}

// Must calls the admin API, wants the status given and decodes the answer into out unless that is nil.
func (g *Gateway) Must(want int, method, path string, body, out any) {
	g.tb.Helper()
	status, raw := g.Admin(method, path, body)
	if status != want {
		g.tb.Fatalf("%s %s: status %d, want %d: %s", method, path, status, want, raw)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			g.tb.Fatalf("%s %s: %v in %s", method, path, err, raw)
		}
	}
}

// Breaker is what the admin API shows of one breaker.
func (g *Gateway) Breaker(name string) Object {
	g.tb.Helper()
	var b Object
	g.Must(http.StatusOK, http.MethodGet, "/api/v1/breakers/"+url.PathEscape(name), nil, &b)
	return b
}

// State is the state of one breaker.
func (g *Gateway) State(name string) string {
	g.tb.Helper()
	state, _ := g.Breaker(name)["state"].(string)
	return state
}

// Provider makes a provider of kind openai with one key; settings are added to it or replace what is there.
func (g *Gateway) Provider(id, baseURL string, settings Object) {
	g.tb.Helper()
	p := Object{
		"id": id, "kind": "openai", "base_url": baseURL,
		"keys": []Object{{"name": "main", "value": "sk-" + id}},
	}
	maps.Copy(p, settings)
	g.Must(http.StatusCreated, http.MethodPost, "/api/v1/providers", p, nil)
}

// Combo makes a combo of the targets, each "provider/model", in order of priority.
func (g *Gateway) Combo(name string, targets ...string) {
	g.tb.Helper()
	var list []Object
	for _, target := range targets {
		provider, model, _ := strings.Cut(target, "/")
		list = append(list, Object{"provider": provider, "model": model})
	}
	g.Must(http.StatusCreated, http.MethodPost, "/api/v1/combos", Object{"name": name, "strategy": "priority", "targets": list}, nil)
}
