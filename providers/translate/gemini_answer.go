package translate

import "github.com/tidwall/gjson"

func readGeminiAnswer(body gjson.Result, n *notes) *answer { panic("not yet") }
