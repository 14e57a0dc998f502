package translate

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// readMessages reads a request and what it drops.
func readMessages(body string) (*conversation, []string, error) {
	var n notes
	c, err := readMessagesRequest(gjson.Parse(body), &n)
	slices.Sort(n.dropped)
	return c, n.dropped, err
}

func TestContentOfMessagesIsReadAsBlocks(t *testing.T) {
	text := func(s string) block { return block{is: textBlock, text: s} }
	for name, test := range map[string]struct {
		role, content string
		want          []block
	}{
		"a text":          {"user", `"hi"`, []block{text("hi")}},
		"a list of texts": {"user", `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, []block{text("a"), text("b")}},
		"an empty text is left out": {
			"user", `[{"type":"text","text":""},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]`,
			[]block{{is: textBlock, text: "b", cache: `{"type":"ephemeral"}`}},
		},
		"results come first": {
			"user", `[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"1","content":"r","is_error":true}]`,
			[]block{{is: resultBlock, id: "1", content: []block{text("r")}, failed: true}, text("a")},
		},
		"a result without content": {
			"user", `[{"type":"tool_result","tool_use_id":"1","content":null}]`, []block{{is: resultBlock, id: "1"}},
		},
		"a call keeps its input as it is written": {
			"assistant", `[{"type":"tool_use","id":"1","name":"f","input":{"n": 1.50},"caller":{"type":"direct"}}]`,
			[]block{{is: callBlock, id: "1", name: "f", text: `{"n": 1.50}`}},
		},
		"a call without input": {
			"assistant", `[{"type":"tool_use","id":"1","name":"f"}]`, []block{{is: callBlock, id: "1", name: "f", text: `{}`}},
		},
		"thinking and its signature": {
			"assistant", `[{"type":"thinking","thinking":"t","signature":"s"}]`,
			[]block{{is: reasoningBlock, text: "t", signature: signature{Messages, "s"}}},
		},
		"thinking of another dialect": {
			"assistant", `[{"type":"thinking","thinking":"t","signature":"responses~ohmroute~s"}]`,
			[]block{{is: reasoningBlock, text: "t", signature: signature{Responses, "s"}}},
		},
		"redacted thinking is told from thinking that isn't shown": {
			"assistant", `[{"type":"redacted_thinking","data":"d"},{"type":"thinking","thinking":"","signature":"s"}]`,
			[]block{{is: reasoningBlock, signature: signature{Messages, "redacted~d"}}, {is: reasoningBlock, signature: signature{Messages, "s"}}},
		},
		"redacted thinking of another dialect": {
			"assistant", `[{"type":"redacted_thinking","data":"responses~ohmroute~s"}]`,
			[]block{{is: reasoningBlock, signature: signature{Responses, "s"}}},
		},
		"the signature of a call": {
			"assistant", `[{"type":"redacted_thinking","data":"gemini~ohmroute~call~s"},{"type":"tool_use","id":"1","name":"f","input":{}},` +
				`{"type":"tool_use","id":"2","name":"g","input":{}}]`,
			[]block{
				{is: callBlock, id: "1", name: "f", text: `{}`, signature: signature{Gemini, "s"}},
				{is: callBlock, id: "2", name: "g", text: `{}`},
			},
		},
		"a summary of what came before": {
			"assistant", `[{"type":"compaction","content":"They met."},{"type":"compaction","content":null}]`, []block{text("They met.")},
		},
		"a document behind a URL": {
			"user", `[{"type":"document","title":"t","source":{"type":"url","url":"https://example.com/a"}}]`,
			[]block{{is: fileBlock, name: "t", media: media{mimeType: "application/pdf", url: "https://example.com/a"}}},
		},
		"a document of text, with all that is known of it": {
			"user", `[{"type":"document","title":"t","context":"c","source":{"type":"text","media_type":"text/plain","data":"d"}}]`,
			[]block{text("t"), text("c"), text("d")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			// somebody has to speak before
			c, dropped, err := readMessages(`{"messages":[{"role":"user","content":"."},{"role":"` + test.role + `","content":` + test.content + `}]}`)
			if err != nil || len(dropped) > 0 {
				t.Fatalf("refused or dropped: %v, %v", err, dropped)
			}
			if got := c.turns[1].blocks; !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestSystemMessagesAreTheOperators(t *testing.T) {
	c, _, err := readMessages(`{"messages":[{"role":"system","content":"b"},{"role":"user","content":"hi"},{"role":"system","content":"c"}],"system":"a"}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.system) != 2 || c.system[0].text != "a" || c.system[1].text != "b" {
		t.Errorf("the system is %+v", c.system)
	}
	if len(c.turns) != 2 || !c.turns[1].system || c.turns[1].blocks[0].text != "c" {
		t.Errorf("the turns are %+v", c.turns)
	}
}

