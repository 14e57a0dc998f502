package translate

import (
	"encoding/base64"
	"strings"

	"github.com/tidwall/gjson"
)

func (r *messagesRequest) readImage(v gjson.Result, path string) ([]block, error) {
	m, err := readMessagesSource(v.Get("source"), path+".source")
	return []block{{is: imageBlock, media: m}}, err
}

// readMessagesSource reads where the bytes of an image or a document are.
func readMessagesSource(v gjson.Result, path string) (media, error) {
	switch typ := v.Get("type").Str; typ {
	case "base64":
		data, mime := v.Get("data"), v.Get("media_type")
		if data.Type != gjson.String || mime.Type != gjson.String {
			return media{}, broken(path, "A source of type base64 has to have data and a media_type.")
		}
		return media{mimeType: mime.Str, data: data.Str}, nil
	case "url":
		url := v.Get("url")
		if url.Type != gjson.String {
			return media{}, broken(path+".url", "url has to be a string.")
		}
		return media{url: url.Str}, nil
	case "file":
		return media{}, unsayable(path+".file_id",
			"%s.file_id is a file that only Anthropic has, and this model is another provider's.", path)
	default:
		return media{}, broken(path+".type", "There is no source of type %q.", typ)
	}
}

// readDocument reads a document: a file, or text that stands for one. Its title and context stand in front of it.
func (r *messagesRequest) readDocument(v gjson.Result, path string) ([]block, error) {
	source, title := v.Get("source"), v.Get("title").Str
	context := textBlocks(v.Get("context").Str)
	switch source.Get("type").Str {
	case "text":
		data := source.Get("data")
		if data.Type != gjson.String {
			return nil, broken(path+".source.data", "data has to be a string.")
		}
		return append(append(textBlocks(title), context...), textBlocks(data.Str)...), nil
	case "content":
		content, err := r.readParts(source.Get("content"), path+".source.content")
		return append(append(textBlocks(title), context...), content...), err
	}
	m, err := readMessagesSource(source, path+".source")
	if m.mimeType == "" {
		m.mimeType = "application/pdf" // the only type that a document behind a URL can have
	}
	return append(context, block{is: fileBlock, name: title, media: m}), err
}

// readSearchResult reads a text that a client has found, and where.
func (r *messagesRequest) readSearchResult(v gjson.Result, path string) ([]block, error) {
	content, err := r.readParts(v.Get("content"), path+".content")
	found := strings.TrimSpace(v.Get("title").Str + "\n" + v.Get("source").Str)
	return append(textBlocks(found), content...), err
}

// readParts reads content that holds texts, images and files.
func (r *messagesRequest) readParts(v gjson.Result, path string) ([]block, error) {
	if !v.Exists() || v.Type == gjson.Null {
		return nil, nil
	}
	blocks, err := r.readContent(v, path, "messages.content")
	if err == nil {
		err = none(blocks, path, "user", callBlock, reasoningBlock, resultBlock)
	}
	return blocks, err
}

func (r *messagesRequest) readToolUse(v gjson.Result, path string) ([]block, error) {
	id, name, input := v.Get("id"), v.Get("name"), v.Get("input")
	switch {
	case id.Type != gjson.String || id.Str == "":
		return nil, broken(path+".id", "A tool_use has to have an id.")
	case name.Type != gjson.String || name.Str == "":
		return nil, broken(path+".name", "A tool_use has to name the tool.")
	case !input.Exists():
		input.Raw = "{}"
	case !input.IsObject():
		return nil, broken(path+".input", "input has to be an object.")
	}
	if caller := v.Get("caller"); !unset(caller) && caller.Get("type").Str != "direct" {
		r.n.drop("messages.content.caller")
	}
	b := block{is: callBlock, id: id.Str, name: name.Str, text: input.Raw, signature: r.sealed}
	r.sealed = signature{}
	return []block{b}, nil
}

func (r *messagesRequest) readToolResult(v gjson.Result, path string) ([]block, error) {
	id := v.Get("tool_use_id")
	if id.Type != gjson.String {
		return nil, broken(path+".tool_use_id", "A tool_result has to name its tool_use.")
	}
	content, err := r.readParts(v.Get("content"), path+".content")
	return []block{{is: resultBlock, id: id.Str, content: content, failed: v.Get("is_error").Bool()}}, err
}

// plain is the text of a file that is one; ok is false for other types.
func (m media) plain() (text string, ok bool) {
	if !strings.HasPrefix(m.mimeType, "text/") || m.data == "" {
		return "", false
	}
	data, err := base64.StdEncoding.DecodeString(m.data)
	return string(data), err == nil
}
