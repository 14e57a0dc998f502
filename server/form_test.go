package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

const (
	formType = "multipart/form-data; boundary=B0undary"
	sound    = "--B0undary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\nContent-Type: audio/wav\r\n\r\nRIFF\x00\r\n\xff model=c\r\n"
	modelC   = "--B0undary\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nc\r\n"
	inEvents = "--B0undary\r\nContent-Disposition: form-data; name=\"stream\"\r\n\r\ntrue\r\n"
	formEnd  = "--B0undary--\r\n"
)

func TestTranscriptions(t *testing.T) {
	tests := map[string]struct {
		body, script string
		want, kind   string
	}{
		"plain":                 {sound + modelC + formEnd, `json {"text":"hello"}`, `{"text":"hello"}`, "application/json"},
		"the model in front":    {modelC + sound + formEnd, `json {"text":"hello"}`, `{"text":"hello"}`, "application/json"},
		"as text":               {modelC + sound + formEnd, "header Content-Type: text/plain; body hello", "hello", "text/plain"},
		"streamed":              {modelC + sound + inEvents + formEnd, `event {"type":"transcript.text.done","text":"hello"}`, "data: {\"type\":\"transcript.text.done\",\"text\":\"hello\"}\n\n", "text/event-stream"},
		"after another attempt": {modelC + sound + formEnd, "error 500 - it broke", `{"text":"hello"}`, "application/json"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			s.one.Script("", test.script)
			s.two.Script("", `json {"text":"hello"}`)
			resp, err := s.client.Post(s.url+"/v1/audio/transcriptions", formType, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			text, whole := readAll(t, resp)
			if resp.StatusCode != http.StatusOK || text != test.want || !whole || resp.Header.Get("Content-Type") != test.kind {
				t.Errorf("status %d, %s: %q", resp.StatusCode, resp.Header.Get("Content-Type"), text)
			}
			want := strings.Replace(test.body, "\r\n\r\nc\r\n", "\r\n\r\nm\r\n", 1)
			for _, up := range []*providertest.Upstream{s.one, s.two} {
				for _, got := range up.Requests() {
					if string(got.Body) != want || got.Path != "/v1/audio/transcriptions" || got.Header.Get("Content-Type") != formType {
						t.Errorf("%s, %s: %q\nwant %q", got.Path, got.Header.Get("Content-Type"), got.Body, want)
					}
				}
			}
		})
	}
}

func TestFormsThatAreNone(t *testing.T) {
	g := newGateway(t, true, func(o *Options) { o.Settings.MaxBody = 4 << 10 })
	whole := modelC + sound + formEnd
	tests := map[string]struct {
		kind, body string
		status     int
		code       string
	}{
		"JSON":                 {"application/json", `{"model":"c"}`, 400, "invalid_form"},
		"a form of the web":    {"application/x-www-form-urlencoded", "model=c", 400, "invalid_form"},
		"no boundary":          {"multipart/form-data", whole, 400, "invalid_form"},
		"no end":               {formType, modelC + sound, 400, "invalid_form"},
		"two models":           {formType, modelC + modelC + sound + formEnd, 400, "duplicate_parameter"},
		"no model":             {formType, sound + formEnd, 400, "missing_required_parameter"},
		"no sound":             {formType, modelC + formEnd, 400, "missing_required_parameter"},
		"a header without end": {formType, "--B0undary\r\nX: " + strings.Repeat("x", 3<<10), 400, "invalid_form"},
		"a body too large":     {formType, modelC + strings.Repeat("x", 5<<10), 413, "request_too_large"},
		"a model not there":    {formType, whole, 404, "model_not_found"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g.ask(http.MethodPost, "/v1/audio/transcriptions", test.body, "Content-Type", test.kind).wantError(test.status, test.code)
		})
	}
}
