package translate

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// responsesParts are the parts of a message and of a result. path is theirs without indexes.
var responsesParts = map[string]func(r *responsesReader, o *object, path string) block{
	"input_text":  (*responsesReader).textPart,
	"output_text": (*responsesReader).textPart,
	"text":        (*responsesReader).textPart,
	"refusal":     (*responsesReader).refusalPart,
	"input_image": (*responsesReader).imagePart,
	"input_file":  (*responsesReader).filePart,
	"input_audio": (*responsesReader).audioPart,
}

// content reads the content of a message or of a result, a text or a list of parts. Empty texts say nothing.
func (r *responsesReader) content(v gjson.Result, param, path string) ([]block, error) {
	if v.Type == gjson.String {
		return texts(v.Str), nil
	}
	parts, err := listAt(v, param)
	if err != nil {
		return nil, broken(param, "%s has to be a string or a list of parts.", param)
	}
	var blocks []block
	for i, part := range parts {
		o := object{of: part, path: param + "[" + strconv.Itoa(i) + "]"}
		if !part.IsObject() {
			return nil, broken(o.path, "%s has to be an object.", o.path)
		}
		read, known := responsesParts[part.Get("type").Str]
		if !known {
			return nil, broken(o.path+".type", "%s.type can't be %q.", o.path, part.Get("type").String())
		}
		b := read(r, &o, path)
		if o.err != nil {
			return nil, o.err
		}
		if b.text != "" || b.is != textBlock && b.is != refusalBlock {
			blocks = append(blocks, b)
		}
	}
	return blocks, nil
}

// texts are the blocks of a text.
func texts(text string) []block {
	if text == "" {
		return nil
	}
	return []block{{is: textBlock, text: text}}
}

func (r *responsesReader) textPart(o *object, path string) block {
	r.rest(o.of, path, "type", "text", "logprobs")
	return block{is: textBlock, text: o.text("text")}
}

func (r *responsesReader) refusalPart(o *object, path string) block {
	r.rest(o.of, path, "type", "refusal")
	return block{is: refusalBlock, text: o.text("refusal")}
}

func (r *responsesReader) imagePart(o *object, path string) block {
	r.rest(o.of, path, "type", "image_url", "file_id", "detail")
	b := block{is: imageBlock, media: mediaAt(o.text("image_url")), detail: o.text("detail")}
	b.media.kept = o.text("file_id")
	o.needMedia(b.media, "image_url")
	return b
}

func (r *responsesReader) filePart(o *object, path string) block {
	r.rest(o.of, path, "type", "file_data", "file_url", "file_id", "filename")
	b := block{is: fileBlock, name: o.text("filename"), media: mediaAt(o.text("file_data"))}
	if b.media.data == "" {
		b.media = media{data: b.media.url, url: o.text("file_url"), kept: o.text("file_id")}
	}
	o.needMedia(b.media, "file_data")
	return b
}

func (r *responsesReader) audioPart(o *object, path string) block {
	r.rest(o.of, path, "type", "input_audio")
	inner := object{of: o.of.Get("input_audio"), path: o.path + ".input_audio"}
	b := block{is: audioBlock, media: media{mimeType: "audio/" + inner.need("format"), data: inner.need("data")}}
	if o.err == nil {
		o.err = inner.err
	}
	return b
}

// needMedia finds a part without any bytes.
func (o *object) needMedia(m media, name string) {
	if o.err == nil && m == (media{}) {
		o.err = broken(o.path+"."+name, "%s.%s is missing.", o.path, name)
	}
}
