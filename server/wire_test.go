package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/e2e/recorded"
	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

// wireRequest is a recorded request of a real client.
type wireRequest struct {
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Headers  [][2]string     `json:"headers"`
	Body     json.RawMessage `json:"body"`
	BodyText string          `json:"bodyText"`
}

// path is the one behind the prefix, empty if the request is none that a target answers.
func (r *wireRequest) path() string {
	if r.Method != http.MethodPost {
		return ""
	}
	path, _, _ := strings.Cut(r.URL, "?")
	for _, prefix := range clientPrefixes {
		for _, rt := range routes {
			if rt.method == http.MethodPost && rt.role == roleClient && path == prefix+rt.path {
				return rt.path
			}
		}
	}
	return ""
}

// sent is the body as the client sends it.
func (r *wireRequest) sent(t *testing.T) []byte {
	t.Helper()
	if r.BodyText != "" {
		return []byte(r.BodyText)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, r.Body); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// forTarget is the body with the name of the target's model, and the name that it replaces.
func (r *wireRequest) forTarget(t *testing.T) (body []byte, model string) {
	t.Helper()
	sent := r.sent(t)
	if r.BodyText != "" {
		_, rest, _ := strings.Cut(r.BodyText, "name=\"model\"\r\n\r\n")
		model, _, _ = strings.Cut(rest, "\r\n")
		return bytes.Replace(sent, []byte(model), []byte("m"), 1), model
	}
	named := gjson.GetBytes(sent, "model")
	if !named.Exists() {
		return append([]byte(`{"model":"m",`), sent[1:]...), ""
	}
	body = append(append(bytes.Clone(sent[:named.Index]), `"m"`...), sent[named.Index+len(named.Raw):]...)
	return body, named.Str
}

// answers of a scripted upstream for the endpoints that have no conversation.
var wireAnswers = map[string]string{
	"/embeddings":            `json {"object":"list","data":[{"object":"embedding","index":0,"embedding":"AACAPw=="}]}`,
	"/moderations":           `json {"id":"m","results":[{"flagged":false}]}`,
	"/images/generations":    `json {"created":1,"data":[{"url":"https://pictures.example/cat.png"}]}`,
	"/audio/speech":          "header Content-Type: audio/mpeg; raw \"ID3\\x00\\xff\\n\\ndata: sound\"",
	"/audio/transcriptions":  `json {"text":"hello"}`,
	"/completions":           "header Content-Type: text/event-stream; raw \"data: {\\\"choices\\\":[{\\\"index\\\":0,\\\"text\\\":\\\"hi\\\",\\\"finish_reason\\\":\\\"stop\\\"}]}\\n\\ndata: [DONE]\\n\\n\"",
	"/messages/count_tokens": `json {"input_tokens":12}`,
}

// serveWire gives every name that a client may ask for one target, which speaks all of OpenAI's dialects and
// Anthropic's.
func (g *gateway) serveWire(up *providertest.Upstream, names ...string) {
	g.t.Helper()
	host, err := providers.NewHost(providers.HostConfig{
		BaseURL: up.URL(), Dialects: []providers.Endpoint{providers.Chat, providers.Responses, providers.Messages},
	})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(host.Close)
	g.route(host.Send)
	cfg := &combo.Config{Combos: map[string]*combo.Combo{}, Direct: combo.DefaultCombo(), DefaultModel: "the default"}
	cfg.Providers = map[string]*combo.Provider{"a": {
		ID: "a", Kind: "openai", Client: host, Enabled: true, Limits: combo.DefaultLimits(),
		Keys:   []providers.Key{{Name: "k", Secret: "sk-of-the-gateway"}},
		Models: map[string]combo.Model{"m": {Name: "m"}},
	}}
	for _, name := range append(names, "the default") {
		c := combo.DefaultCombo()
		c.Name, c.Targets = name, []combo.Target{{Provider: "a", Model: "m", Weight: 1}}
		cfg.Combos[name] = &c
	}
	g.router.Swap(cfg)
}

// goesUp tells whether a client's header is one that upstreams get.
func goesUp(name string) bool {
	switch name = strings.ToLower(name); name {
	case "content-type", "openai-beta", "traceparent", "tracestate", "x-client-request-id":
		return true
	}
	return strings.HasPrefix(name, "anthropic-")
}

// TestRecordedRequestsReachTheirTargetByteForByte holds that whatever real clients send to an endpoint comes to a target
// of the same dialect with nothing but the model's name changed.
func TestRecordedRequestsReachTheirTargetByteForByte(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recorded.Folder(t, "wire"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	g := newGateway(t, false)
	up := providertest.NewUpstream(t)
	url := g.listen()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	seen := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r wireRequest
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if r.path() == "" {
			continue
		}
		seen[r.path()]++
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, model := r.forTarget(t)
			g.serveWire(up, model)
			up.Forget()
			up.Script("", cmp.Or(wireAnswers[r.path()], "chat Hello there"))
			ask := r.request(t, url)
			resp, err := client.Do(ask)
			if err != nil {
				t.Fatal(err)
			}
			answer, whole := readAll(t, resp)
			if resp.StatusCode != http.StatusOK || !whole || len(up.Requests()) != 1 {
				t.Fatalf("status %d, whole %v, asked %d times: %s", resp.StatusCode, whole, len(up.Requests()), answer)
			}
			r.check(t, ask, up.Requests()[0])
		})
	}
	for _, path := range []string{"/chat/completions", "/responses", "/messages", "/messages/count_tokens", "/embeddings", "/audio/transcriptions"} {
		if seen[path] == 0 {
			t.Errorf("no request to %s was recorded", path)
		}
	}
}

// request is what the client sends to a gateway.
func (r *wireRequest) request(t *testing.T, url string) *http.Request {
	t.Helper()
	ask, err := http.NewRequestWithContext(t.Context(), r.Method, url+r.URL, bytes.NewReader(r.sent(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Headers {
		if !strings.EqualFold(h[0], "host") && !strings.EqualFold(h[0], "content-length") {
			ask.Header.Add(h[0], h[1])
		}
	}
	return ask
}

// check compares what the target got with what the client asked.
func (r *wireRequest) check(t *testing.T, ask *http.Request, got providertest.Request) {
	t.Helper()
	if want, _ := r.forTarget(t); !bytes.Equal(got.Body, want) {
		t.Errorf("they differ from %d on:\n%.300s\nwant\n%.300s", differsAt(got.Body, want), got.Body, want)
	}
	_, query, _ := strings.Cut(r.URL, "?")
	if got.Path != "/v1"+r.path() || got.Query != query {
		t.Errorf("path %q and query %q, want %q and %q", got.Path, got.Query, "/v1"+r.path(), query)
	}
	if auth := got.Header.Get("Authorization"); auth != "Bearer sk-of-the-gateway" {
		t.Errorf("authorization %q", auth)
	}
	for name := range ask.Header {
		values := got.Header.Values(name)
		switch {
		case goesUp(name) && !slices.Equal(values, ask.Header.Values(name)):
			t.Errorf("%s is %q, want %q", name, values, ask.Header.Values(name))
		case !goesUp(name) && strings.HasPrefix(name, "X-") && len(values) > 0:
			t.Errorf("%s went up: %q", name, values)
		}
	}
}
