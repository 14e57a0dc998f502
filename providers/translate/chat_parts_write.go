package translate

import "strings"

// part writes a part of what the user says.
func (w *chatWriting) part(b *block) error {
	w.uncached(b, "messages.content")
	switch b.is {
	case textBlock:
		w.textPart(b.text)
	case imageBlock:
		return w.imagePart(b)
	case audioBlock:
		return w.audioPart(b)
	case fileBlock:
		return w.filePart(b)
	default:
		return unsayable("messages", "A message holds what chat completions can't say.")
	}
	return nil
}

func (w *chatWriting) textPart(text string) {
	w.begin('{')
	w.textMember("type", "text")
	w.textMember("text", text)
	w.end('}')
}

func (w *chatWriting) imagePart(b *block) error {
	if b.media.kept != "" {
		return chatKept(b)
	}
	w.begin('{')
	w.textMember("type", "image_url")
	w.object("image_url")
	w.textMember("url", b.media.at("image/png"))
	w.optional("detail", b.detail)
	w.end('}')
	w.end('}')
	return nil
}

// chatAudioFormats are formats by what types of media are called beside their usual name.
var chatAudioFormats = map[string]string{"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav", "x-flac": "flac"}

func (w *chatWriting) audioPart(b *block) error {
	_, format, ok := strings.Cut(b.media.mimeType, "/")
	if !ok || b.media.data == "" {
		return unsayable("messages", "Audio can be sent in chat completions as bytes of a known format only.")
	}
	if usual := chatAudioFormats[format]; usual != "" {
		format = usual
	}
	w.begin('{')
	w.textMember("type", "input_audio")
	w.object("input_audio")
	w.textMember("data", b.media.data)
	w.textMember("format", format)
	w.end('}')
	w.end('}')
	return nil
}

// filePart writes a file. One that is plain text becomes text: hosts take PDFs, and few take anything else.
func (w *chatWriting) filePart(b *block) error {
	if text, ok := b.media.plain(); ok {
		if b.name != "" {
			text = b.name + ":\n" + text
		}
		w.textPart(text)
		return nil
	}
	if b.media.kept != "" {
		return chatKept(b)
	}
	if b.media.url != "" {
		return unsayable("messages", "A file behind a URL can't be sent in chat completions.")
	}
	w.begin('{')
	w.textMember("type", "file")
	w.object("file")
	w.optional("filename", b.name)
	w.textMember("file_data", b.media.at("application/pdf"))
	w.end('}')
	w.end('}')
	return nil
}

func chatKept(b *block) error {
	return unsayable("messages", "The file %q is kept by one provider, and no other can read it.", b.media.kept)
}
