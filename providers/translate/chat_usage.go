package translate

import "github.com/tidwall/gjson"

// readChatUsage reads what the host counted in an answer or an event; nil if it tells nothing.
func readChatUsage(body gjson.Result) *usage {
	v := body.Get("usage")
	if !v.IsObject() {
		v = body.Get("x_groq.usage")
	}
	if !v.IsObject() {
		return nil
	}
	u := &usage{
		input:     v.Get("prompt_tokens").Int(),
		output:    v.Get("completion_tokens").Int(),
		reasoning: v.Get("completion_tokens_details.reasoning_tokens").Int(),
		cacheRead: firstCount(v, "prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens",
			"cached_tokens", "cache_read_input_tokens"),
		cacheWrite: firstCount(v, "prompt_tokens_details.cache_write_tokens", "cache_creation_input_tokens"),
	}
	if total := v.Get("total_tokens").Int(); total == u.input+u.output+u.reasoning {
		u.output += u.reasoning // some hosts count reasoning beside the answer
	}
	u.reasoning = min(u.reasoning, u.output) // others do so without adding it up
	return u
}

// firstCount is the first of the members that isn't zero.
func firstCount(v gjson.Result, names ...string) int64 {
	for _, name := range names {
		if n := v.Get(name).Int(); n > 0 {
			return n
		}
	}
	return 0
}

// chatUsage writes what was counted for a client.
func (w *writer) chatUsage(u *usage) {
	w.object("usage")
	w.intMember("prompt_tokens", u.input)
	w.intMember("completion_tokens", u.output)
	w.intMember("total_tokens", u.input+u.output)
	w.object("prompt_tokens_details")
	w.intMember("cached_tokens", u.cacheRead)
	if u.cacheWrite > 0 {
		w.intMember("cache_write_tokens", u.cacheWrite)
	}
	w.end('}')
	w.object("completion_tokens_details")
	w.intMember("reasoning_tokens", u.reasoning)
	w.end('}')
	w.end('}')
}
