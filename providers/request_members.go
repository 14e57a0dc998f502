package providers

import (
	"bytes"
	"maps"
	"strings"
)

// jsonTypes is a set of the types that a JSON value may have. null is of every set: it stands for what is absent.
type jsonTypes uint8

const (
	jsonText jsonTypes = 1 << iota
	jsonList
	jsonObject
	jsonNumber
	jsonBoolean

	jsonAny = jsonText | jsonList | jsonObject | jsonNumber | jsonBoolean
)

// holds tells whether a value that begins so is of the set.
func (t jsonTypes) holds(first byte) bool {
	switch first {
	case '"':
		return t&jsonText != 0
	case '[':
		return t&jsonList != 0
	case '{':
		return t&jsonObject != 0
	case 't', 'f':
		return t&jsonBoolean != 0
	case 'n':
		return true
	default:
		return t&jsonNumber != 0
	}
}

// String names the set: "a string or an array".
func (t jsonTypes) String() string {
	var names []string
	for i, name := range [...]string{"a string", "an array", "an object", "a number", "a boolean"} {
		if t>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// mark is a set of members that may be there once: the gateway and a target could read different ones.
type mark uint32

const (
	markModel mark = 1 << iota
	markStream
	markOptions
	markMessages
	markInput
	markPrompt
	markTools
	markFunctions
	markMaxTokens
	markMaxCompletion
	markMaxOutput
	markSystem
	markEmbeds
	markPrevious
	markConversation
	markQuery
	markFile
)

// member is a member of a request's top level that is looked at.
type member struct {
	types    jsonTypes
	mark     mark      // 0: the last one counts, as it does for most targets
	elements jsonTypes // of a list; 0: it isn't looked into here
}

// readMembers are those that routing asks about, on every endpoint.
var readMembers = map[string]member{
	"model":                 {types: jsonText, mark: markModel},
	"stream":                {types: jsonBoolean, mark: markStream},
	"stream_options":        {types: jsonObject, mark: markOptions},
	"messages":              {types: jsonAny, mark: markMessages},
	"input":                 {types: jsonAny, mark: markInput},
	"prompt":                {types: jsonAny, mark: markPrompt},
	"tools":                 {types: jsonAny, mark: markTools},
	"functions":             {types: jsonAny, mark: markFunctions},
	"max_tokens":            {types: jsonNumber, mark: markMaxTokens},
	"max_completion_tokens": {types: jsonNumber, mark: markMaxCompletion},
	"max_output_tokens":     {types: jsonNumber, mark: markMaxOutput},
	"user":                  {types: jsonAny},
	"prompt_cache_key":      {types: jsonAny},
	"n":                     {types: jsonAny},
}

// typedMembers are those that have one meaning on an endpoint at all hosts. What isn't listed is the target's business.
var typedMembers = []struct {
	types     jsonTypes
	mark      mark
	names     string
	endpoints []Endpoint
}{
	{jsonList, markMessages, "messages", []Endpoint{Chat, Messages, CountTokens}},
	{jsonList, markTools, "tools", []Endpoint{Chat, Responses, Messages, CountTokens}},
	{jsonList, markFunctions, "functions", []Endpoint{Chat}},
	{jsonText | jsonList, markInput, "input", []Endpoint{Responses, Embeddings, Moderations}},
	{jsonText, markInput, "input", []Endpoint{Speech}},
	{jsonText | jsonList, markPrompt, "prompt", []Endpoint{Completions}},
	{jsonText, markPrompt, "prompt", []Endpoint{Images}},
	{jsonObject, markPrompt, "prompt", []Endpoint{Responses}},
	{jsonAny, markEmbeds, "prompt_embeds", []Endpoint{Completions}},
	{jsonText | jsonList, markSystem, "system", []Endpoint{Messages, CountTokens}},
	{jsonText, markPrevious, "previous_response_id", []Endpoint{Responses}},
	{jsonText | jsonObject, markConversation, "conversation", []Endpoint{Responses}},
	{jsonAny, markQuery, "query", []Endpoint{Rerank}},
	{jsonNumber, 0, "temperature top_p", []Endpoint{Chat, Completions, Responses, Messages}},
	{jsonNumber, 0, "n seed presence_penalty frequency_penalty", []Endpoint{Chat, Completions}},
	{jsonNumber, 0, "n", []Endpoint{Images}},
	{jsonNumber, 0, "top_k", []Endpoint{Messages}},
	{jsonText | jsonList, 0, "stop", []Endpoint{Chat, Completions}},
	{jsonList, 0, "stop_sequences", []Endpoint{Messages}},
	{jsonText | jsonObject, 0, "tool_choice", []Endpoint{Chat, Responses}},
	{jsonObject, 0, "tool_choice", []Endpoint{Messages, CountTokens}},
	{jsonObject, 0, "thinking", []Endpoint{Messages, CountTokens}},
	{jsonObject, 0, "metadata", []Endpoint{Chat, Responses, Messages}},
	{jsonObject, 0, "response_format", []Endpoint{Chat}},
	{jsonBoolean, 0, "parallel_tool_calls", []Endpoint{Chat, Responses}},
	{jsonBoolean, 0, "store", []Endpoint{Chat, Responses}},
	{jsonText | jsonList, 0, "instructions", []Endpoint{Responses}},
	{jsonText, 0, "user", []Endpoint{Chat, Completions, Embeddings, Responses, Images}},
	{jsonText, 0, "prompt_cache_key", []Endpoint{Chat, Responses}},
	{jsonBoolean, 0, "logprobs", []Endpoint{Chat}},
	{jsonNumber, 0, "logprobs", []Endpoint{Completions}},
	{jsonNumber, 0, "top_logprobs", []Endpoint{Chat, Responses}},
	{jsonObject, 0, "logit_bias", []Endpoint{Chat, Completions}},
	{jsonList, 0, "include", []Endpoint{Responses}},
	{jsonText, 0, "stream_format", []Endpoint{Speech}},
}

// elementsOf are the types of the elements of lists, where the list itself has one meaning.
var elementsOf = map[string]jsonTypes{"tools": jsonObject, "functions": jsonObject, "stop": jsonText, "stop_sequences": jsonText}

var membersOf = tabulated()

func tabulated() map[Endpoint]map[string]member {
	all := map[Endpoint]map[string]member{}
	for e := range upstreamPaths {
		all[e] = maps.Clone(readMembers)
	}
	for _, row := range typedMembers {
		for _, e := range row.endpoints {
			for name := range strings.FieldsSeq(row.names) {
				all[e][name] = member{row.types, row.mark, elementsOf[name]}
			}
		}
	}
	return all
}

// foreignCase refuses a name that a target which doesn't regard case would take for one that decides about routing.
func foreignCase(key []byte) error {
	for _, b := range key {
		if b >= 'A' && b <= 'Z' || b >= 0x80 {
			if bytes.EqualFold(key, []byte("model")) || bytes.EqualFold(key, []byte("stream")) {
				return badRequest("unknown_parameter", string(key), "Unrecognized parameter '%s': names are lower case.", key)
			}
			return nil
		}
	}
	return nil
}
