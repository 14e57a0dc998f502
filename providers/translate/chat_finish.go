package translate

// chatFinishes are the finish reasons of chat hosts, of which many keep those of the model behind them. One that is not
// here is an orderly end.
var chatFinishes = map[string]finish{
	"length":            finishLength,
	"max_tokens":        finishLength,
	"max_output_tokens": finishLength,
	"model_length":      finishLength,
	"MAX_TOKENS":        finishLength,

	"tool_calls":    finishCalls,
	"function_call": finishCalls,
	"tool_use":      finishCalls,
	"TOOL_CALL":     finishCalls,

	"content_filter":     finishFilter,
	"sensitive":          finishFilter,
	"SAFETY":             finishFilter,
	"RECITATION":         finishFilter,
	"BLOCKLIST":          finishFilter,
	"PROHIBITED_CONTENT": finishFilter,
	"SPII":               finishFilter,
	"MODEL_ARMOR":        finishFilter,
	"IMAGE_SAFETY":       finishFilter,

	"refusal":                       finishRefusal,
	"pause_turn":                    finishPause,
	"model_context_window_exceeded": finishWindow,
}

// chatReasons are the finish reasons that clients know. A client of a chat reads no other word for an answer that it must
// not take for one than that its content was filtered.
var chatReasons = map[finish]string{
	finishStop:    "stop",
	finishLength:  "length",
	finishCalls:   "tool_calls",
	finishFilter:  "content_filter",
	finishRefusal: "content_filter",
	finishPause:   "stop",
	finishWindow:  "length",
}

// chatReason is the finish reason for a client. A refusal that is told as one is an orderly end; to a client that knows
// no tools, a call is a function's.
func chatReason(f finish, refused, functions bool) string {
	switch {
	case f == finishRefusal && refused:
		f = finishStop
	case f == finishCalls && functions:
		return "function_call"
	}
	if reason := chatReasons[f]; reason != "" {
		return reason
	}
	return chatReasons[finishStop]
}
