package clients

import (
	"slices"
	"strings"
	"testing"
)

// scenario is one thing that happens to clients of chat, Responses and Messages.
type scenario struct {
	name     string // also the model that the host is asked for
	column   string // of the table in docs/clients.md
	op       string // what the client is asked to do
	scripts  func(dialect) []string
	first    func(dialect) []string // of a target before, if there is one
	slow     bool                   // keepalives come every 50 ms
	leaves   bool                   // the user aborts at the first word, or when the host was asked
	wrongKey bool
	unknown  bool                               // the model is none
	only     func(endpoint, target string) bool // nil: it is for all
	check    func(*testing.T, party, string, played)
}

func firstModel(name string) string { return name + ".first" }

// model is the name of the combo whose target is of that dialect.
func (sc scenario) model(target string) string {
	if sc.unknown {
		return "nobody-knows-this"
	}
	return sc.name + "@" + target
}

// combo configures the scenario for a target of that dialect.
func (sc scenario) combo(target string) object {
	targets := []object{{"provider": target, "model": sc.name}}
	if sc.first != nil {
		targets = slices.Insert(targets, 0, object{"provider": target + "-first", "model": firstModel(sc.name)})
	}
	combo := object{"name": sc.name + "@" + target, "targets": targets}
	if sc.slow {
		combo["keepalive"] = "50ms"
	}
	return combo
}

var (
	hello = speech{text: "Hello there."}
	both  = speech{cities: []string{"Paris", "Rome"}}
	mixed = speech{cities: both.cities, interleaved: true}
	sunny = speech{text: "Sunny in both."}
	paris = speech{text: `{"city":"Paris","population":2100000}`}
	dot   = speech{text: "A dot."}
)

// says is a host that answers whole.
func says(turns ...speech) func(dialect) []string {
	return func(d dialect) []string {
		var scripts []string
		for _, turn := range turns {
			scripts = append(scripts, d.answer(turn))
		}
		return scripts
	}
}

// streams is a host that answers with streams, after what goes before.
func streams(before string, turns ...speech) func(dialect) []string {
	return func(d dialect) []string {
		var scripts []string
		for _, turn := range turns {
			scripts = append(scripts, before+"\n"+strings.Join(d.stream(turn).whole(), "\n"))
		}
		return scripts
	}
}

// begins is a host that streams up to its first word and then does something else.
func begins(end string) func(dialect) []string {
	return func(d dialect) []string {
		s := d.stream(hello)
		return []string{strings.Join(append(slices.Clone(s.opening), s.first, end), "\n")}
	}
}

// dies is a host whose stream ends before its first word.
func dies(d dialect) []string {
	return []string{strings.Join(append(slices.Clone(d.stream(hello).opening), "cut"), "\n")}
}

// fails is a host that answers with an error, after what goes before.
func fails(before string, status int, code, message string) func(dialect) []string {
	return func(d dialect) []string {
		return []string{before + "\n" + strings.Join(d.failure(status, code, message), "\n")}
	}
}

const tooLong = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."

// scenarios are in the order of the table's columns.
var scenarios = []scenario{
	{name: "text", column: "text", op: "text", scripts: says(hello), check: isHello},
	{name: "stream", column: "stream", op: "stream", scripts: streams("", hello), check: isHello},
	{name: "tools", column: "tools", op: "tools", scripts: says(both, sunny), check: calledBoth},
	{name: "tools-streamed", column: "tools", op: "toolsStream", scripts: streams("", both, sunny), check: calledBoth},
	{
		name: "tools-interleaved", column: "tools", op: "toolsStream", scripts: streams("", mixed, sunny), check: calledBoth,
		// OpenAI's own client for JavaScript can't read them in its own dialect, where they pass as they are.
		only: func(endpoint, target string) bool { return target == "chat" && endpoint != "chat" },
	},
	{name: "structured", column: "structured", op: "object", scripts: says(paris), check: isParis},
	{name: "vision", column: "vision", op: "vision", scripts: says(dot), check: sawTheDot},

	{name: "bad-request", column: "errors", op: "text", scripts: fails("", 400, "invalid_value", "Invalid value for temperature."), check: failsWith(400)},
	{name: "bad-request-streamed", column: "errors", op: "stream", scripts: fails("", 400, "invalid_value", "Invalid value for temperature."), check: failsWith(400)},
	{name: "wrong-key", column: "errors", op: "text", wrongKey: true, scripts: says(hello), check: failsWith(401)},
	{name: "no-model", column: "errors", op: "text", unknown: true, scripts: says(hello), check: failsWith(404)},
	{name: "rate-limit", column: "errors", op: "text", scripts: fails("header Retry-After: 1", 429, "rate_limit_exceeded", "Slow down."), check: failsWith(429)},
	{name: "rate-limit-streamed", column: "errors", op: "stream", scripts: fails("header Retry-After: 1", 429, "rate_limit_exceeded", "Slow down."), check: failsWith(429)},
	{name: "quota", column: "errors", op: "text", scripts: fails("", 429, "insufficient_quota", "You exceeded your current quota."), check: failsForQuota},
	{name: "context-length", column: "errors", op: "text", scripts: fails("", 400, "context_length_exceeded", tooLong), check: failsForLength},

	{
		name: "all-down", column: "asked once", op: "text", check: failsOnce,
		first: fails("", 500, "-", "The machine room is flooded."), scripts: fails("", 500, "-", "The machine room is flooded."),
	},
	{
		name: "all-down-streamed", column: "asked once", op: "stream", check: failsOnce,
		first: fails("", 500, "-", "The machine room is flooded."), scripts: fails("", 500, "-", "The machine room is flooded."),
	},
	{name: "failover", column: "failover", op: "text", first: fails("", 500, "-", "The machine room is flooded."), scripts: says(hello), check: isHello},
	{name: "failover-streamed", column: "failover", op: "stream", first: dies, scripts: streams("", hello), check: isHello},
	{name: "cut", column: "break", op: "stream", scripts: begins("cut"), check: seesABreak},
	{name: "left", column: "abort", op: "text", leaves: true, scripts: func(dialect) []string { return []string{"hang"} }, check: left},
	{name: "left-streaming", column: "abort", op: "stream", leaves: true, scripts: begins("hang"), check: left},
	{name: "keepalive", column: "keepalive", op: "stream", slow: true, scripts: streams("delay 200ms", hello), check: isHello},
	{name: "late-failure", column: "keepalive", op: "stream", slow: true, scripts: fails("delay 200ms", 500, "-", "The machine room is flooded."), check: failsLate},
}
