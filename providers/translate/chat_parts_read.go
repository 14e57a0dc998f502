package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// content is a message's content: a text, or a list of parts. Nothing is said by an empty text.
func (r *chatReading) content(m *chatMessage) ([]block, error) {
	v := m.Get("content")
	switch {
	case v.Type == gjson.Null && silentRoles[m.Get("role").String()]:
		return nil, nil
	case v.Type == gjson.String:
		return textBlocks(v.String()), nil
	case !v.IsArray():
		return nil, broken(m.path("content"), "content has to be a string or a list of parts.")
	}
	var blocks []block
	for j, part := range v.Array() {
		path := m.path(fmt.Sprintf("content[%d]", j))
		typ := part.Get("type")
		if typ.Type != gjson.String {
			return nil, broken(path+".type", "A part of a message's content has to have a type.")
		}
		read, ok := chatParts[typ.String()]
		if !ok {
			return nil, broken(path+".type", "There is no content part of the type %q.", typ.String())
		}
		dropRest(r.n, "messages.content", part, "type", "cache_control", typ.String())
		b, err := read(part, path)
		if err != nil {
			return nil, err
		}
		if b.is == textBlock && b.text == "" {
			continue
		}
		b.cache = part.Get("cache_control").Raw
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// silentRoles are the roles whose messages may have no content.
var silentRoles = map[string]bool{"assistant": true, "tool": true, "function": true}

// chatParts read a content part. The member that holds it has the name of its type.
var chatParts = map[string]func(part gjson.Result, path string) (block, error){
	"text":        readChatText,
	"refusal":     readChatRefusal,
	"image_url":   readChatImage,
	"input_audio": readChatAudio,
	"file":        readChatFile,
	"thinking":    readChatThinking,
}

func readChatText(part gjson.Result, path string) (block, error) {
	text := part.Get("text")
	if text.Type != gjson.String {
		return block{}, broken(path+".text", "text has to be a string.")
	}
	return block{is: textBlock, text: text.String()}, nil
}

func readChatRefusal(part gjson.Result, path string) (block, error) {
	text := part.Get("refusal")
	if text.Type != gjson.String {
		return block{}, broken(path+".refusal", "refusal has to be a string.")
	}
	return block{is: refusalBlock, text: text.String()}, nil
}

func readChatImage(part gjson.Result, path string) (block, error) {
	url := part.Get("image_url.url")
	if plain := part.Get("image_url"); plain.Type == gjson.String {
		url = plain
	}
	if url.Type != gjson.String || url.String() == "" {
		return block{}, broken(path+".image_url.url", "An image has to have a URL.")
	}
	detail := part.Get("image_url.detail").String()
	return block{is: imageBlock, media: mediaAt(url.String()), detail: detail}, nil
}

func readChatAudio(part gjson.Result, path string) (block, error) {
	data, format := part.Get("input_audio.data").String(), part.Get("input_audio.format").String()
	if data == "" || format == "" {
		return block{}, broken(path+".input_audio", "Audio has to have data and a format.")
	}
	return block{is: audioBlock, media: media{mimeType: "audio/" + format, data: data}}, nil
}

func readChatFile(part gjson.Result, path string) (block, error) {
	b := block{is: fileBlock, name: part.Get("file.filename").String()}
	switch data, kept := part.Get("file.file_data").String(), part.Get("file.file_id").String(); {
	case data != "":
		b.media = mediaAt(data)
	case kept != "":
		b.media.kept = kept
	default:
		return block{}, broken(path+".file", "A file has to have file_data or a file_id.")
	}
	return b, nil
}

// readChatThinking reads Mistral's reasoning, a list of texts.
func readChatThinking(part gjson.Result, _ string) (block, error) {
	return block{is: reasoningBlock, text: chatThinking(part)}, nil
}

func chatThinking(part gjson.Result) string {
	v := part.Get("thinking")
	if v.Type == gjson.String {
		return v.String()
	}
	var text strings.Builder
	for piece := range elements(v) {
		text.WriteString(piece.Get("text").String())
	}
	return text.String()
}

// dropRest names the members of an object that nothing reads, unless they say nothing.
func dropRest(n *notes, path string, v gjson.Result, known ...string) {
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if !idle(name, value) && !slices.Contains(known, name) {
			n.drop(path + "." + name)
		}
		return true
	})
}
