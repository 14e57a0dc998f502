package translate

import "github.com/tidwall/gjson"

func readChatRequest(body gjson.Result, n *notes) (*conversation, error) { panic("not yet") }

func writeChatRequest(c *conversation, o Options, n *notes) ([]byte, error) { panic("not yet") }
