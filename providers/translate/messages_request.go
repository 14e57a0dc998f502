package translate

import "github.com/tidwall/gjson"

func readMessagesRequest(body gjson.Result, n *notes) (*conversation, error) { panic("not yet") }

func writeMessagesRequest(c *conversation, o Options, n *notes) ([]byte, error) { panic("not yet") }
