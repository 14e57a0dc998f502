package providers

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSplice(t *testing.T) {
	tests := map[string]struct {
		endpoint Endpoint
		body     string
		model    string
		inject   bool
		want     string
	}{
		"only the model's value changes": {
			Chat, `{ "seed":12345678901234567890, "model" : "fast","x":{"model":"y"}}`, "gpt-4o", false,
			`{ "seed":12345678901234567890, "model" : "gpt-4o","x":{"model":"y"}}`,
		},
		"the same model changes nothing": {Chat, `{"model":"m\u0031"}`, "m1", false, `{"model":"m\u0031"}`},
		"quotes in a name":               {Chat, `{"model":"m"}`, `a"b\`, false, `{"model":"a\"b\\"}`},
		"no model":                       {Moderations, `{"input":"x"}`, "m", false, `{"model":"m","input":"x"}`},
		"no model and nothing else":      {Moderations, ` { } `, "m", false, ` {"model":"m" } `},
		"model null":                     {Moderations, `{"model":null}`, "m", false, `{"model":"m"}`},
		"usage is asked for":             {Chat, `{"model":"a","stream":true}`, "b", true, `{"stream_options":{"include_usage":true},"model":"b","stream":true}`},
		"usage beside other options": {
			Chat, `{"stream_options":{"x":1},"model":"a","stream":true}`, "b", true,
			`{"stream_options":{"include_usage":true,"x":1},"model":"b","stream":true}`,
		},
		"usage with empty options":   {Chat, `{"model":"a","stream_options":{ },"stream":true}`, "a", true, `{"model":"a","stream_options":{"include_usage":true },"stream":true}`},
		"usage with options null":    {Chat, `{"model":"a","stream_options":null,"stream":true}`, "b", true, `{"model":"b","stream_options":{"include_usage":true},"stream":true}`},
		"usage that was declined":    {Chat, `{"stream_options":{"include_usage":false},"stream":true,"model":"a"}`, "b", true, `{"stream_options":{"include_usage":true},"stream":true,"model":"b"}`},
		"usage that was wanted":      {Chat, `{"stream_options":{"include_usage":true},"stream":true,"model":"a"}`, "a", true, `{"stream_options":{"include_usage":true},"stream":true,"model":"a"}`},
		"no usage without a stream":  {Chat, `{"model":"a"}`, "a", true, `{"model":"a"}`},
		"no usage in other dialects": {Responses, `{"model":"a","stream":true}`, "a", true, `{"model":"a","stream":true}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParseRequest(test.endpoint, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			for _, through := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader,
			} {
				var s spliced
				if err := s.splice(&Attempt{Request: r, Model: test.model}, test.inject); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(through(&s))
				if err != nil || string(got) != test.want {
					t.Errorf("got %s and %v, want %s", got, err, test.want)
				}
				if s.size() != int64(len(test.want)) || string(s.copied()) != test.want {
					t.Errorf("size is %d, copied it is %s", s.size(), s.copied())
				}
			}
			if string(r.Body) != test.body {
				t.Error("the client's body was changed")
			}
		})
	}
}

func TestDetachedBodyIsNotRead(t *testing.T) {
	r, err := ParseRequest(Chat, []byte(`{"model":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	var s spliced
	if err := s.splice(&Attempt{Request: r, Model: "b"}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	s.detach()
	if n, err := s.Read(make([]byte, 3)); n != 0 || !errors.Is(err, errDetached) {
		t.Errorf("read %d bytes and %v", n, err)
	}
}

// FuzzSplice: whatever the body is, the attempt's is JSON and differs in the model and the usage only.
func FuzzSplice(f *testing.F) {
	f.Add([]byte(`{"model":"a","stream":true,"stream_options":{"include_usage":false}}`), "m")
	f.Add([]byte(`{"stream":true}`), "\x00")
	f.Fuzz(func(t *testing.T, body []byte, model string) {
		r, err := ParseRequest(Images, body)
		if err != nil || model == "" {
			return
		}
		r.Endpoint = Chat
		var s spliced
		if err := s.splice(&Attempt{Request: r, Model: model}, true); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(&s)
		if err != nil {
			t.Fatal(err)
		}
		var before, after map[string]any
		if err := json.Unmarshal(body, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if after["model"] != strings.ToValidUTF8(model, "\uFFFD") && len(model) == len(strings.ToValidUTF8(model, "")) {
			t.Fatalf("the model is %q", after["model"])
		}
		if options, ok := after["stream_options"].(map[string]any); r.Stream && (!ok || options["include_usage"] != true) {
			t.Fatalf("usage is not asked for: %s", got)
		}
		for _, m := range []map[string]any{before, after} {
			delete(m, "model")
			delete(m, "stream_options")
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%s became %s", body, got)
		}
	})
}
