package providers

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
)

const formType = "multipart/form-data; boundary=B0undary"

// partsOf writes parts, each a header and a value by turns, as a form of the boundary B0undary.
func partsOf(parts ...string) string {
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString("--B0undary\r\n" + parts[i] + "\r\n\r\n" + parts[i+1] + "\r\n")
	}
	return b.String() + "--B0undary--\r\n"
}

func named(name string) string { return `Content-Disposition: form-data; name="` + name + `"` }

const soundPart = "Content-Disposition: form-data; name=\"file\"; filename=\"a;b \\\"c.wav\"\r\nContent-Type: audio/wav"

func TestParseForm(t *testing.T) {
	tests := map[string]struct {
		kind, body string
		model      string
		stream     bool
	}{
		"a model and a file":           {formType, partsOf(named("model"), "whisper", soundPart, "RIFF\r\n\x00--B"), "whisper", false},
		"the model last":               {formType, partsOf(soundPart, "x", named("model"), "w/1"), "w/1", false},
		"streamed":                     {formType, partsOf(named("stream"), "true", named("model"), "w", soundPart, ""), "w", true},
		"not streamed":                 {formType, partsOf(named("model"), "w", named("stream"), "false", named("file"), "x"), "w", false},
		"a quoted boundary":            {`Multipart/Form-Data; charset=utf-8; boundary="B0undary"`, partsOf(named("model"), "w"), "w", false},
		"a line end in front":          {formType, "\r\n" + partsOf(named("model"), "w"), "w", false},
		"no line end behind":           {formType, strings.TrimSuffix(partsOf(named("model"), "w"), "\r\n"), "w", false},
		"lower case, no blank":         {formType, partsOf(`content-disposition:form-data;name=model`, "w"), "w", false},
		"a transfer encoding of none":  {formType, partsOf(named("model")+"\r\nContent-Transfer-Encoding: 8BIT", "w"), "w", false},
		"fields that nobody knows":     {formType, partsOf(named("x[]"), "1", named("x[]"), "2", named("model"), "w"), "w", false},
		"a name in UTF-8":              {formType, partsOf(named("model"), "größe", `Content-Disposition: form-data; name="file"; filename="größe.wav"`, "x"), "größe", false},
		"a boundary's start in a file": {formType, partsOf(soundPart, "\r\n--B0undar", named("model"), "w"), "w", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParseForm(Transcriptions, test.kind, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if r.Model != test.model || r.Stream != test.stream || r.ContentType != test.kind {
				t.Errorf("model %q, stream %v, content type %q", r.Model, r.Stream, r.ContentType)
			}
			if got := test.body[r.ModelAt[0]:r.ModelAt[1]]; got != test.model {
				t.Errorf("the model stands at %v: %q", r.ModelAt, got)
			}
			if n := r.EstimatedTokens(); n != 0 {
				t.Errorf("its sound is taken for %d tokens", n)
			}
		})
	}
}