func TestThinkingAndEffortAreReadAsReasoning(t *testing.T) {
	for members, want := range map[string]reasoning{
		``:                                {},
		`,"thinking":{"type":"disabled"}`: {effort: "none", usual: true},
		`,"thinking":{"type":"disabled"},"output_config":{"effort":"high"}`: {effort: "none", usual: true},
		`,"output_config":{"effort":"high"},"thinking":{"type":"disabled"}`: {effort: "none", usual: true},
		`,"thinking":{"type":"enabled","budget_tokens":2048}`:               {budget: "2048", shown: "true"},
		`,"thinking":{"type":"adaptive"}`:                                   {shown: "true"},
		`,"thinking":{"type":"adaptive","display":"omitted"}`:               {shown: "false"},
		`,"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}`:  {effort: "xhigh", shown: "true"},
		`,"output_config":{"effort":"medium"}`:                              {effort: "medium"},
		`,"thinking":null,"output_config":{"effort":null}`:                  {},
	} {
		c, dropped, err := readMessages(`{"messages":[{"role":"user","content":"hi"}]` + members + `}`)
		if err != nil || len(dropped) > 0 {
			t.Errorf("%s: refused or dropped: %v, %v", members, err, dropped)
		} else if c.reason != want {
			t.Errorf("%s: got %+v, want %+v", members, c.reason, want)
		}
	}
}

func TestRequestsOfMessagesThatMakeNoSense(t *testing.T) {
	message := func(role, content string) string {
		return `{"messages":[{"role":"` + role + `","content":` + content + `}]}`
	}
	const hi = `"messages":[{"role":"user","content":"hi"}]`
	for body, param := range map[string]string{
		`[]`:                              "",
		`{}`:                              "messages",
		`{"messages":{}}`:                 "messages",
		`{"messages":[]}`:                 "messages",
		`{"messages":[{"content":"hi"}]}`: "messages[0].role",
		message("tool", `"hi"`):           "messages[0].role",
		`{"messages":[{"role":"user"}]}`:  "messages[0].content",
		message("user", `7`):              "messages[0].content",
		message("user", `[{"type":"text","text":1}]`):                                                                     "messages[0].content[0].text",
		message("user", `[{"text":"hi"}]`):                                                                                "messages[0].content[0].type",
		message("user", `["hi"]`):                                                                                         "messages[0].content[0].type",
		message("user", `[{"type":"input_audio"}]`):                                                                       "messages[0].content[0].type",
		message("user", `[{"type":"image","source":{"type":"hologram"}}]`):                                                "messages[0].content[0].source.type",
		message("user", `[{"type":"image"}]`):                                                                             "messages[0].content[0].source.type",
		message("user", `[{"type":"image","source":{"type":"base64","data":"aa"}}]`):                                      "messages[0].content[0].source",
		message("user", `[{"type":"tool_use","id":"a","name":"b","input":{}}]`):                                           "messages[0].content",
		message("user", `[{"type":"thinking","thinking":"t","signature":""}]`):                                            "messages[0].content",
		message("user", `[{"type":"tool_result","content":"x"}]`):                                                         "messages[0].content[0].tool_use_id",
		message("user", `[{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_use","id":"a","name":"b"}]}]`): "messages[0].content[0].content",
		message("assistant", `[{"type":"tool_result","tool_use_id":"a"}]`):                                                "messages[0].content",
		message("assistant", `[{"type":"tool_use","name":"b","input":{}}]`):                                               "messages[0].content[0].id",
		message("assistant", `[{"type":"tool_use","id":"a","input":{}}]`):                                                 "messages[0].content[0].name",
		message("assistant", `[{"type":"tool_use","id":"a","name":"b","input":"{}"}]`):                                    "messages[0].content[0].input",
		message("assistant", `[{"type":"redacted_thinking"}]`):                                                            "messages[0].content[0].data",
		message("system", `[{"type":"image","source":{"type":"url","url":"https://example.com"}}]`):                       "messages[0].content",
		`{` + hi + `,"system":7}`:                                                                                         "system",
		`{` + hi + `,"max_tokens":"many"}`:                                                                                "max_tokens",
		`{` + hi + `,"temperature":true}`:                                                                                 "temperature",
		`{` + hi + `,"stream":"yes"}`:                                                                                     "stream",
		`{` + hi + `,"stop_sequences":"END"}`:                                                                             "stop_sequences",
		`{` + hi + `,"stop_sequences":[1]}`:                                                                               "stop_sequences[0]",
		`{` + hi + `,"metadata":"me"}`:                                                                                    "metadata",
		`{` + hi + `,"tools":{}}`:                                                                                         "tools",
		`{` + hi + `,"tools":["f"]}`:                                                                                      "tools[0]",
		`{` + hi + `,"tools":[{"input_schema":{}}]}`:                                                                      "tools[0].name",
		`{` + hi + `,"tools":[{"name":"f","input_schema":"{}"}]}`:                                                         "tools[0].input_schema",
		`{` + hi + `,"tool_choice":"auto"}`:                                                                               "tool_choice.type",
		`{` + hi + `,"tool_choice":{"type":"tool"}}`:                                                                      "tool_choice.name",
		`{` + hi + `,"thinking":true}`:                                                                                    "thinking",
		`{` + hi + `,"thinking":{"type":"enabled","budget_tokens":"x"}}`:                                                  "thinking.budget_tokens",
		`{` + hi + `,"output_config":[]}`:                                                                                 "output_config",
		`{` + hi + `,"output_config":{"format":{"type":"xml"}}}`:                                                          "output_config.format.type",
		`{` + hi + `,"output_config":{"format":{"type":"json_schema"}}}`:                                                  "output_config.format.schema",
	} {
		_, _, err := readMessages(body)
		refused, ok := errors.AsType[*Refused](err)
		if !ok || !refused.Broken || refused.Param != param || refused.Message == "" {
			t.Errorf("%s: got %+v, want it broken at %q", body, err, param)
		}
	}
}

