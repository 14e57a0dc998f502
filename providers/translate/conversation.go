package translate

// conversation is a request, in no dialect. A number is the text that the client wrote; an empty text is a member that
// the client left out. Schemas, arguments and members of others are JSON as the client wrote it.
type conversation struct {
	system []block // texts
	turns  []turn
	tools  []tool
	choice choice

	parallel string // "true" or "false": may the model call several tools at once
	format   format
	reason   reasoning

	maxTokens, temperature, topP, topK, seed string
	frequencyPenalty, presencePenalty        string
	verbosity                                string // low, medium, high
	user                                     string // who asks, for the provider's abuse monitoring
	stop                                     []string
	stream                                   bool
	includeUsage                             bool // of a stream; always true for dialects that always tell it

	// others are members that mean the same in every dialect that has a member of that name. A writer writes those that
	// it knows, and drops the others by name.
	others []member
}

// member is one member of a JSON object, as it was written.
type member struct{ name, raw string }

// turn is what one side says. Results of tools stand in turns of the user, in front of what else that turn holds.
type turn struct {
	assistant bool
	system    bool // texts of the operator in the middle of the conversation, said where a user would speak
	blocks    []block
}

// blockType is what a block holds.
type blockType uint8

const (
	textBlock      blockType = iota + 1 // text
	imageBlock                          // media, detail
	audioBlock                          // media
	fileBlock                           // media, name
	callBlock                           // id, name, text: the arguments, a JSON object; signature
	resultBlock                         // id, content, failed; name: of the tool that was called
	reasoningBlock                      // text, signature; id. Without text it is reasoning that can't be read
	refusalBlock                        // text
)

// block is a part of a turn or of an answer. Which members have a meaning depends on its type.
type block struct {
	is        blockType
	text      string
	id        string // of a call: unique in the conversation, and what its result refers to
	name      string
	media     media
	detail    string // of an image: low, high, auto
	signature signature
	content   []block // of a result: texts, images and files
	failed    bool    // of a result: the tool failed
	cache     string  // Anthropic's cache_control, JSON
}

// media is where the bytes of an image, a file or a piece of audio are: in data, behind url, or kept by the provider
// under an id of its own.
type media struct {
	mimeType string // "image/png"; empty: unknown
	data     string // base64
	url      string
	kept     string // a file's id at the provider
}

// tool is a function that the model may call.
type tool struct {
	name, description string
	schema            string // JSON; empty: takes nothing
	strict            string // "true" or "false"
	cache             string // Anthropic's cache_control, JSON
}

// choice says whether the model has to call a tool.
type choice struct {
	mode string // auto, none, required, named; empty: unsaid
	name string // of the tool that is named
}

// format is the form that the answer has to have.
type format struct {
	mode              string // text, json (any object), schema; empty: unsaid
	name, description string
	schema            string // JSON
	strict            string // "true" or "false"
}

// reasoning says how much the model should think.
type reasoning struct {
	usual   bool   // effort is what the client's models do by themselves: not every target can be told
	effort  string // none, minimal, low, medium, high, xhigh; empty: unsaid
	budget  string // tokens
	summary string // Responses: auto, concise, detailed
	shown   string // "true" or "false": is the reasoning part of the answer
}

// textBlocks are a block of text, or none if there is none.
func textBlocks(text string) []block {
	if text == "" {
		return nil
	}
	return []block{{is: textBlock, text: text}}
}
