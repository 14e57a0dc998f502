package providers

import (
	"errors"
	"strings"
	"testing"
)

// wantBad checks that err is a client's fault of that code and parameter.
func wantBad(t *testing.T, err error, code, param string) {
	t.Helper()
	bad, ok := errors.AsType[*BadRequest](err)
	if !ok || bad.Code != code || bad.Param != param || bad.Status != 400 || bad.Message == "" {
		t.Errorf("got %v (%+v), want %s of %q", err, bad, code, param)
	}
}

func TestMembersOfAWrongTypeAreRefused(t *testing.T) {
	tests := map[string]struct {
		endpoint Endpoint
		body     string
		param    string
	}{
		"a message that is none":              {Chat, `{"model":"m","messages":[{"role":"user"},"hi"]}`, "messages[1]"},
		"a message of a list":                 {Messages, `{"model":"m","messages":[[{}]]}`, "messages[0]"},
		"a content that is an object":         {Chat, `{"model":"m","messages":[{"content":{"text":"hi"}}]}`, "messages[0].content"},
		"a content that is a number":          {CountTokens, `{"model":"m","messages":[{"content":7}]}`, "messages[0].content"},
		"a role that is a number":             {Chat, `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":7}]}`, "messages[1].role"},
		"the first fault of two":              {Chat, `{"model":"m","messages":[{"role":7},{"content":7}]}`, "messages[0].role"},
		"a role that is a number, in input":   {Responses, `{"model":"m","input":[{"role":7}]}`, "input[0].role"},
		"a type that is a number, in input":   {Responses, `{"model":"m","input":[{"role":"user"},{"type":7}]}`, "input[1].type"},
		"a part that is a number":             {Chat, `{"model":"m","messages":[{"role":"user","content":[5]}]}`, "messages[0].content[0]"},
		"a part that is a text":               {Messages, `{"model":"m","messages":[{"role":"user","content":[{"type":"text"},"hi"]}]}`, "messages[0].content[1]"},
		"a part that is null":                 {Chat, `{"model":"m","messages":[{"role":"user","content":[null]}]}`, "messages[0].content[0]"},
		"a part of input that is a number":    {Responses, `{"model":"m","input":[{"role":"user"},{"role":"user","content":[5]}]}`, "input[1].content[0]"},
		"a part of input of a numbered type":  {Responses, `{"model":"m","input":[{"content":[{},{"type":5}],"type":"message"}]}`, "input[0].content[1].type"},
		"a part of a numbered type":           {Chat, `{"model":"m","messages":[{"role":"user"},{"role":"user","content":[{},{"type":5}]}]}`, "messages[1].content[1].type"},
		"a part of a tool's result":           {Messages, `{"model":"m","messages":[{"role":"user","content":[{},{"type":"tool_result","content":[{"type":5}]}]}]}`, "messages[0].content[1].content[0].type"},
		"calls that are an object":            {Chat, `{"model":"m","messages":[{"role":"assistant","tool_calls":{}}]}`, "messages[0].tool_calls"},
		"a call that is a number":             {Chat, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{},5]}]}`, "messages[0].tool_calls[1]"},
		"a tool that is a number":             {Chat, `{"model":"m","messages":[],"tools":[{},5]}`, "tools[1]"},
		"a tool that is null":                 {Responses, `{"model":"m","input":"x","tools":[null]}`, "tools[0]"},
		"a tool that is a text":               {CountTokens, `{"model":"m","messages":[],"tools":["x"]}`, "tools[0]"},
		"a function that is a number":         {Chat, `{"model":"m","messages":[],"functions":[5]}`, "functions[0]"},
		"a stop within a list":                {Chat, `{"model":"m","messages":[],"stop":["a",5]}`, "stop[1]"},
		"a stop sequence that is an object":   {Messages, `{"model":"m","messages":[],"stop_sequences":[{}]}`, "stop_sequences[0]"},
		"a user that is a number":             {Chat, `{"model":"m","messages":[],"user":5}`, "user"},
		"a user of an embedding":              {Embeddings, `{"model":"m","input":"x","user":[]}`, "user"},
		"a cache key that is a number":        {Responses, `{"model":"m","input":"x","prompt_cache_key":5}`, "prompt_cache_key"},
		"logprobs that are a text":            {Chat, `{"model":"m","messages":[],"logprobs":"x"}`, "logprobs"},
		"logprobs that are true elsewhere":    {Completions, `{"model":"m","prompt":"x","logprobs":true}`, "logprobs"},
		"top_logprobs that are true":          {Chat, `{"model":"m","messages":[],"top_logprobs":true}`, "top_logprobs"},
		"a logit_bias that is a list":         {Chat, `{"model":"m","messages":[],"logit_bias":[]}`, "logit_bias"},
		"a max_tokens of a half":              {Messages, `{"model":"m","messages":[],"max_tokens":1.5}`, "max_tokens"},
		"a max_tokens of a half for chat":     {Chat, `{"model":"m","messages":[],"max_completion_tokens":1.5}`, "max_completion_tokens"},
		"an item of input that is a text":     {Responses, `{"model":"m","input":["hi"]}`, "input[0]"},
		"an input that is an object":          {Responses, `{"model":"m","input":{}}`, "input"},
		"a temperature that is a text":        {Chat, `{"model":"m","messages":[],"temperature":"0.5"}`, "temperature"},
		"tools that are an object":            {Messages, `{"model":"m","messages":[],"tools":{}}`, "tools"},
		"a system that is an object":          {Messages, `{"model":"m","messages":[],"system":{}}`, "system"},
		"stop_sequences that are a text":      {Messages, `{"model":"m","messages":[],"stop_sequences":"x"}`, "stop_sequences"},
		"a stop that is a number":             {Chat, `{"model":"m","messages":[],"stop":1}`, "stop"},
		"a tool_choice that is a text":        {Messages, `{"model":"m","messages":[],"tool_choice":"auto"}`, "tool_choice"},
		"an embedding of a number":            {Embeddings, `{"model":"m","input":3}`, "input"},
		"a moderation of an object":           {Moderations, `{"input":{}}`, "input"},
		"a speech of a list":                  {Speech, `{"model":"m","input":["hi"]}`, "input"},
		"a picture of a number":               {Images, `{"prompt":7}`, "prompt"},
		"a prompt that is true":               {Completions, `{"model":"m","prompt":true}`, "prompt"},
		"a template that is a text":           {Responses, `{"model":"m","prompt":"x"}`, "prompt"},
		"a previous response that is a list":  {Responses, `{"model":"m","input":"x","previous_response_id":[]}`, "previous_response_id"},
		"a max_tokens that is true elsewhere": {Completions, `{"model":"m","prompt":"x","max_tokens":true}`, "max_tokens"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseRequest(test.endpoint, []byte(test.body))
			wantBad(t, err, "invalid_type", test.param)
		})
	}
}

func TestMembersThatRoutingReadsAreThereOnce(t *testing.T) {
	for name, body := range map[string]string{
		"messages":              `{"model":"m","messages":[],"messages":[{"role":"user","content":"x"}]}`,
		"tools":                 `{"model":"m","tools":null,"tools":[{}]}`,
		"input":                 `{"model":"m","input":"a","\u0069nput":"b"}`,
		"prompt":                `{"model":"m","prompt":"a","prompt":"b"}`,
		"stream_options":        `{"model":"m","stream_options":null,"stream_options":{}}`,
		"max_completion_tokens": `{"model":"m","max_completion_tokens":1,"max_completion_tokens":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseRequest(Chat, []byte(body))
			wantBad(t, err, "duplicate_parameter", name)
		})
	}
}

