package clients

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

// otherScenario is one request at an endpoint beside chat, Responses and Messages. Such go only to targets that have it.
type otherScenario struct {
	name     string // also the model that is asked for
	column   string // of the table in docs/clients.md
	endpoint string // and op: where the client's file has it
	op       string
	host     string // whose dialect is asked
	path     string // there; empty if nothing is asked there
	script   func(party) string
	check    func(*testing.T, party, played)
}

func answers(text string) func(party) string { return func(party) string { return text } }

// says wants the text that stood in the host's answer.
func says(want string) func(*testing.T, party, played) {
	return func(t *testing.T, _ party, p played) {
		t.Helper()
		fine(t, p)
		if p.Text != want {
			t.Errorf("the client read %q, want %q", p.Text, want)
		}
	}
}

var otherScenarios = []otherScenario{
	{name: "models", column: "models", endpoint: "models", op: "list", host: "chat", check: listsModels},
	{name: escapedModel, column: "models", endpoint: "models", op: "get", host: "chat", check: findsTheModel},
	{name: unknownModel, column: "models", endpoint: "models", op: "get", host: "chat", check: findsNoModel},
	{name: "embed", column: "embeddings", endpoint: "embeddings", op: "embed", host: "chat", path: "/v1/embeddings", script: embedded, check: isEmbedded},
	{
		name: "complete", column: "completions", endpoint: "others", op: "completions", host: "chat", path: "/v1/completions",
		script: answers(`json {"id":"cmpl-1","object":"text_completion","created":1700000000,"model":"m","choices":[{"index":0,"text":"Hello there.","logprobs":null,"finish_reason":"stop"}]}`),
		check:  says(hello),
	},
	{
		name: "moderate", column: "moderations", endpoint: "others", op: "moderations", host: "chat", path: "/v1/moderations",
		script: answers(`json {"id":"modr-1","model":"m","results":[{"flagged":true,"categories":{},"category_scores":{}}]}`),
		check:  says("true"),
	},
	{
		name: "draw", column: "images", endpoint: "others", op: "images", host: "chat", path: "/v1/images/generations",
		script: answers(`json {"created":1700000000,"data":[{"b64_json":"` + pixel + `"}]}`), check: says(pixel),
	},
	{
		name: "speak", column: "speech", endpoint: "others", op: "speech", host: "chat", path: "/v1/audio/speech",
		script: answers("header Content-Type: audio/mpeg\nbody sound"), check: says("sound"),
	},
	{
		name: "listen", column: "transcription", endpoint: "others", op: "transcription", host: "chat", path: "/v1/audio/transcriptions",
		script: answers(`json {"text":"Hello there."}`), check: says(hello),
	},
	{
		name: "count", column: "count_tokens", endpoint: "messages", op: "count", host: "messages", path: "/v1/messages/count_tokens",
		script: answers(`json {"input_tokens":7}`), check: counts(func(n int) bool { return n == 7 }),
	},
	{name: "estimate", column: "count_tokens", endpoint: "messages", op: "count", host: "chat", check: counts(func(n int) bool { return n > 0 })},
}

func listsModels(t *testing.T, _ party, p played) {
	t.Helper()
	fine(t, p)
	if !slices.Contains(p.IDs, escapedModel) || !slices.Contains(p.IDs, "text@chat") {
		t.Errorf("the client lists %q", p.IDs)
	}
}

func findsTheModel(t *testing.T, _ party, p played) {
	t.Helper()
	fine(t, p)
	if !slices.Equal(p.IDs, []string{escapedModel}) {
		t.Errorf("the client found %q", p.IDs)
	}
}

func findsNoModel(t *testing.T, c party, p played) {
	t.Helper()
	failed(t, c.class(404), p, 404)
}

func counts(right func(int) bool) func(*testing.T, party, played) {
	return func(t *testing.T, _ party, p played) {
		t.Helper()
		fine(t, p)
		if !right(p.Input) {
			t.Errorf("the client counts %d tokens", p.Input)
		}
	}
}

var vector = []float64{0.5, -1}

// embedded answers in the form that the client asks for.
func embedded(c party) string {
	var form any = vector
	if c.base64 {
		var raw []byte
		for _, value := range vector {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(value)))
		}
		form = base64.StdEncoding.EncodeToString(raw)
	}
	return "json " + asJSON(object{
		"object": "list", "model": "m", "usage": object{"prompt_tokens": 2, "total_tokens": 2},
		"data": []object{{"object": "embedding", "index": 0, "embedding": form}, {"object": "embedding", "index": 1, "embedding": form}},
	})
}

func isEmbedded(t *testing.T, c party, p played) {
	t.Helper()
	fine(t, p)
	if len(p.Vectors) == 0 || !slices.Equal(p.Vectors[0], vector) {
		t.Errorf("the client read %v, want %v", p.Vectors, vector)
	}
	if body := string(p.asked[0].Body); strings.Contains(body, `"base64"`) != c.base64 {
		t.Errorf("the host was asked in another form: %s", body)
	}
}

// playOther lets a client do what a scenario says.
func (s *stage) playOther(t *testing.T, c client, p party, sc otherScenario) played {
	t.Helper()
	host := s.hosts[sc.host]
	host.Forget()
	if sc.script != nil {
		host.Script("", sc.script(p)) // what isn't JSON names no model there
	}
	r := request{Endpoint: sc.endpoint, Op: sc.op, Model: sc.name, Key: s.key}
	done := played{result: ask(t.Context(), t, c, r, func(string) {})}
	done.asked = host.Requests()
	switch {
	case sc.path == "" && len(done.asked) > 0:
		t.Fatalf("the host was asked at %s", done.asked[0].Path)
	case sc.path != "" && (len(done.asked) != 1 || done.asked[0].Path != sc.path):
		t.Fatalf("the host got %d requests, want one at %s: the client saw %+v", len(done.asked), sc.path, done.result)
	}
	return done
}
