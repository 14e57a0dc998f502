package providers

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEmbeddingsComeInTheEncodingThatWasAskedFor(t *testing.T) {
	const (
		asBase64 = `{ "object":"list", "data":[{"object":"embedding","index":0,"embedding":"AACAPwAAAMDNzMw9"},` +
			`{"embedding" : "" ,"x":1.50}], "usage":{"prompt_tokens":3}}`
		asFloats = `{ "object":"list", "data":[{"object":"embedding","index":0,"embedding":[1,-2,0.1]},` +
			`{"embedding" : [] ,"x":1.50}], "usage":{"prompt_tokens":3}}`
	)
	spelled := strings.Replace(asFloats, "[1,-2,0.1]", "[1.0, -2e0, 0.10000000149011612]", 1)
	for name, test := range map[string]struct{ asked, answer, want string }{
		"base64, and the host knows numbers only":       {`,"encoding_format":"base64"`, spelled, asBase64},
		"numbers, and the host knows base64 only":       {`,"encoding_format":"float"`, asBase64, asFloats},
		"nothing, and the host sends base64":            {``, asBase64, asFloats},
		"null, and the host sends base64":               {`,"encoding_format":null`, asBase64, asFloats},
		"base64, as it comes":                           {`,"encoding_format":"base64"`, asBase64, asBase64},
		"numbers, as they are spelled":                  {`,"encoding_format":"float"`, spelled, spelled},
		"nothing, as it comes":                          {``, spelled, spelled},
		"an encoding of the host's own":                 {`,"encoding_format":"int8"`, asBase64, asBase64},
		"numbers, of which one is none":                 {`,"encoding_format":"float"`, `{"data":[{"embedding":"AACAPw=="},{"embedding":"AADAfw=="}]}`, `{"data":[{"embedding":"AACAPw=="},{"embedding":"AADAfw=="}]}`},
		"numbers, and a piece of one":                   {`,"encoding_format":"float"`, `{"data":[{"embedding":"AACA"}]}`, `{"data":[{"embedding":"AACA"}]}`},
		"numbers, and no base64":                        {`,"encoding_format":"float"`, `{"data":[{"embedding":"what?"}]}`, `{"data":[{"embedding":"what?"}]}`},
		"base64, and lists of lists":                    {`,"encoding_format":"base64"`, `{"data":[{"embedding":[[1],[2]]}]}`, `{"data":[{"embedding":[[1],[2]]}]}`},
		"base64, and a number beyond what one can hold": {`,"encoding_format":"base64"`, `{"data":[{"embedding":[1e40]}]}`, `{"data":[{"embedding":[1e40]}]}`},
		"base64, and one that is null":                  {`,"encoding_format":"base64"`, `{"data":[{"embedding":[1]},{"embedding":null}]}`, `{"data":[{"embedding":[1]},{"embedding":null}]}`},
		"base64, and none":                              {`,"encoding_format":"base64"`, `{"data":[{"index":0}]}`, `{"data":[{"index":0}]}`},
		"base64, and a bare list":                       {`,"encoding_format":"base64"`, `[[0.1]]`, `[[0.1]]`},
		"base64, and a list of another name":            {`,"encoding_format":"base64"`, `{"embeddings":[[0.1]]}`, `{"embeddings":[[0.1]]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := receive(t, upstreamOf("application/json", &pieces{[]byte(test.answer), 1 << 20}), Embeddings, test.asked)
			if got.failure != nil || got.text != test.want {
				t.Errorf("%v\n%s\nwant\n%s", got.failure, got.text, test.want)
			}
		})
	}
}

func TestAnEmbeddingIsTheSameInEitherEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)).Draw(t, "numbers")
		listed, err := json.Marshal(numbers)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := floatsInBase64(nil, listed)
		back, okBack := base64InFloats(nil, text)
		var got []float32
		if err := json.Unmarshal(back, &got); !ok || !okBack || err != nil || !slices.Equal(got, numbers) {
			t.Fatalf("%s became %s became %s", listed, text, back)
		}
	})
}

// Whatever an upstream answers, and whatever is asked for, what goes out is the answer or JSON.
func FuzzEmbeddings(f *testing.F) {
	for _, seed := range []string{
		`{"data":[{"embedding":[1,-2e0]},{"embedding":[]}]}`, `{"data":[{"embedding":"AACAPw=="}]}`, `{"data":[{"embedding":[1]}],"data":{}}`, `[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		firstEmbedding(body)
		for _, encode := range []func(dst, embedding []byte) ([]byte, bool){floatsInBase64, base64InFloats} {
			if got := reencoded(body, encode); !bytes.Equal(got, body) && !json.Valid(got) {
				t.Errorf("%q became %q", body, got)
			}
		}
	})
}