func TestParseFormRefuses(t *testing.T) {
	whole := partsOf(named("model"), "w", soundPart, "x")
	tests := map[string]struct{ kind, body, code, param string }{
		"JSON":                               {"application/json", `{"model":"w"}`, "invalid_form", ""},
		"no content type":                    {"", whole, "invalid_form", ""},
		"another kind of parts":              {"multipart/mixed; boundary=B0undary", whole, "invalid_form", ""},
		"no boundary":                        {"multipart/form-data", whole, "invalid_form", ""},
		"an empty boundary":                  {`multipart/form-data; boundary=""`, whole, "invalid_form", ""},
		"two boundaries":                     {formType + "; boundary=other", whole, "invalid_form", ""},
		"a boundary in the extended form":    {"multipart/form-data; boundary*=utf-8''B0undary", whole, "invalid_form", ""},
		"a long boundary":                    {"multipart/form-data; boundary=" + strings.Repeat("x", 71), whole, "invalid_form", ""},
		"a boundary of odd characters":       {`multipart/form-data; boundary="a{b"`, whole, "invalid_form", ""},
		"another boundary than the body's":   {"multipart/form-data; boundary=other", whole, "invalid_form", ""},
		"nothing":                            {formType, "", "invalid_form", ""},
		"something in front":                 {formType, "hello\r\n" + whole, "invalid_form", ""},
		"something behind":                   {formType, whole + partsOf(named("model"), "v"), "invalid_form", ""},
		"no end":                             {formType, whole[:len(whole)-8], "invalid_form", ""},
		"a boundary that goes on":            {formType, partsOf(named("model"), "w\r\n--B0undaryX"), "invalid_form", ""},
		"a blank behind a boundary":          {formType, strings.Replace(whole, "B0undary\r\n", "B0undary \r\n", 1), "invalid_form", ""},
		"a boundary behind LF alone":         {formType, partsOf(soundPart, "x\n--B0undary\n"+named("model")+"\n\nv", named("model"), "w"), "invalid_form", ""},
		"a boundary right behind a header":   {formType, partsOf(named("model"), "--B0undary"), "invalid_form", ""},
		"a boundary within a header":         {formType, "--B0undary\r\nX: y\r\n--B0undary\r\n" + named("model") + "\r\n\r\nw\r\n--B0undary--", "invalid_form", ""},
		"lines that end in LF":               {formType, strings.ReplaceAll(whole, "\r\n", "\n"), "invalid_form", ""},
		"a part without a header":            {formType, partsOf("", "w"), "invalid_form", ""},
		"a part without a disposition":       {formType, partsOf("Content-Type: text/plain", "w"), "invalid_form", ""},
		"a part with two dispositions":       {formType, partsOf(named("file")+"\r\n"+named("model"), "w"), "invalid_form", ""},
		"a part without a name":              {formType, partsOf("Content-Disposition: form-data", "w"), "invalid_form", ""},
		"a part with two names":              {formType, partsOf(`Content-Disposition: form-data; name="file"; name="model"`, "w"), "invalid_form", ""},
		"a name in the extended form":        {formType, partsOf(`Content-Disposition: form-data; name*=utf-8''model`, "w"), "invalid_form", ""},
		"a name with a backslash":            {formType, partsOf(`Content-Disposition: form-data; name="mod\el"`, "w"), "invalid_form", ""},
		"an attachment":                      {formType, partsOf(`Content-Disposition: attachment; name="model"`, "w"), "invalid_form", ""},
		"a folded line":                      {formType, partsOf("Content-Disposition: form-data;\r\n name=\"model\"", "w"), "invalid_form", ""},
		"a line without a colon":             {formType, partsOf(named("model")+"\r\nhello", "w"), "invalid_form", ""},
		"a bare LF in a header":              {formType, partsOf(named("x")+"\n"+named("model"), "w"), "invalid_form", ""},
		"a long header":                      {formType, partsOf(named("model")+"\r\nX: "+strings.Repeat("y", longestPartHeader), "w"), "invalid_form", ""},
		"many parts":                         {formType, strings.Repeat("--B0undary\r\n"+named("x")+"\r\n\r\n\r\n", mostFormParts) + partsOf(named("model"), "w"), "invalid_form", ""},
		"no model":                           {formType, partsOf(soundPart, "x"), "missing_required_parameter", "model"},
		"an empty model":                     {formType, partsOf(named("model"), ""), "missing_required_parameter", "model"},
		"two models":                         {formType, partsOf(named("model"), "w", named("model"), "w"), "duplicate_parameter", "model"},
		"a model in another case":            {formType, partsOf(named("Model"), "v", named("model"), "w"), "unknown_parameter", "Model"},
		"a model that is a file":             {formType, partsOf(named("model")+`; filename="m"`, "w"), "invalid_type", "model"},
		"a model that is encoded":            {formType, partsOf(named("model")+"\r\nContent-Transfer-Encoding: base64", "dw=="), "invalid_type", "model"},
		"a model of two lines":               {formType, partsOf(named("model"), "w\r\nv"), "invalid_value", "model"},
		"a model that isn't UTF-8":           {formType, partsOf(named("model"), "\xff"), "invalid_value", "model"},
		"a model that holds the boundary":    {formType, partsOf(named("model"), "p/--B0undary"), "invalid_value", "model"},
		"stream twice":                       {formType, partsOf(named("model"), "w", named("stream"), "true", named("stream"), "false"), "duplicate_parameter", "stream"},
		"stream that is neither yes nor no":  {formType, partsOf(named("model"), "w", named("stream"), "maybe"), "invalid_type", "stream"},
		"stream in another case than a name": {formType, partsOf(named("model"), "w", named("STREAM"), "true"), "unknown_parameter", "STREAM"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseForm(Transcriptions, test.kind, []byte(test.body))
			bad, ok := errors.AsType[*BadRequest](err)
			if !ok || bad.Code != test.code || bad.Param != test.param || bad.Status != 400 || bad.Message == "" {
				t.Errorf("got %v (%+v), want %s of %q", err, bad, test.code, test.param)
			}
		})
	}
}

func TestSpliceOfAForm(t *testing.T) {
	body := partsOf(soundPart, "RIFF\x00\r\n", named("model"), "fast", named("prompt"), `a "b" model=fast`)
	r, err := ParseForm(Transcriptions, formType, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]string{
		`whisper "large"`: strings.Replace(body, "fast", `whisper "large"`, 1),
		"fast":            body,
		"":                body,
	} {
		var s spliced
		if err := s.splice(&Attempt{Request: r, Model: model}, true); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(&s)
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q and %v", model, got, err)
		}
	}
}

// FuzzParseForm compares with mime/multipart: what is taken is a form of that model to it too, before and after the
// model is replaced.
func FuzzParseForm(f *testing.F) {
	f.Add(formType, []byte(partsOf(named("model"), "w", soundPart, "x", named("stream"), "true")))
	f.Add(formType, []byte(partsOf(named("model"), "w\r\n--B0undary")))
	f.Add("multipart/form-data; boundary=x", []byte("--x\r\n"+named("model")+"\r\n\r\nm\r\n--x--"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		r, err := ParseForm(Transcriptions, contentType, body)
		if err != nil {
			if _, ok := errors.AsType[*BadRequest](err); !ok {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		_, params, err := mime.ParseMediaType(contentType)
		if err != nil {
			t.Fatal(err)
		}
		var s spliced
		if err := s.splice(&Attempt{Request: r, Model: "another"}, false); err != nil {
			t.Fatal(err)
		}
		after, err := io.ReadAll(&s)
		if err != nil {
			t.Fatal(err)
		}
		for want, text := range map[string][]byte{r.Model: body, "another": after} {
			if got := modelsIn(t, text, params["boundary"]); len(got) != 1 || got[0] != want {
				t.Fatalf("%q has the models %q, want %q", text, got, want)
			}
		}
	})
}

// modelsIn are the values of all fields named model.
func modelsIn(t *testing.T, body []byte, boundary string) (models []string) {
	t.Helper()
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		p, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return models
		}
		if err != nil {
			t.Fatalf("mime/multipart: %v in %q", err, body)
		}
		value, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		if p.FormName() == "model" {
			models = append(models, string(value))
		}
	}
}
