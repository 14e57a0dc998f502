package clients

import (
	"slices"
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
		return unknownModel
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

const (
	hello   = "Hello there."
	sunny   = "Sunny in both."
	paris   = `{"city":"Paris","population":2100000}`
	dot     = "A dot."
	flooded = "The machine room is flooded."
)

// plays is a host with these scripts, whatever its dialect.
func plays(scripts ...string) func(dialect) []string {
	return func(dialect) []string { return scripts }
}

// fails is a host that answers with an error, after what goes before.
func fails(before string, status int, code, message string) func(dialect) []string {
	return func(d dialect) []string { return []string{script(before, d.failure(status, code, message))} }
}

func isTooLong(d dialect) []string {
	return []string{d.failure(400, "context_length_exceeded", d.tooLong())}
}

func callsTools(d dialect) []string         { return []string{d.calls(), "chat " + sunny} }
func callsToolsStreamed(d dialect) []string { return []string{d.streamed(), "chat " + sunny} }

const (
	slowDown = "header Retry-After: 1"
	noValue  = "Invalid value for temperature."
)

// scenarios are in the order of the table's columns.
var scenarios = []scenario{
	{name: "text", column: "text", op: "text", scripts: plays("chat " + hello), check: isHello},
	{name: "stream", column: "stream", op: "stream", scripts: plays("chat " + hello), check: isHello},
	{name: "reasoning", column: "reasoning", op: "stream", scripts: plays("role; reason Let me think.; chunk " + hello + "; finish stop; done"), check: readsOn},
	{name: "tools", column: "tools", op: "tools", scripts: callsTools, check: calledBoth},
	{name: "tools-streamed", column: "tools", op: "toolsStream", scripts: callsToolsStreamed, check: calledBoth},
	{
		name: "tools-interleaved", column: "tools", op: "toolsStream", scripts: plays(chatCallsInterleaved(), "chat "+sunny), check: calledBoth,
		// OpenAI's own client for JavaScript can't read them in its own dialect, where they pass as they are.
		only: func(endpoint, target string) bool { return target == "chat" && endpoint != "chat" },
	},
	{name: "structured", column: "structured", op: "object", scripts: plays("chat " + paris), check: isParis},
	{name: "vision", column: "vision", op: "vision", scripts: plays("chat " + dot), check: sawTheDot},

	{name: "bad-request", column: "errors", op: "text", scripts: fails("", 400, "invalid_value", noValue), check: failsWith(400)},
	{name: "bad-request-streamed", column: "errors", op: "stream", scripts: fails("", 400, "invalid_value", noValue), check: failsWith(400)},
	{name: "wrong-key", column: "errors", op: "text", wrongKey: true, scripts: plays("chat " + hello), check: failsWith(401)},
	{name: "no-model", column: "errors", op: "text", unknown: true, scripts: plays("chat " + hello), check: failsWith(404)},
	{name: "rate-limit", column: "errors", op: "text", scripts: fails(slowDown, 429, "rate_limit_exceeded", "Slow down."), check: failsWith(429)},
	{name: "rate-limit-streamed", column: "errors", op: "stream", scripts: fails(slowDown, 429, "rate_limit_exceeded", "Slow down."), check: failsWith(429)},
	{name: "quota", column: "errors", op: "text", scripts: fails("", 429, "insufficient_quota", "You exceeded your quota."), check: failsForQuota},
	{name: "context-length", column: "errors", op: "text", scripts: isTooLong, check: failsForLength},
	{name: "context-length-streamed", column: "errors", op: "stream", scripts: isTooLong, check: failsForLength},

	{name: "all-down", column: "asked once", op: "text", first: fails("", 500, "server_error", flooded), scripts: fails("", 500, "server_error", flooded), check: failsOnce},
	{name: "all-down-streamed", column: "asked once", op: "stream", first: fails("", 500, "server_error", flooded), scripts: fails("", 500, "server_error", flooded), check: failsOnce},
	{name: "failover", column: "failover", op: "text", first: fails("", 500, "server_error", flooded), scripts: plays("chat " + hello), check: isHello},
	{name: "failover-streamed", column: "failover", op: "stream", first: plays("role; cut"), scripts: plays("chat " + hello), check: isHello},
	{name: "cut", column: "break", op: "stream", scripts: plays("role; chunk " + firstWord + "; cut"), check: seesABreak},
	{name: "ended-early", column: "break", op: "stream", scripts: plays("role; chunk " + firstWord + "; end"), check: seesABreak},
	{name: "left", column: "abort", op: "text", leaves: true, scripts: plays("hang"), check: left},
	{name: "left-streaming", column: "abort", op: "stream", leaves: true, scripts: plays("role; chunk " + firstWord + "; hang"), check: left},
	{name: "keepalive", column: "keepalive", op: "stream", slow: true, scripts: plays("delay 200ms; chat " + hello), check: isHello},
	{
		name: "keepalive-failover", column: "keepalive", op: "stream", slow: true, check: isHello,
		first: fails("delay 200ms", 500, "server_error", flooded), scripts: plays("chat " + hello),
	},
	{name: "late-failure", column: "keepalive", op: "stream", slow: true, scripts: fails("delay 200ms", 500, "server_error", flooded), check: failsLate},
}

// firstWord is all that is said of hello before a break.
const firstWord = "Hello"
