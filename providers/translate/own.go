package translate

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// Own returns the body of a request, which is valid JSON, for a target of the client's own dialect. Nothing is translated,
// but reasoning of another dialect's target in an earlier turn is left out: its seal or its id is ours, and the target
// would refuse the request. A body without these, which is most of them, is returned as it is.
func Own(d Dialect, body []byte) []byte {
	if !bytes.Contains(body, []byte(signatureMark)) && !bytes.Contains(body, []byte(madeReasoning)) {
		return body
	}
	switch all := gjson.ParseBytes(body); d {
	case Messages:
		return []byte(filtered(all, "messages", func(message gjson.Result) string {
			own := filtered(message, "content", ownBlock)
			if gjson.Get(own, "content").Raw == "[]" && own != message.Raw {
				return "" // nothing was said beside
			}
			return own
		}))
	case Responses:
		return []byte(filtered(all, "input", ownItem))
	case Chat:
		return []byte(filtered(all, "messages", func(message gjson.Result) string {
			return filtered(message, "reasoning_details", ownDetail)
		}))
	}
	return body
}

// filtered is an object one of whose members is a list, with what own makes of the list's elements: an empty text leaves
// one out.
func filtered(object gjson.Result, member string, own func(element gjson.Result) string) string {
	list := object.Get(member)
	if !list.IsArray() {
		return object.Raw
	}
	var kept []string
	changed := false
	for _, element := range list.Array() {
		raw := own(element)
		changed = changed || raw != element.Raw
		if raw != "" {
			kept = append(kept, raw)
		}
	}
	if !changed {
		return object.Raw
	}
	start := list.Index - object.Index
	return object.Raw[:start] + "[" + strings.Join(kept, ",") + "]" + object.Raw[start+len(list.Raw):]
}

// ownBlock is a block of a message, unless it is reasoning that another dialect signed.
func ownBlock(b gjson.Result) string {
	sealed := ""
	switch b.Get("type").Str {
	case "thinking":
		sealed = b.Get("signature").Str
	case "redacted_thinking":
		sealed = b.Get("data").Str
	}
	return unlessSealed(b, sealed)
}

// ownDetail is an entry of a chat message's reasoning, unless another dialect signed it.
func ownDetail(entry gjson.Result) string {
	return unlessSealed(entry, entry.Get("signature").Str+entry.Get("data").Str)
}

// ownItem is an item of Responses, unless it is reasoning of another dialect, or refers to such.
func ownItem(item gjson.Result) string {
	typ := item.Get("type").Str
	switch {
	case typ != "reasoning" && typ != "item_reference":
		return item.Raw
	case strings.HasPrefix(item.Get("id").Str, madeReasoning):
		return ""
	}
	return unlessSealed(item, item.Get("encrypted_content").Str)
}

func unlessSealed(v gjson.Result, signature string) string {
	if strings.Contains(signature, signatureMark) {
		return ""
	}
	return v.Raw
}
