package translate

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// answered is what a target's answer is for a client of Responses that asked with the members.
func answered(t *testing.T, output, members string) (*Translation, gjson.Result) {
	t.Helper()
	body := `{"id":"resp_1","created_at":7,"model":"m","status":"completed","output":[` + output + `]` + members + `}`
	tr := Answer(Responses, Responses, []byte(body), reply(nil))
	if !gjson.ValidBytes(tr.Body) {
		t.Fatalf("no JSON: %s", tr.Body)
	}
	r := gjson.ParseBytes(tr.Body)
	if err := complete(r); err != nil {
		t.Error(err)
	}
	return tr, r
}

func complete(r gjson.Result) error {
	for _, item := range r.Get("output").Array() {
		if err := members(item, neededItems[item.Get("type").Str]); err != nil {
			return err
		}
	}
	return members(r, neededResponse)
}

func TestItemsOfAnswersAreReadAndWritten(t *testing.T) {
	for name, c := range map[string]struct{ in, want, dropped string }{
		"a message of two texts": {
			`{"type":"message","content":[{"type":"output_text","text":"a","annotations":[{"type":"url_citation"}]},{"type":"output_text","text":"b"}]}`,
			`{"id":"msg_1_0","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]}]},` +
				`{"id":"msg_1_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"b","annotations":[],"logprobs":[]}]}`,
			"output.content.annotations",
		},
		"a refusal": {
			`{"type":"message","content":[{"type":"refusal","refusal":"no"}]}`,
			`{"id":"msg_1_0","type":"message","status":"completed","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`, "",
		},
		"reasoning with its signature": {
			`{"type":"reasoning","id":"rs_9","summary":[{"type":"summary_text","text":"a"}],"encrypted_content":"gAAA"}`,
			`{"id":"rs_ohmroute_1_0","type":"reasoning","summary":[{"type":"summary_text","text":"a"}],"encrypted_content":"gAAA"}`, "",
		},
		"reasoning that nobody can read": {
			`{"type":"reasoning","id":"rs_9","summary":[],"encrypted_content":"gAAA"}`,
			`{"id":"rs_ohmroute_1_0","type":"reasoning","summary":[],"encrypted_content":"gAAA"}`, "",
		},
		"reasoning of which nothing is left": {`{"type":"reasoning","id":"rs_9","summary":[]}`, ``, ""},
		"reasoning as it was thought": {
			`{"type":"reasoning","summary":[{"type":"summary_text","text":"short"}],"content":[{"type":"reasoning_text","text":"long"}]}`,
			`{"id":"rs_ohmroute_1_0","type":"reasoning","summary":[{"type":"summary_text","text":"long"}]}`, "",
		},
		"calls": {
			`{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1.0}"},{"type":"function_call","call_id":"d","name":"f","arguments":""}`,
			`{"id":"fc_1_0","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{\"a\":1.0}"},` +
				`{"id":"fc_1_1","type":"function_call","status":"completed","call_id":"d","name":"f","arguments":"{}"}`, "",
		},
		"a call that was cut": {
			`{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":"}`,
			`{"id":"fc_1_0","type":"function_call","status":"incomplete","call_id":"c","name":"f","arguments":"{\"a\":"}`, "",
		},
		"what tools of the provider did": {
			`{"type":"web_search_call","id":"ws"},{"type":"message","content":[{"type":"output_text","text":""},{"type":"smell"}]}`,
			``, "output.content.smell output.web_search_call",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr, r := answered(t, c.in, "")
			if got := r.Get("output").Raw; got != "["+c.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", got, c.want)
			}
			if got := strings.Join(tr.Dropped, " "); got != c.dropped {
				t.Errorf("dropped %q, want %q", got, c.dropped)
			}
		})
	}
}

