package translate

import (
	"net/url"
	"path"
	"strings"
)

// media writes an image, a file or a piece of audio.
func (w *geminiRequest) media(b block) error {
	m := b.media
	if m.data == "" && m.url == "" {
		return unsayable("messages", "The file %q is kept by another provider than Gemini, which can't read it.", m.kept)
	}
	w.notes.detail(&b)
	if b.is == fileBlock && b.name != "" {
		w.notes.drop("messages.content.file.filename")
	}
	member, value := "inlineData", m.data
	if m.data == "" {
		member, value = "fileData", m.url
	}
	w.object(member)
	if kind := m.kind(b.name); kind != "" {
		w.textMember("mimeType", kind)
	}
	if m.data == "" {
		w.textMember("fileUri", value)
	} else {
		w.textMember("data", value)
	}
	w.end('}')
	return nil
}

// mediaKinds are the MIME types that endings of names stand for.
var mediaKinds = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".heic": "image/heic", ".heif": "image/heif",
	".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".html": "text/html",
	".json": "application/json",
	".wav":  "audio/wav", ".mp3": "audio/mp3", ".ogg": "audio/ogg", ".flac": "audio/flac", ".aac": "audio/aac",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/mov",
}

// kind is the MIME type: as it was said, or as the ending of the name or of the URL's path has it. Empty if neither
// tells.
func (m media) kind(name string) string {
	if m.mimeType != "" {
		return m.mimeType
	}
	if kind := mediaKinds[strings.ToLower(path.Ext(name))]; kind != "" {
		return kind
	}
	if u, err := url.Parse(m.url); err == nil {
		return mediaKinds[strings.ToLower(path.Ext(u.Path))]
	}
	return ""
}
