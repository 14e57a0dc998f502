package translate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/sse"
)

func TestALegalIDStaysAsItIs(t *testing.T) {
	for _, id := range []string{"call_1", "toolu_01A-b", strings.Repeat("x", 64)} {
		if got := legalID(id, 64); got != id {
			t.Errorf("%s became %s", id, got)
		}
	}
	if got := shortened("functions.read:0", 40); got != "functions.read:0" {
		t.Errorf("a short one became %s", got)
	}
}

func TestIDsAreMadeLegalAndStayDistinct(t *testing.T) {
	legal := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	rapid.Check(t, func(t *rapid.T) {
		one, other := rapid.String().Draw(t, "one"), rapid.String().Draw(t, "other")
		a, b := legalID(one, 40), legalID(other, 40)
		if !legal.MatchString(a) {
			t.Fatalf("%q became %q", one, a)
		}
		if one != other && a == b {
			t.Fatalf("%q and %q became %q", one, other, a)
		}
		if short := shortened(one, 40); len(short) > 40 || one != other && short == shortened(other, 40) {
			t.Fatalf("%q was shortened to %q", one, short)
		}
	})
}

// calledWith are the ids of an answer's calls and their arguments, as a client reads them, whole or from its events.
func calledWith(client Dialect, whole []byte) string {
	var list, id, arguments string
	switch client {
	case Chat:
		list, id, arguments = "choices.0.message.tool_calls", "id", "function.arguments"
	case Responses:
		list, id, arguments = `output.#(type=="function_call")#`, "call_id", "arguments"
	default:
		list, id, arguments = `content.#(type=="tool_use")#`, "id", "input"
	}
	var said []string
	for _, call := range gjson.GetBytes(whole, list).Array() {
		said = append(said, call.Get(id).Str+" "+call.Get(arguments).String())
	}
	return strings.Join(said, ", ")
}

// streamedCalls are the same of a stream, whose calls don't grow in turns.
func streamedCalls(client Dialect, stream []byte) string {
	if client == Responses {
		return calledWith(client, []byte(lastResponse(stream).Raw))
	}
	var said []string
	for ev := range sse.Events(stream) {
		data := gjson.ParseBytes(ev.Data)
		call, id, piece := data.Get("choices.0.delta.tool_calls.0"), "id", "function.arguments"
		if client == Messages {
			call, id, piece = data.Get("content_block"), "id", "none"
			if call.Get("type").Str != "tool_use" {
				call, piece = data.Get("delta"), "partial_json"
			}
		}
		if made := call.Get(id).Str; made != "" {
			said = append(said, made+" ")
		}
		if len(said) > 0 {
			said[len(said)-1] += call.Get(piece).String()
		}
	}
	for i := range said {
		if strings.HasSuffix(said[i], " ") {
			said[i] += "{}" // a call without a piece of arguments has none
		}
	}
	return strings.Join(said, ", ")
}

func TestCallsThatAHostGivesNoIDsAreToldApartByClientsOfEveryDialect(t *testing.T) {
	for name, c := range map[string]struct{ message, deltas, want string }{
		"calls": {
			`"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}},{"function":{"name":"f","arguments":"{\"a\":2}"}}]`,
			`"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}},{"index":1,"function":{"name":"f","arguments":"{\"a\":2}"}}]`,
			`call_r1_0 {"a":1}, call_r1_1 {"a":2}`,
		},
		"whole calls of one index": {
			``, `"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}},{"index":0,"function":{"name":"f","arguments":"{\"a\":2}"}}]`,
			`call_r1_0 {"a":1}, call_r1_1 {"a":2}`,
		},
		"a call in the older form": {
			`"function_call":{"name":"f","arguments":"{\"a\":1}"}`, `"function_call":{"name":"f","arguments":"{\"a\":1}"}`, `call_r1_0 {"a":1}`,
		},
		"blank arguments": {
			`"tool_calls":[{"id":"c","function":{"name":"f","arguments":" \n"}}]`,
			`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":" "}},{"index":0,"function":{"arguments":"\n"}}]`,
			`c {}`,
		},
	} {
		for _, client := range clients {
			r := Reply{ID: "r1", Model: "m", Created: 1}
			if c.message != "" {
				body := `{"id":"i","choices":[{"index":0,"message":{"role":"assistant","content":null,` + c.message + `},"finish_reason":"stop"}]}`
				if got := calledWith(client, Answer(Chat, client, []byte(body), r).Body); got != c.want {
					t.Errorf("%s, whole, towards %s: got %s, want %s", name, client, got, c.want)
				}
			}
			stream := streamed(Chat, client, r, slices.Values([][]byte{chatEvents(`"delta":{`+c.deltas+`},"finish_reason":"stop"`, chatDone)}))
			if got := streamedCalls(client, stream); got != c.want {
				t.Errorf("%s, streamed, towards %s: got %s, want %s", name, client, got, c.want)
			}
		}
	}
}