func TestEndsAndCountsOfAnswersAreReadAndWritten(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"length":         {`"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`, `"status":"incomplete","background":false,"error":null,"incomplete_details":{"reason":"max_output_tokens"}`},
		"a filter":       {`"status":"incomplete","incomplete_details":{"reason":"content_filter"}`, `"incomplete_details":{"reason":"content_filter"}`},
		"no reason":      {`"status":"incomplete"`, `"incomplete_details":{"reason":"max_output_tokens"}`},
		"the end":        {`"status":"completed"`, `"status":"completed","background":false,"error":null,"incomplete_details":null`},
		"counts":         {`"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":15}`, `"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":15}`},
		"no counts":      {`"usage":null`, `"truncation":"disabled"}`},
		"nothing to ask": {`"store":true`, `"store":false`},
	} {
		t.Run(name, func(t *testing.T) {
			tr := Answer(Responses, Responses, []byte(`{"id":"resp_1",`+c.in+`}`), reply(nil))
			if !strings.Contains(string(tr.Body), c.want) {
				t.Errorf("got\n%s\nwant\n%s", tr.Body, c.want)
			}
		})
	}
}

// Clients find in the response what they asked for, in one line.
func TestAnswersRepeatTheRequest(t *testing.T) {
	request := `{"model": "combo", "instructions": "Be\nbrief", "tools": [
		{"type": "custom", "name": "say"} ], "tool_choice": "required", "temperature": 0.70, "metadata": {"a": "b"}, "text": {}, "parallel_tool_calls": null}`
	r := reply([]byte(request))
	body := Answer(Responses, Responses, []byte(`{"output":[]}`), r).Body
	if strings.Contains(string(body), "\n") {
		t.Errorf("more than one line: %s", body)
	}
	got := gjson.ParseBytes(body)
	for name, want := range map[string]string{
		"id": `"resp_req_golden"`, "created_at": "1764547200", "model": `"target-model"`,
		"instructions": `"Be\nbrief"`, "tools": `[{"type":"custom","name":"say"}]`, "tool_choice": `"required"`,
		"temperature": "0.70", "metadata": `{"a": "b"}`, "text": `{"format":{"type":"text"}}`, "parallel_tool_calls": "true",
		"top_p": "null",
	} {
		if got.Get(name).Raw != want {
			t.Errorf("%s is %s, want %s", name, got.Get(name).Raw, want)
		}
	}
}

// OpenAI takes ids of items of up to 64 characters from a client that sends them back.
func TestIDsOfItemsAreLegal(t *testing.T) {
	for _, id := range []string{"resp_" + strings.Repeat("a", 100), "chatcmpl-1", "a b/c", strings.Repeat("\u00e4", 70)} {
		r := gjson.ParseBytes(writeResponsesAnswer(&answer{id: id, blocks: []block{{is: callBlock, id: "c", name: "f"}}}, reply(nil), &notes{}))
		for _, path := range []string{"id", "output.0.id"} {
			if got := r.Get(path).Str; len(got) > 64 || got != legalID(got, 64) {
				t.Errorf("%s of %q is %q", path, id, got)
			}
		}
	}
}

// What Responses has no member for: images that a model made are items, sounds are dropped, and a refusal without a word
// is the filter's.
func TestAnswersOfOtherDialectsAreWrittenWithinTheLimitsOfResponses(t *testing.T) {
	var n notes
	a := &answer{id: "x", finish: finishRefusal, blocks: []block{
		{is: imageBlock, media: media{mimeType: "image/png", data: "AA=="}},
		{is: audioBlock, media: media{data: "AA=="}},
		{is: imageBlock, media: media{url: "https://example.com"}},
		{is: callBlock, id: "c", name: "f", signature: signature{Gemini, "sig"}},
	}}
	r := gjson.ParseBytes(writeResponsesAnswer(a, reply(nil), &n))
	want := `[{"id":"ig_x_0","type":"image_generation_call","status":"completed","result":"AA=="},` +
		`{"id":"rs_ohmroute_x_1","type":"reasoning","summary":[],"encrypted_content":"gemini~ohmroute~call~sig"},` +
		`{"id":"fc_x_2","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{}"}]`
	if got := r.Get("output").Raw; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(n.dropped, " "); got != "output.audio output.image" {
		t.Errorf("dropped %q", got)
	}
	if got := r.Get("incomplete_details.reason").Str; got != "content_filter" {
		t.Errorf("the reason is %q", got)
	}
	a = &answer{finish: finishRefusal, blocks: []block{{is: refusalBlock, text: "no"}}}
	if got := gjson.GetBytes(writeResponsesAnswer(a, reply(nil), &n), "status").Str; got != "completed" {
		t.Errorf("a refusal with words is %q", got)
	}
}
