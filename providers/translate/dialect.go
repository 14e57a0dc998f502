package translate

import (
	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// Dialect is the form of a conversation on the wire.
type Dialect uint8

// The dialects. No client speaks Gemini's here; only targets do.
const (
	Chat      Dialect = iota + 1 // OpenAI's chat completions
	Responses                    // OpenAI's Responses
	Messages                     // Anthropic's Messages
	Gemini                       // Google's generateContent
)

// dialectNames are the names of the dialects, as folders of golden files have them.
var dialectNames = [...]string{Chat: "chat", Responses: "responses", Messages: "messages", Gemini: "gemini"}

// String is the dialect's name.
func (d Dialect) String() string { return dialectNames[d] }

// speaker is what a dialect can read and write. Readers get valid JSON.
type speaker struct {
	readRequest  func(body gjson.Result, n *notes) (*conversation, error) // nil: no client speaks it
	writeRequest func(c *conversation, o Options, n *notes) ([]byte, error)

	readAnswer  func(body gjson.Result, n *notes) *answer
	writeAnswer func(a *answer, r Reply, n *notes) []byte // nil: no client speaks it

	readStream  func() streamReader
	writeStream func(r Reply) streamWriter // nil: no client speaks it
}

// streamReader reads the events of one stream. It is given every event once, in order.
type streamReader interface {
	// read appends what an event says to said.
	read(ev sse.Event, said []event) []event
}

// ender is a reader of a dialect whose streams have no last event: what it has kept until then is said in the end.
type ender interface {
	// end appends what is left to say of a stream that has come to a good end.
	end(said []event) []event
}

// streamWriter writes the events of one stream.
type streamWriter interface {
	// write appends to dst the client's events that say what ev says. The last that it gets is of type finished, which
	// comes once and at most once.
	write(dst []byte, ev event) []byte
}

// speakers are the dialects.
var speakers = [...]speaker{
	Chat: {
		readChatRequest, writeChatRequest, readChatAnswer, writeChatAnswer, newChatReader, newChatWriter,
	},
	Responses: {
		readResponsesRequest, writeResponsesRequest, readResponsesAnswer, writeResponsesAnswer,
		newResponsesReader, newResponsesWriter,
	},
	Messages: {
		readMessagesRequest, writeMessagesRequest, readMessagesAnswer, writeMessagesAnswer,
		newMessagesReader, newMessagesWriter,
	},
	Gemini: {
		nil, writeGeminiRequest, readGeminiAnswer, nil, newGeminiReader, nil,
	},
}