func TestWhatOnlyAnthropicHasIsRefused(t *testing.T) {
	const hi = `"messages":[{"role":"user","content":"hi"}]`
	for body, param := range map[string]string{
		`{` + hi + `,"container":"c"}`:                                                                       "container",
		`{` + hi + `,"container":{"skills":[{}]}}`:                                                           "container",
		`{` + hi + `,"mcp_servers":[{"url":"u"}]}`:                                                           "mcp_servers",
		`{` + hi + `,"thread":{"id":"t"}}`:                                                                   "thread",
		`{"messages":[{"role":"user","content":[{"type":"container_upload","file_id":"f"}]}]}`:               "messages[0].content[0]",
		`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}]}`: "messages[0].content[0].source.file_id",
	} {
		_, _, err := readMessages(body)
		refused, ok := errors.AsType[*Refused](err)
		if !ok || refused.Broken || refused.Param != param || !strings.Contains(refused.Message, "only Anthropic") {
			t.Errorf("%s: got %+v, want it refused at %q", body, err, param)
		}
	}
}

func TestMembersOfMessagesThatSayNothingAreNotNamed(t *testing.T) {
	_, dropped, err := readMessages(`{"messages":[{"role":"user","content":[{"type":"text","text":"hi","citations":null}],"name":""}],` +
		`"container":null,"mcp_servers":[],"context_management":null,"service_tier":"auto","speed":"standard","new":false,` +
		`"metadata":{"user_id":null},"tools":[{"name":"f","input_schema":{},"defer_loading":false,"allowed_callers":["direct"]}]}`)
	if err != nil || len(dropped) > 0 {
		t.Errorf("got %v, dropped %v", err, dropped)
	}
}

func TestAChoiceGoesWithTheToolsThatWereDropped(t *testing.T) {
	const web = `{"type":"web_search_20250305","name":"web_search"}`
	for members, want := range map[string]choice{
		`"tools":[` + web + `],"tool_choice":{"type":"any"}`:                                            {},
		`"tools":[` + web + `],"tool_choice":{"type":"tool","name":"web_search"}`:                       {},
		`"tools":[` + web + `],"tool_choice":{"type":"auto"}`:                                           {mode: "auto"},
		`"tools":[` + web + `,{"name":"f","input_schema":{}}],"tool_choice":{"type":"any"}`:             {mode: "required"},
		`"tool_choice":{"type":"tool","name":"f"},"tools":[` + web + `,{"name":"f","input_schema":{}}]`: {mode: "named", name: "f"},
	} {
		c, dropped, err := readMessages(`{"messages":[{"role":"user","content":"hi"}],` + members + `}`)
		if err != nil || c.choice != want {
			t.Errorf("%s: got %+v, %v; want %+v", members, c.choice, err, want)
		}
		if gone := slices.Contains(dropped, "tool_choice"); gone != (want == choice{}) {
			t.Errorf("%s: dropped %v", members, dropped)
		}
	}
}
