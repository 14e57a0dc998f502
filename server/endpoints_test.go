package server

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

// endpointRequests has a good request for each endpoint that targets answer, by its path.
var endpointRequests = map[string]struct {
	endpoint  providers.Endpoint
	body      string
	streamed  string // further members that ask for a stream; empty: it is never streamed
	withoutIt string // what the body lacks if it is {"model":"c"}
}{
	"/chat/completions":      {providers.Chat, `{"model":"c","messages":[]`, `,"stream":true`, "messages"},
	"/completions":           {providers.Completions, `{"model":"c","prompt":"x"`, `,"stream":true`, "prompt"},
	"/embeddings":            {providers.Embeddings, `{"model":"c","input":["x"]`, "", "input"},
	"/responses":             {providers.Responses, `{"model":"c","input":"x"`, `,"stream":true`, "input"},
	"/messages":              {providers.Messages, `{"model":"c","max_tokens":1,"messages":[]`, `,"stream":true`, "messages"},
	"/messages/count_tokens": {providers.CountTokens, `{"model":"c","messages":[]`, "", "messages"},
	"/moderations":           {providers.Moderations, `{"model":"c","input":"x"`, "", "input"},
	"/images/generations":    {providers.Images, `{"model":"c","prompt":"x"`, `,"stream":true`, "prompt"},
	"/audio/speech":          {providers.Speech, `{"model":"c","input":"x","voice":"v"`, `,"stream_format":"sse"`, "input"},
	"/rerank":                {providers.Rerank, `{"model":"c","query":"x","documents":[]`, "", "query"},
}

// keeping answers every request and keeps the last one.
func keeping(last **providers.Request) target {
	return func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
		*last = a.Request
		answer, err := plain(`{"an":"answer"}`)(ctx, a)
		if a.Stream {
			answer, err = streaming(chunk{data: "data: {}\n\n"})(ctx, a)
		}
		return answer, err
	}
}

func TestEveryEndpointIsWalkedUnderAllItsPaths(t *testing.T) {
	g := newGateway(t, false)
	var last *providers.Request
	g.route(keeping(&last))
	for _, rt := range routes {
		if rt.method != http.MethodPost || rt.role != roleClient || rt.path == "/audio/transcriptions" {
			continue
		}
		test, ok := endpointRequests[rt.path]
		if !ok {
			t.Errorf("no request is known for %s", rt.path)
		}
		for _, prefix := range clientPrefixes {
			for _, slash := range []string{"", "/"} {
				path := prefix + rt.path + slash
				t.Run(path, func(t *testing.T) {
					last = nil
					re := g.ask(http.MethodPost, path+"?beta=true", test.body+"}")
					if re.Code != http.StatusOK || re.Body.String() != `{"an":"answer"}` || re.Header().Get("Content-Type") != "application/json" {
						t.Fatalf("status %d: %s", re.Code, re.Body)
					}
					if last == nil || last.Endpoint != test.endpoint || last.Query != "beta=true" || last.Stream {
						t.Errorf("the target was asked %+v", last)
					}
				})
			}
		}
		t.Run("streamed "+rt.path, func(t *testing.T) {
			re := g.ask(http.MethodPost, rt.path, test.body+test.streamed+"}")
			if ct := re.Header().Get("Content-Type"); re.Code != http.StatusOK || strings.HasPrefix(ct, "text/event-stream") != (test.streamed != "") {
				t.Errorf("status %d, %s: %s", re.Code, ct, re.Body)
			}
		})
		t.Run("stream where there is none "+rt.path, func(t *testing.T) {
			if test.streamed != "" {
				return
			}
			re := g.ask(http.MethodPost, rt.path, test.body+`,"stream":true}`)
			if re.Code != http.StatusOK || re.Body.String() != `{"an":"answer"}` {
				t.Errorf("status %d: %s", re.Code, re.Body)
			}
		})
		t.Run("with nothing to answer "+rt.path, func(t *testing.T) {
			last = nil
			e := g.ask(http.MethodPost, rt.path, `{"model":"c"}`).wantError(400, "missing_required_parameter")
			if e["param"] != test.withoutIt || last != nil {
				t.Errorf("got %v, asked %v", e, last)
			}
		})
	}
}

func TestEndpointsThatNeedNoModel(t *testing.T) {
	for path, body := range map[string]string{"/v1/moderations": `{"input":"x"}`, "/v1/images/generations": `{"prompt":"x","model":null}`} {
		g := newGateway(t, false)
		g.ask(http.MethodPost, path, body).wantError(400, "missing_required_parameter")
		up := providertest.NewUpstream(t)
		g.serveWire(up)
		up.Script("m", wireAnswers[strings.TrimPrefix(path, "/v1")])
		if re := g.ask(http.MethodPost, path, body); re.Code != http.StatusOK || up.Count("m") != 1 {
			t.Errorf("%s: status %d: %s", path, re.Code, re.Body)
		}
	}
}

// TestSoundPassesUntouched holds that an answer which is no text comes through byte for byte.
func TestSoundPassesUntouched(t *testing.T) {
	g := newGateway(t, false)
	up := providertest.NewUpstream(t)
	g.serveWire(up, "c")
	url := g.listen()
	ask := func(t *testing.T, body, script string) (*http.Response, string) {
		t.Helper()
		up.Script("", script)
		resp, err := http.Post(url+"/v1/audio/speech", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(text)
	}
	defer http.DefaultClient.CloseIdleConnections()
	t.Run("as it sounds", func(t *testing.T) {
		resp, text := ask(t, `{"model":"c","voice":"v","input":"x"}`, `header Content-Type: audio/mpeg; raw "ID3\x00\xff\n\ndata: {}\r\n"`)
		if text != "ID3\x00\xff\n\ndata: {}\r\n" || resp.Header.Get("Content-Type") != "audio/mpeg" || resp.Header.Get("X-Ohmroute-Target") != "a/m" {
			t.Errorf("%v: %q", resp.Header, text)
		}
	})
	t.Run("in events", func(t *testing.T) {
		const events = "data: {\"type\":\"speech.audio.delta\",\"audio\":\"SUQz\"}\n\ndata: {\"type\":\"speech.audio.done\"}\n\n"
		resp, text := ask(t, `{"model":"c","voice":"v","input":"x","stream_format":"sse"}`,
			`event {"type":"speech.audio.delta","audio":"SUQz"}; event {"type":"speech.audio.done"}`)
		if text != events || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			t.Errorf("%v: %q", resp.Header, text)
		}
	})
}

func TestWhatIsKeptOfResponsesIsNotThere(t *testing.T) {
	g := newGateway(t, true)
	for _, ask := range [][2]string{
		{http.MethodGet, "/v1/responses/resp_1"},
		{http.MethodDelete, "/v1/responses/resp_1"},
		{http.MethodPost, "/v1/responses/resp_1/cancel"},
		{http.MethodGet, "/v1/responses/resp_1/input_items"},
		{http.MethodPost, "/responses/compact"},
		{http.MethodGet, "/openai/v1/responses/resp_1/"},
	} {
		t.Run(ask[0]+" "+ask[1], func(t *testing.T) {
			g.ask(ask[0], ask[1], "{}").wantError(http.StatusNotFound, "unknown_url")
		})
	}
	g.ask(http.MethodGet, "/responses", "", "Upgrade", "WebSocket").wantError(http.StatusUpgradeRequired, "websocket_not_supported")
}
