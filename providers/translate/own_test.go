package translate

import "testing"

func TestAnOwnRequestLosesWhatOnlyOthersSigned(t *testing.T) {
	for name, test := range map[string]struct {
		dialect    Dialect
		body, want string // an empty want: the body
	}{
		"nothing sealed": {Messages, ` {"messages": [{"content": [{"type":"thinking","thinking":"t","signature":"s"}]}], "n":1.0}`, ""},
		"sealed thinking": {
			Messages,
			`{"a": 1.0, "messages": [{"role":"user","content":"hi"} , {"role":"assistant","content": [` +
				`{"type":"thinking","thinking":"t","signature":"responses~ohmroute~s"}, {"type":"redacted_thinking","data":"gemini~ohmroute~call~s"}, ` +
				`{"type":"text","text":"a"}, {"type":"text", "text":"b"}], "z":[ ]}], "b": []}`,
			`{"a": 1.0, "messages": [{"role":"user","content":"hi"},{"role":"assistant","content": [` +
				`{"type":"text","text":"a"},{"type":"text", "text":"b"}], "z":[ ]}], "b": []}`,
		},
		"thinking that nobody signed": {
			Messages,
			`{"messages":[{"content":[{"type":"thinking","thinking":"t","signature":"chat~ohmroute~none"},{"type":"text","text":"a"}]}]}`,
			`{"messages":[{"content":[{"type":"text","text":"a"}]}]}`,
		},
		"a message that held nothing else": {
			Messages,
			`{"messages":[{"content":"hi"},{"content":[{"type":"thinking","thinking":"t","signature":"chat~ohmroute~s"}]},{"content":[]}]}`,
			`{"messages":[{"content":"hi"},{"content":[]}]}`,
		},
		"a text that looks like a seal": {Messages, `{"messages":[{"content":[{"type":"text","text":"a~ohmroute~b"}]}, {"content":"~ohmroute~"}]}`, ""},
		"no list of messages":           {Messages, `{"messages":"~ohmroute~"}`, ""},
		"no object":                     {Messages, `["~ohmroute~"]`, ""},
		"sealed items": {
			Responses,
			`{"input":[{"type":"reasoning","encrypted_content":"messages~ohmroute~s","summary":[]}, {"type":"reasoning","encrypted_content":"s"}]}`,
			`{"input":[{"type":"reasoning","encrypted_content":"s"}]}`,
		},
		"items of reasoning that nobody keeps": {
			Responses,
			`{"input":[{"type":"reasoning","id":"rs_ohmroute_1_0","summary":[]}, {"type":"item_reference","id":"rs_ohmroute_1_1"},` +
				` {"type":"item_reference","id":"rs_1"}, {"role":"user","content":"rs_ohmroute"}]}`,
			`{"input":[{"type":"item_reference","id":"rs_1"},{"role":"user","content":"rs_ohmroute"}]}`,
		},
		"an input that is a text": {Responses, `{"input":"~ohmroute~"}`, ""},
		"a chat": {
			Chat,
			`{"messages":[{"content":"~ohmroute~","reasoning_details":[{"signature":"messages~ohmroute~s"},{"signature":"s"},{"data":"gemini~ohmroute~d"}]}]}`,
			`{"messages":[{"content":"~ohmroute~","reasoning_details":[{"signature":"s"}]}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := test.want
			if want == "" {
				want = test.body
			}
			if got := string(Own(test.dialect, []byte(test.body))); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
