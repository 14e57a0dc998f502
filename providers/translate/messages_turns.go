package translate

import (
	"slices"
	"strings"
)

// silent is the turn of a user who says nothing, for conversations that an assistant begins: the dialect has no empty one.
var silent = turn{blocks: []block{{is: textBlock, text: "."}}}

// alternating are turns as the dialect takes them: user and assistant in turns, the user first, results of tools in
// front, and only what Anthropic can be told.
func alternating(turns []turn, n *notes) []turn {
	var all []turn
	for _, t := range turns {
		blocks := tellable(t, n)
		if len(blocks) == 0 {
			continue
		}
		if last := len(all) - 1; last >= 0 && all[last].assistant == t.assistant {
			all[last].blocks = append(all[last].blocks, blocks...)
			continue
		}
		if len(all) == 0 && t.assistant {
			all = append(all, silent)
		}
		all = append(all, turn{assistant: t.assistant, blocks: blocks})
	}
	if len(all) == 0 {
		all = append(all, silent)
	}
	for i := range all {
		slices.SortStableFunc(all[i].blocks, resultsFirst)
	}
	trimLast(all)
	return all
}

// resultsFirst orders results of tools in front of other blocks.
func resultsFirst(a, b block) int {
	switch {
	case a.is == b.is:
		return 0
	case a.is == resultBlock:
		return -1
	case b.is == resultBlock:
		return 1
	}
	return 0
}

// tellable are the blocks of a turn that can be sent: no thinking that Anthropic hasn't signed, and no empty text.
func tellable(t turn, n *notes) []block {
	var told []block
	for _, b := range t.blocks {
		signed := b.signature.of(Messages) != ""
		n.reasoning(&b, Messages, signed)
		switch {
		case b.is == refusalBlock:
			b.is = textBlock
		case b.is == reasoningBlock && !signed:
			continue
		}
		told = append(told, b)
	}
	told = filled(told)
	for i := range told {
		if t.system {
			told[i].text = "<system>\n" + told[i].text + "\n</system>"
		}
	}
	return told
}

// filled are the blocks without those of white space, which Anthropic refuses.
func filled(blocks []block) []block {
	var all []block
	for _, b := range blocks {
		if b.is != textBlock || strings.TrimSpace(b.text) != "" {
			all = append(all, b)
		}
	}
	return all
}

// trimLast takes white space off the end of what the assistant is to continue, which Anthropic refuses.
func trimLast(turns []turn) {
	if len(turns) == 0 || !turns[len(turns)-1].assistant {
		return
	}
	t := &turns[len(turns)-1]
	if b := &t.blocks[len(t.blocks)-1]; b.is == textBlock {
		b.text = strings.TrimRight(b.text, " \t\r\n")
	}
}
