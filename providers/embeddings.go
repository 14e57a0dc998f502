package providers

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"github.com/tidwall/gjson"
)

// embedded is a good answer with embeddings, in the encoding that the client asked for: as text in base64, or as lists
// of numbers, which is meant where nothing is said. Some hosts know one encoding only. An answer that is in the right
// encoding, or can't be brought into it, is returned as it came.
func (x *exchange) embedded(body []byte) []byte {
	if x.wire != Embeddings {
		return body
	}
	have := firstEmbedding(body)
	if have != '[' && have != '"' {
		return body
	}
	switch want := gjson.GetBytes(x.attempt.Body, "encoding_format"); {
	case want.Str == "base64" && have == '[':
		return reencoded(body, floatsInBase64)
	case (want.Str == "float" || want.Type == gjson.Null) && have == '"':
		return reencoded(body, base64InFloats)
	}
	return body
}

// firstEmbedding is the first byte of the first embedding in an answer; 0: there is none.
func firstEmbedding(body []byte) byte {
	c := cursor{text: trimBlank(body)}
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) != "data" {
			c.skip()
			continue
		}
		if !c.firstElement() {
			return 0
		}
		for key := c.firstKey(); key != nil; key = c.nextKey() {
			if string(key) == "embedding" {
				return c.peek()
			}
			c.skip()
		}
		return 0
	}
	return 0
}

// reencoded is an answer with its embeddings in another encoding and all else as it came. It is body if one of them is
// not what encode takes.
func reencoded(body []byte, encode func(dst, embedding []byte) ([]byte, bool)) []byte {
	c := cursor{text: trimBlank(body)}
	out, copied := make([]byte, 0, len(body)), 0
	for key := c.firstKey(); key != nil; key = c.nextKey() {
		if string(key) != "data" {
			c.skip()
			continue
		}
		for more := c.firstElement(); more; more = c.nextElement() {
			for key := c.firstKey(); key != nil; key = c.nextKey() {
				if string(key) != "embedding" {
					c.skip()
					continue
				}
				c.peek()
				start := c.at
				c.skip()
				var ok bool
				if out, ok = encode(append(out, c.text[copied:start]...), c.text[start:c.at]); !ok {
					return body
				}
				copied = c.at
			}
		}
	}
	if !c.end() {
		return body
	}
	return append(out, c.text[copied:]...)
}

// floatsInBase64 appends a list of numbers as base64 of their 32 bits, the lowest first, which is how OpenAI encodes
// embeddings.
func floatsInBase64(dst, embedding []byte) ([]byte, bool) {
	var numbers []float32
	if json.Unmarshal(embedding, &numbers) != nil || numbers == nil {
		return dst, false
	}
	raw := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(n))
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), raw), '"'), true
}

// base64InFloats is the reverse.
func base64InFloats(dst, embedding []byte) ([]byte, bool) {
	var raw []byte
	if json.Unmarshal(embedding, &raw) != nil || raw == nil || len(raw)%4 != 0 {
		return dst, false
	}
	dst = append(dst, '[')
	for ; len(raw) > 0; raw = raw[4:] {
		n := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return dst, false
		}
		dst = append(strconv.AppendFloat(dst, n, 'g', -1, 32), ',')
	}
	if last := len(dst) - 1; dst[last] == ',' {
		dst = dst[:last]
	}
	return append(dst, ']'), true
}
