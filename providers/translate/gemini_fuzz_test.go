package translate

import (
	"bytes"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// FuzzGeminiStream: whatever comes, its events make sense, and arguments of calls are JSON.
func FuzzGeminiStream(f *testing.F) {
	for _, parts := range []string{
		`{"text":"A"},{"text":"hm","thought":true,"thoughtSignature":"s"},{"text":"","thoughtSignature":"s"}`,
		`{"functionCall":{"name":"f","args":{"a":1}}},{"text":"A","thoughtSignature":"s"},{"inlineData":{"mimeType":"image/png","data":"eA=="}}`,
		`{"functionCall":{"name":"f","willContinue":true}},{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0]['b']","stringValue":"x"}]}}`,
		`{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"output":"1"}},{"fileData":{"fileUri":"gs://x"}}`,
	} {
		f.Add([]byte("data: " + geminiChunk(parts, `,"finishReason":"STOP"`) + "\r\n\r\n" + "data: " + geminiChunk(parts, "") + "\n\n"))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := newGeminiReader()
		var said []event
		for ev := range sse.Events(stream) {
			said = r.read(ev, said)
		}
		if len(said) == 0 {
			return
		}
		said = r.(ender).end(said)
		holdsTogether(t, said)
		var j joining
		for _, ev := range said {
			j.take(&ev)
		}
		for _, b := range j.blocks {
			if b.is == callBlock && (b.id == "" || b.text != "" && !gjson.Valid(b.text)) {
				t.Errorf("a call of %q: %s", b.id, b.text)
			}
		}
	})
}

// FuzzGeminiPath: a path is read to its end or not at all.
func FuzzGeminiPath(f *testing.F) {
	f.Add(".a[0]['b c'].d", `"x"`)
	f.Add("[", "1")
	f.Fuzz(func(t *testing.T, path, value string) {
		if !gjson.Valid(value) {
			return
		}
		var v partialValue
		at := v.at(path)
		if at == nil {
			if len(v.keys) > 0 {
				t.Errorf("%q leads nowhere, and leaves %v", path, v.keys)
			}
			return
		}
		at.raw = value
		var w writer
		v.write(&w)
		if !gjson.ValidBytes(w.b) || w.b[0] != '{' || !bytes.Contains(w.b, []byte(value)) {
			t.Errorf("%q with %s is %s", path, value, w.b)
		}
	})
}
