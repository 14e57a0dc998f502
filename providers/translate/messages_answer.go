package translate

import "github.com/tidwall/gjson"

func readMessagesAnswer(body gjson.Result, n *notes) *answer { panic("not yet") }

func writeMessagesAnswer(a *answer, r Reply, n *notes) []byte { panic("not yet") }
