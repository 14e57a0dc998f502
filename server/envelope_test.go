package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/config"
)

func TestPanicsAreAnsweredInTheEnvelope(t *testing.T) {
	g := newGateway(t, false)
	serve := func(h http.HandlerFunc) (w *httptest.ResponseRecorder, aborted bool) {
		w = httptest.NewRecorder()
		defer func() {
			if p := recover(); p != nil {
				if !isAbort(p) {
					t.Errorf("%v came through", p)
				}
				aborted = true
			}
		}()
		g.server.serve(h, w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		return w, false
	}
	t.Run("with 500 and the request id, which the log has too, and not with what was in the panic", func(t *testing.T) {
		w, aborted := serve(func(http.ResponseWriter, *http.Request) { panic("secret detail") })
		re := reply{w, t}
		e := re.wantError(500, "local")
		id := w.Header().Get("X-Request-Id")
		if aborted || !strings.Contains(e["message"].(string), id) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("aborted %v: %s", aborted, w.Body)
		}
		if log := g.logs.String(); !strings.Contains(log, "secret detail") || !strings.Contains(log, id) {
			t.Error("the log does not tell")
		}
	})
	t.Run("unless the response has begun: then the connection is cut", func(t *testing.T) {
		w, aborted := serve(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half"))
			panic("late")
		})
		if !aborted || w.Body.String() != "half" {
			t.Errorf("aborted %v: %s", aborted, w.Body)
		}
	})
	t.Run("a deliberate abort goes through untouched", func(t *testing.T) {
		w, aborted := serve(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		if !aborted || w.Body.Len() != 0 {
			t.Errorf("aborted %v: %s", aborted, w.Body)
		}
	})
}

func TestRefusedChangesOfTheConfiguration(t *testing.T) {
	tests := map[string]struct {
		err    error
		status int
		code   string
	}{
		"every problem of a document": {&config.ValidationError{Problems: []config.Problem{{Path: "id", Message: "missing"}}}, 400, "validation_failed"},
		"a taken name":                {&config.ConflictError{Code: config.ConflictExists, Message: "taken"}, 409, "already_exists"},
		"something in use":            {&config.ConflictError{Code: config.ConflictInUse, Message: "used"}, 409, "in_use"},
		"an outdated version":         {&config.ConflictError{Code: config.ConflictVersion, Message: "old"}, 409, "version_conflict"},
		"nothing of that name":        {fmt.Errorf("provider: %w", config.ErrNotFound), 404, "not_found"},
		"a broken disk":               {fmt.Errorf("%w: disk full", config.ErrPersistence), 503, "persistence_unavailable"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := configError(tt.err)
			if e == nil || e.Status != tt.status || e.Code != tt.code {
				t.Errorf("got %+v", e)
			}
		})
	}
	if e := configError(errors.New("another")); e != nil {
		t.Errorf("an error of another kind is taken for one: %+v", e)
	}
}

func TestBadInputOfClients(t *testing.T) {
	g := newGateway(t, true, func(o *Options) { o.Settings.MaxBody = 4 << 10 })
	const path = "/v1/chat/completions"
	tests := map[string]struct {
		body   string
		status int
	}{
		"no body":                            {"", 400},
		"broken JSON":                        {`{"model":"demo"`, 400},
		"no object":                          {`["demo"]`, 400},
		"something behind the JSON":          {`{"model":"demo","messages":[]} x`, 400},
		"a model of the wrong type":          {`{"model":7,"messages":[]}`, 400},
		"no model":                           {`{"messages":[]}`, 400},
		"stream of the wrong type":           {`{"model":"demo","stream":"yes","messages":[]}`, 400},
		"two models":                         {`{"model":"demo","model":"other","messages":[]}`, 400},
		"a model in other letters":           {`{"Model":"demo","model":"demo","messages":[]}`, 400},
		"depth over 128":                     {`{"model":"demo","messages":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, 400},
		"a body over the limit":              {`{"model":"demo","messages":["` + strings.Repeat("x", 5<<10) + `"]}`, 413},
		"a model that is not there":          {`{"model":"nobody","messages":[]}`, 404},
		"a provider's model that is not his": {`{"model":"demo/nobody","messages":[]}`, 404},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			re := g.ask(http.MethodPost, path, tt.body, "Content-Type", "application/json")
			if re.Code != tt.status {
				t.Errorf("status %d, want %d: %s", re.Code, tt.status, re.Body)
			}
			re.envelope()
		})
	}
	t.Run("an encoded body", func(t *testing.T) {
		g.ask(http.MethodPost, path, "{}", "Content-Encoding", "gzip").wantError(415, "unsupported_content_encoding")
	})
	t.Run("none of it makes a breaker", func(t *testing.T) {
		for _, b := range g.must(http.MethodGet, "/api/v1/breakers", "").json()["breakers"].([]any) {
			if b := b.(map[string]any); b["state"] != "CLOSED" || strings.Contains(b["name"].(string), "nobody") {
				t.Errorf("%v", b)
			}
		}
	})
}

func TestBodiesOverTheLimitAreRefusedOverTheNetwork(t *testing.T) {
	g := newGateway(t, true, func(o *Options) { o.Settings.MaxBody = 1 << 20 })
	url := g.listen() + "/v1/chat/completions"
	huge := strings.Repeat("x", 6<<20)
	for name, body := range map[string]http.Request{
		"with a length": {Body: nopCloser{strings.NewReader(huge)}, ContentLength: int64(len(huge))},
		"in chunks":     {Body: nopCloser{strings.NewReader(huge)}, ContentLength: -1},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body.Body)
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = body.ContentLength
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var v map[string]any
			if err := json.NewDecoder(resp.Body).Decode(&v); err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d, %v, %v", resp.StatusCode, v, err)
			}
		})
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAPictureOfFiftyMegabytesIsRefused(t *testing.T) {
	g := newGateway(t, true)
	url := g.listen()
	picture := `{"model":"demo","messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"` + strings.Repeat("A", 50<<20) + `"}}]}]}`
	for path, member := range map[string]string{"/v1/chat/completions": "code", messagesPath: "type"} {
		resp, err := http.Post(url+path, "application/json", strings.NewReader(picture))
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Error map[string]any }
		if err := json.NewDecoder(resp.Body).Decode(&v); err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge || v.Error[member] != "request_too_large" {
			t.Errorf("%s: status %d, %v, %v", path, resp.StatusCode, v, err)
		}
		resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

type nopCloser struct{ *strings.Reader }

func (nopCloser) Close() error { return nil }
