package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseRequest(t *testing.T) {
	tests := map[string]struct {
		body string
		want Request // of the members that are compared
	}{
		"a plain one": {`{"model":"fast","messages":[]}`, Request{Model: "fast"}},
		"a streamed one with usage": {
			`{"stream":true,"model":"m","stream_options":{"x":1,"include_usage":true}}`,
			Request{Model: "m", Stream: true, IncludeUsage: true},
		},
		"null members":             {`{"model":"m","stream":null,"stream_options":null,"max_tokens":null,"messages":[]}`, Request{Model: "m"}},
		"blanks everywhere":        {" \t\r\n{ \"model\" : \"m\" , \"stream\" : true } \n", Request{Model: "m", Stream: true}},
		"an escaped name":          {`{"mod\u0065l":"m","messages":[]}`, Request{Model: "m"}},
		"an escaped value":         {`{"model":"\u006d\/\u00fc","messages":[]}`, Request{Model: "m/ü"}},
		"a value in UTF-8":         {`{"model":"modèle"}`, Request{Model: "modèle"}},
		"tools":                    {`{"model":"m","tools":[{"type":"function"}]}`, Request{Model: "m", Tools: true}},
		"functions":                {`{"model":"m","functions":[{}]}`, Request{Model: "m", Tools: true}},
		"no tools":                 {`{"model":"m","tools":[ ],"functions":null}`, Request{Model: "m"}},
		"max_tokens":               {`{"model":"m","max_tokens":17}`, Request{Model: "m", MaxTokens: 17}},
		"max_completion_tokens":    {`{"model":"m","max_completion_tokens":9007199254740993}`, Request{Model: "m", MaxTokens: 1<<31 - 1}},
		"max_output_tokens":        {`{"model":"m","max_output_tokens":4}`, Request{Model: "m", MaxTokens: 4}},
		"an odd count is no count": {`{"model":"m","max_tokens":-3}`, Request{Model: "m"}},
		"an image": {
			`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"},{"image_url":{"url":"data:"},"type":"image_url"}]}]}`,
			Request{Model: "m", Vision: true},
		},
		"an image for Responses": {`{"model":"m","input":[{"role":"user","content":[{"type":"input_image"}]}]}`, Request{Model: "m", Vision: true}},
		"words about images": {
			`{"model":"m","messages":[{"role":"image_url","content":"\"type\":\"image_url\""},{"role":"x","content":[{"type":"text","text":"image_url"}]}],"tools":[{"type":"image_url"}]}`,
			Request{Model: "m", Tools: true},
		},
		"odd parts":        {`{"model":"m","messages":[{"role":"x"},{"role":"y","content":null},{"r\u006fle":"x","content":[{},{"type":null},{"type":"new"}]}]}`, Request{Model: "m"}},
		"an image deep in": {`{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text"},{"type":"image"}]}]}]}`, Request{Model: "m", Vision: true}},
		"a document":       {`{"model":"m","messages":[{"role":"user","content":[{"type":"document"}]}]}`, Request{Model: "m"}},
		"case variants further in are the client's": {`{"model":"m","metadata":{"Model":"x","MODEL":"y","model":1}}`, Request{Model: "m"}},
		"half a pair of surrogates, escaped":        {`{"model":"m","user":"\ud800"}`, Request{Model: "m"}},
		"all lengths of UTF-8":                      {`{"model":"m","ключ":"é","user":"` + strings.Repeat("aé世界😀", 50) + `"}`, Request{Model: "m"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseRequest(Chat, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			seen := Request{
				Model: got.Model, Stream: got.Stream, IncludeUsage: got.IncludeUsage,
				Tools: got.Tools, Vision: got.Vision, MaxTokens: got.MaxTokens,
			}
			if !reflect.DeepEqual(seen, test.want) {
				t.Errorf("got %+v, want %+v", seen, test.want)
			}
			var model string
			if err := json.Unmarshal(got.Body[got.ModelAt[0]:got.ModelAt[1]], &model); err != nil || model != test.want.Model {
				t.Errorf("the model stands at %v: %v", got.ModelAt, err)
			}
		})
	}
}

func TestParseRequestRefuses(t *testing.T) {
	deep := func(n int) string {
		return `{"model":"m","x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	message := func(n int) string {
		return `{"model":"m","messages":[{"role":"x","content":[{"x":` + strings.Repeat("[", n-5) + strings.Repeat("]", n-5) + `}]}]}`
	}
	tests := map[string]struct {
		body        string
		code, param string // an empty code: accepted
	}{
		"nothing":                          {``, "invalid_json", ""},
		"blanks":                           {"  \n", "invalid_json", ""},
		"half an object":                   {`{"model":"m"`, "invalid_json", ""},
		"two objects":                      {`{"model":"m"}{}`, "invalid_json", ""},
		"a comma too many":                 {`{"model":"m",}`, "invalid_json", ""},
		"a comment":                        {`{"model":"m"/**/}`, "invalid_json", ""},
		"a byte order mark":                {"\ufeff{\"model\":\"m\"}", "invalid_json", ""},
		"a raw line end in a text":         {"{\"model\":\"m\",\"x\":\"" + strings.Repeat("y", 500) + "\n\"}", "invalid_json", ""},
		"a raw NUL in a short text":        {"{\"model\":\"m\",\"x\":\"\x00\"}", "invalid_json", ""},
		"broken UTF-8 in a short text":     {"{\"model\":\"m\",\"user\":\"\xff\xfe\"}", "invalid_json", ""},
		"broken UTF-8 in a long text":      {"{\"model\":\"m\",\"x\":\"" + strings.Repeat("y", 500) + "\xc3\"}", "invalid_json", ""},
		"broken UTF-8 behind good":         {"{\"model\":\"m\",\"x\":\"" + strings.Repeat("é", 500) + "\xe2\x82" + strings.Repeat("y", 100) + "\"}", "invalid_json", ""},
		"broken UTF-8 behind an escape":    {"{\"model\":\"m\",\"x\":\"\\n\xed\xa0\x80\"}", "invalid_json", ""},
		"broken UTF-8 in a message":        {"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"\x80\"}]}", "invalid_json", ""},
		"broken UTF-8 in a name":           {"{\"model\":\"m\",\"\xf8\":1}", "invalid_json", ""},
		"a control character behind UTF-8": {"{\"model\":\"m\",\"x\":\"" + strings.Repeat("é", 100) + "\n\"}", "invalid_json", ""},
		"half an escape":                   {`{"model":"m","x":"\u12"}`, "invalid_json", ""},
		"NaN":                              {`{"model":"m","x":NaN}`, "invalid_json", ""},
		"an array":                         {`["model"]`, "invalid_type", ""},
		"a text":                           {`"model"`, "invalid_type", ""},
		"no model":                         {`{"messages":[]}`, "missing_required_parameter", "model"},
		"model null":                       {`{"model":null}`, "missing_required_parameter", "model"},
		"model empty":                      {`{"model":""}`, "missing_required_parameter", "model"},
		"model a number":                   {`{"model":1}`, "invalid_type", "model"},
		"model an object":                  {`{"model":{"name":"m"}}`, "invalid_type", "model"},
		"model twice":                      {`{"model":"a","model":"a"}`, "duplicate_parameter", "model"},
		"model twice, once escaped":        {`{"model":"a","\u006dodel":"b"}`, "duplicate_parameter", "model"},
		"Model":                            {`{"model":"a","Model":"b"}`, "unknown_parameter", "Model"},
		"MODEL alone":                      {`{"MODEL":"b"}`, "unknown_parameter", "MODEL"},
		"Model escaped":                    {`{"\u004dodel":"b","model":"a"}`, "unknown_parameter", "Model"},
		"stream twice":                     {`{"model":"m","stream":true,"stream":false}`, "duplicate_parameter", "stream"},
		"Stream":                           {`{"model":"m","Stream":true}`, "unknown_parameter", "Stream"},
		"ſtream":                           {`{"model":"m","ſtream":true}`, "unknown_parameter", "ſtream"},
		"stream a text":                    {`{"model":"m","stream":"true"}`, "invalid_type", "stream"},
		"stream_options a boolean":         {`{"model":"m","stream_options":true}`, "invalid_type", "stream_options"},
		"include_usage a number":           {`{"model":"m","stream_options":{"include_usage":1}}`, "invalid_type", "stream_options.include_usage"},
		"messages a text":                  {`{"model":"m","messages":"hi"}`, "invalid_type", "messages"},
		"max_tokens a text":                {`{"model":"m","max_tokens":"10"}`, "invalid_type", "max_tokens"},
		"128 levels":                       {deep(128), "", ""},
		"129 levels":                       {deep(129), "invalid_json", ""},
		"128 levels within a message":      {message(128), "", ""},
		"129 levels within a message":      {message(129), "invalid_json", ""},
		"100,000 levels, never closed":     {strings.Repeat("[", 100_000), "invalid_json", ""},
		"100,000 objects":                  {strings.Repeat(`{"a":`, 100_000), "invalid_json", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseRequest(Chat, []byte(test.body))
			bad, ok := errors.AsType[*BadRequest](err)
			switch {
			case test.code == "" && err != nil:
				t.Error(err)
			case test.code == "":
			case !ok:
				t.Errorf("got %v", err)
			case bad.Code != test.code || bad.Param != test.param || bad.Status != 400 || bad.Message == "":
				t.Errorf("got %+v, want %s of %q", *bad, test.code, test.param)
			}
		})
	}
}

func TestParseRequestWithoutModel(t *testing.T) {
	for _, e := range []Endpoint{Moderations, Images} {
		if _, err := ParseRequest(e, []byte(`{"input":"x"}`)); err != nil {
			t.Errorf("%s: %v", e, err)
		}
	}
}

func TestSession(t *testing.T) {
	tests := map[string]struct{ body, header, want string }{
		"the header before all":     {`{"model":"m","user":"u"}`, "h", "h"},
		"the user":                  {`{"model":"m","user":"u\u0031","prompt_cache_key":"k"}`, "", "u1"},
		"the cache key":             {`{"model":"m","prompt_cache_key":"k","messages":[]}`, "", "k"},
		"an empty user is none":     {`{"model":"m","user":"","prompt_cache_key":"k"}`, "", "k"},
		"a user that is null":       {`{"model":"m","user":null,"prompt_cache_key":"k"}`, "", "k"},
		"the first user message":    {`{"model":"m","messages":[{"role":"system","content":"s"},{"content":[{"a":1}],"role":"user"},{"role":"user","content":"x"}]}`, "", `[{"a":1}]`},
		"the input":                 {`{"model":"m","input":"hello"}`, "", `"hello"`},
		"a list of inputs":          {`{"model":"m","input":["a","b"]}`, "", `["a","b"]`},
		"the prompt":                {`{"model":"m","prompt":"p"}`, "", `"p"`},
		"nothing":                   {`{"model":"m"}`, "", ""},
		"messages without the user": {`{"model":"m","messages":[{"role":"system","content":"s"}]}`, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParseRequest(Chat, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			r.SessionHeader = test.header
			if got := r.Session(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestEstimatedTokens(t *testing.T) {
	body := func(image string) []byte {
		return []byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + image + `"}}]}]}`)
	}
	t.Run("a picture doesn't count as text", func(t *testing.T) {
		r, err := ParseRequest(Chat, body("data:image/png;base64,"+strings.Repeat("A", 1<<20)))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.EstimatedTokens(); got < tokensPerFile || got > tokensPerFile+100 {
			t.Errorf("got %d", got)
		}
	})
	t.Run("nor do files of other sorts, at any depth", func(t *testing.T) {
		long := strings.Repeat("A", 1<<20)
		r, err := ParseRequest(Messages, []byte(`{"model":"m","messages":[{"role":"user","content":[
			{"type":"document","source":{"type":"base64","media_type":"application/pdf","data": "`+long+`"}},
			{"type":"tool_result","content":[{"type":"image","source":{"type":"base64","data":"`+long+`"}}]}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.EstimatedTokens(); got < 2*tokensPerFile || got > 2*tokensPerFile+200 {
			t.Errorf("got %d", got)
		}
		r, err = ParseRequest(Responses, []byte(`{"model":"m","input":[{"content":[{"type":"input_file","file_data":"`+long+`"}]},
			{"type":"function_call_output","output":[{"type":"input_image","image_url":"data:image/png;base64,`+long+`"}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.EstimatedTokens(); got < 2*tokensPerFile || got > 2*tokensPerFile+200 || !r.Vision {
			t.Errorf("got %d, vision %v", got, r.Vision)
		}
	})
	t.Run("a thousand pictures are counted in one pass", func(t *testing.T) {
		part := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("A", 1000) + `"}},`
		r, err := ParseRequest(Chat, []byte(`{"model":"m","messages":[{"role":"user","content":[`+strings.Repeat(part, 1000)+`{}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.EstimatedTokens(); got < 1000*tokensPerFile || got > 1000*(tokensPerFile+100) {
			t.Errorf("got %d", got)
		}
	})
	t.Run("text counts by its length", func(t *testing.T) {
		r, err := ParseRequest(Chat, []byte(`{"model":"m","prompt":"`+strings.Repeat("a", 4000)+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.EstimatedTokens(); got < 1000 || got > 1010 {
			t.Errorf("got %d", got)
		}
	})
}

// depth is how deep the objects and arrays of a valid JSON text go.
func depth(body []byte) int {
	d := json.NewDecoder(bytes.NewReader(body))
	level, deepest := 0, 0
	for {
		token, err := d.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

// FuzzParseRequest compares with encoding/json: the same texts are valid, and the members say the same.
func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`,
		`{"mod\u0065l":"\ud800x","stream_options":{"include_usage":false},"n":-0.5e+10}`,
		"{\"model\":\"" + strings.Repeat("long ", 100) + "\\n\",\"x\":[[],{}]}", `[1,"\u12`, `{"a":{"b":[{}]}}`, `{"Model":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ParseRequest(Images, body)
		valid := json.Valid(body) && utf8.Valid(body)
		bad, _ := errors.AsType[*BadRequest](err)
		if bad != nil && bad.Code == "invalid_json" && valid && depth(body) <= deepestRequest {
			t.Fatalf("refused valid JSON: %v", err)
		}
		if bad != nil {
			return
		}
		if !valid {
			t.Fatal("took what is no JSON")
		}
		if depth(body) > deepestRequest {
			t.Fatal("took what is too deep")
		}
		var want struct {
			Model         string         `json:"model"`
			Stream        bool           `json:"stream"`
			PromptKey     any            `json:"prompt_cache_key"`
			StreamOptions map[string]any `json:"stream_options"`
		}
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("took what encoding/json refuses: %v", err)
		}
		if r.Model != want.Model || r.Stream != want.Stream {
			t.Fatalf("got %q, %v, want %q, %v", r.Model, r.Stream, want.Model, want.Stream)
		}
		if !utf8.ValidString(r.Model) {
			t.Fatal("the model is no UTF-8")
		}
		r.Session()
		r.EstimatedTokens()
	})
}

// requestOf is a chat request of about that many bytes, most of it text of one message in lines of 80 or in one.
func requestOf(size, line int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":"fast","temperature":0.7,"messages":[{"role":"system","content":"You are helpful."},{"role":"user","content":"`)
	for n := 0; b.Len() < size; n++ {
		b.WriteByte("abcdefgh "[n%9])
		if line > 0 && n%line == line-1 {
			b.WriteString(`\n`)
		}
	}
	b.WriteString(`"}],"stream":true,"stream_options":{"include_usage":true}}`)
	return b.Bytes()
}

func BenchmarkParseRequest(b *testing.B) {
	for name, body := range map[string][]byte{
		"1 KB":                     requestOf(1000, 0),
		"100 KB in long texts":     requestOf(100_000, 0),
		"100 KB in lines of 80":    requestOf(100_000, 80),
		"100 KB with many escapes": requestOf(100_000, 3),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseRequest(Chat, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
