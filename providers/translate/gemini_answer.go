package translate

import "github.com/tidwall/gjson"

// readGeminiAnswer reads a whole answer as the only event of a stream, which has the same form.
func readGeminiAnswer(body gjson.Result, n *notes) *answer {
	var r geminiReader
	var j joining
	for _, ev := range r.end(r.chunk(body, nil)) {
		j.take(&ev)
	}
	for _, name := range geminiExtras {
		if !unset(body.Get("candidates.0." + name)) {
			n.drop("candidates." + name)
		}
	}
	return &j.answer
}

// geminiExtras are members of a candidate that no other dialect has.
var geminiExtras = []string{"citationMetadata", "groundingMetadata", "urlContextMetadata", "logprobsResult"}

// geminiFinishes are Gemini's finish reasons. Those that are not in the table are the model's end as any other.
var geminiFinishes = map[string]finish{
	"STOP":                     finishStop,
	"MAX_TOKENS":               finishLength,
	"SAFETY":                   finishFilter,
	"RECITATION":               finishFilter,
	"BLOCKLIST":                finishFilter,
	"PROHIBITED_CONTENT":       finishFilter,
	"SPII":                     finishFilter,
	"MODEL_ARMOR":              finishFilter,
	"IMAGE_SAFETY":             finishFilter,
	"IMAGE_PROHIBITED_CONTENT": finishFilter,
	"IMAGE_RECITATION":         finishFilter,
}
