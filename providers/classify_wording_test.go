package providers

import "testing"

// echoed are messages of a 400 in which a user's own words stand, or could.
var echoed = []string{
	"Failed to parse message content: please explain what a context window is",
	"Failed to parse message content: This model's maximum context length is 5 tokens",
	"Invalid content: prompt is too long: 5 tokens > 4 maximum",
	"messages.0.content: prompt too long, said the teacher",
	"Unexpected value too many tokens in messages[0]",
	"Could not decode what does max context length mean",
	"Unknown tool exceeds the maximum number of tokens",
	"Value error, why do my tokens exceed the limit",
	"Bad input (the total length of all messages is too long)",
	"Unrecognized role: The input token count exceeds the maximum number of tokens allowed",
	"Malformed input request: the essay is too long",
	"Template error: Input is too long for requested model",
	"Cannot parse: Your request exceeded model token limit: 8192",
	"invalid message: this model does not support image input",
	"could not parse my poem about a context window",
	"Extra inputs are not permitted (maximum context)", "messages[0].content=context window is no list",
	"The model returned the following errors: Malformed input request: prompt is too long",
}

func TestWordsOfAUserAreNoEvidence(t *testing.T) {
	providers := []Signal{{Dialect: "openai"}, {Dialect: "anthropic"}, {Dialect: "gemini"}, {Dialect: "azure"}}
	for i := range presets {
		providers = append(providers, Signal{Dialect: presets[i].Kind, Preset: presets[i].Name})
	}
	for _, s := range providers {
		for _, message := range echoed {
			s.Status, s.Body, s.Now = 400, []byte(`{"error":{"message":"`+message+`","type":"invalid_request_error"}}`), testNow
			if f := Classify(s); f == nil || f.Kind != ClientError || f.ContextWindow != 0 {
				t.Errorf("%s %s: %q is %v", s.Dialect, s.Preset, message, f)
			}
		}
	}
}

// known are the sentences in which hosts say that a request is too long for a model.
var known = []string{
	"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
	"This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021 tokens.",
	"The model's maximum context length is 131,072 tokens.",
	"Requested token count exceeds the model's maximum context length of 32768 tokens.",
	"Your input exceeds the context window of this model. Please adjust your input and try again.",
	"Your request exceeds the maximum context length of this model.",
	"prompt is too long: 3333404 tokens > 200000 maximum",
	"Prompt too long; exceeded max context length by 1119046 tokens",
	"The prompt is too long for this model",
	"The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
	"The total length of all messages is too long.",
	"too many tokens: total number of tokens in the prompt cannot exceed 4081",
	"Input tokens exceed the configured limit of 272000 tokens.",
	"exceeds maximum context", "The max context length is reached", "over the context window", "it exceeds the maximum number of tokens",
	"You passed too many tokens", "The request of 9000 tokens does not fit into the context window",
	"The model returned the following errors: prompt is too long: 5 tokens > 4 maximum",
	"litellm.BadRequestError: OpenAIException - This model's maximum context length is 8192 tokens.",
	"litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - prompt is too long: 5 tokens > 4 maximum",
}

func TestKnownSentencesMarkTheContextLength(t *testing.T) {
	for _, status := range []int{400, 413} {
		for _, message := range known {
			f := Classify(Signal{Dialect: "openai", Status: status, Body: []byte(`{"error":{"message":"` + message + `"}}`), Now: testNow})
			if f.Kind != ContextLength {
				t.Errorf("%d %q is %v", status, message, f)
			}
		}
	}
}
