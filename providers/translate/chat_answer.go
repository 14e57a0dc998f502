package translate

import "github.com/tidwall/gjson"

func readChatAnswer(body gjson.Result, n *notes) *answer { panic("not yet") }

func writeChatAnswer(a *answer, r Reply, n *notes) []byte { panic("not yet") }