// TestWhatNobodyKnowsPasses holds that hosts may have members, parts and items of their own.
func TestWhatNobodyKnowsPasses(t *testing.T) {
	tests := map[string]struct {
		endpoint Endpoint
		body     string
	}{
		"members":              {Chat, `{"model":"m","messages":[{"role":"x","content":null,"prefix":true}],"system":{},"input":7,"thinking":"on","x":[1]}`},
		"parts":                {Messages, `{"model":"m","messages":[{"role":"user","content":[{"type":"new","new":{}},{"text":7}],"tool_calls":{}}],"context_management":[]}`},
		"items":                {Responses, `{"model":"m","input":[{"type":"new","content":{}},{"content":[1,{"type":7}],"type":"newer"},{"type":"call","output":[1]}],"messages":"x","text":{}}`},
		"tools":                {Chat, `{"model":"m","messages":[],"tools":[{"type":"namespace"},{"type":7}]}`},
		"outputs":              {Chat, `{"model":"m","messages":[{"role":"tool","output":[1,{"type":2}]}]}`},
		"counts":               {Chat, `{"model":"m","messages":[],"max_tokens":-1,"max_completion_tokens":1e3}`},
		"a count with a point": {Messages, `{"model":"m","messages":[],"max_tokens":1024.0}`},
		"a count of none":      {Messages, `{"model":"m","messages":[],"max_tokens":0}`},
		"null where something is absent": {
			Chat, `{"model":"m","messages":[],"temperature":null,"tools":null,"stop":null,"n":null,"response_format":null,"max_tokens":null,"user":null,"logprobs":null,"logit_bias":null,"functions":null}`,
		},
		"an input of numbers":            {Embeddings, `{"model":"m","input":[1,2,[3]],"dimensions":"x"}`},
		"a voice of one's own":           {Speech, `{"model":"m","input":"x","voice":{"id":"v"}}`},
		"a question that is more":        {Rerank, `{"model":"m","query":{"text":"x"},"documents":{}}`},
		"chat's numbers for completions": {Completions, `{"model":"m","prompt":[[1]],"logprobs":3,"echo":true}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParseRequest(test.endpoint, []byte(test.body))
			if err == nil {
				err = r.Complete()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestARequestThatLacksWhatItsEndpointNeeds(t *testing.T) {
	tests := map[string]struct {
		endpoint Endpoint
		body     string
		param    string // empty: it lacks nothing
		hint     string
	}{
		"chat without messages":             {Chat, `{"model":"m"}`, "messages", ""},
		"chat with messages null":           {Chat, `{"model":"m","messages":null}`, "messages", ""},
		"chat with an input":                {Chat, `{"model":"m","input":"hi"}`, "messages", "/v1/responses"},
		"chat with a prompt":                {Chat, `{"model":"m","prompt":"hi"}`, "messages", "/v1/completions"},
		"messages without messages":         {Messages, `{"model":"m","max_tokens":1}`, "messages", ""},
		"count_tokens with an input":        {CountTokens, `{"model":"m","input":"hi"}`, "messages", "/v1/responses"},
		"responses with messages":           {Responses, `{"model":"m","messages":[]}`, "input", "/v1/chat/completions or /v1/messages"},
		"responses with nothing":            {Responses, `{"model":"m","instructions":"x"}`, "input", ""},
		"responses with a template":         {Responses, `{"model":"m","prompt":{"id":"p"}}`, "", ""},
		"responses that go on":              {Responses, `{"model":"m","previous_response_id":"r"}`, "", ""},
		"responses of a conversation":       {Responses, `{"model":"m","conversation":"c"}`, "", ""},
		"embeddings without input":          {Embeddings, `{"model":"m"}`, "input", ""},
		"embeddings with messages":          {Embeddings, `{"model":"m","messages":[]}`, "input", "/v1/chat/completions"},
		"completions with messages":         {Completions, `{"model":"m","messages":[]}`, "prompt", "/v1/chat/completions"},
		"completions with embedded prompts": {Completions, `{"model":"m","prompt_embeds":"x"}`, "", ""},
		"moderations without input":         {Moderations, `{}`, "input", ""},
		"images without a prompt":           {Images, `{"model":"m"}`, "prompt", ""},
		"speech without input":              {Speech, `{"model":"m"}`, "input", ""},
		"rerank without a query":            {Rerank, `{"model":"m","documents":[]}`, "query", ""},
		"an empty list is the target's":     {Chat, `{"model":"m","messages":[]}`, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParseRequest(test.endpoint, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			err = r.Complete()
			if test.param == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantBad(t, err, "missing_required_parameter", test.param)
			if !strings.Contains(err.Error(), test.hint) || test.hint == "" && strings.Contains(err.Error(), "/v1/") {
				t.Errorf("it says %q, want a hint at %q", err, test.hint)
			}
		})
	}
	t.Run("a form without sound", func(t *testing.T) {
		r, err := ParseForm(Transcriptions, formType, []byte(partsOf(named("model"), "w")))
		if err != nil {
			t.Fatal(err)
		}
		wantBad(t, r.Complete(), "missing_required_parameter", "file")
	})
}

func TestSpeechIsStreamedInEvents(t *testing.T) {
	for body, want := range map[string]bool{
		`{"model":"m","input":"x","stream_format":"sse"}`:   true,
		`{"model":"m","input":"x","stream_format":"audio"}`: false,
		`{"stream_format":"sse","model":"m","input":"x"}`:   true,
		`{"model":"m","input":"x","stream":true}`:           true,
		`{"model":"m","input":"x"}`:                         false,
	} {
		r, err := ParseRequest(Speech, []byte(body))
		if err != nil || r.Stream != want {
			t.Errorf("%s: %v, %v", body, r, err)
		}
	}
	r, err := ParseRequest(Chat, []byte(`{"model":"m","messages":[],"stream_format":"sse"}`))
	if err != nil || r.Stream {
		t.Errorf("a chat: %v, %v", r, err)
	}
}

func TestAMessageWithoutARoleIsRefused(t *testing.T) {
	for _, e := range []Endpoint{Chat, Messages, CountTokens} {
		for _, message := range []string{`{}`, `{"content":"b"}`, `{"role":null,"content":"b"}`} {
			_, err := ParseRequest(e, []byte(`{"model":"m","messages":[{"role":"user","content":"a"},`+message+`]}`))
			wantBad(t, err, "missing_required_parameter", "messages[1].role")
		}
	}
	if _, err := ParseRequest(Responses, []byte(`{"model":"m","input":[{"content":"b"}]}`)); err != nil {
		t.Errorf("an item of Responses: %v", err)
	}
}

func TestACountBelowZeroIsRefusedWhereItMeansNothing(t *testing.T) {
	_, err := ParseRequest(Messages, []byte(`{"model":"m","messages":[],"max_tokens":-1}`))
	wantBad(t, err, "invalid_value", "max_tokens")
}
