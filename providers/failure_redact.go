package providers

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Bounds of what is taken for a secret, in bytes.
const (
	shortestSecret = 4  // less is no secret
	shortestFixed  = 16 // of a fixed header's value: others say what every request says
)

// Redact takes every trace of a secret out of a failure that isn't shared yet: the upstream may have echoed what it
// was sent, in a form that can't be told from other text. A body that holds it is not passed on.
func (f *Failure) Redact(secret string) {
	if len(secret) < shortestSecret {
		return
	}
	for _, text := range []*string{&f.Message, &f.Type, &f.Code, &f.Param, &f.UpstreamID} {
		*text = without(*text, secret)
	}
	f.ContentType = typeWithout(f.ContentType, secret)
	if spells(f.Body, secret) {
		f.Body = nil
	}
}

// without takes a secret out of a text, and what the bounds of texts left of it at the end.
func without(text, secret string) string {
	text = strings.ReplaceAll(text, secret, redacted)
	body, cut := strings.CutSuffix(text, "…")
	for n := min(len(secret), len(body)); n >= shortestSecret; n-- {
		if strings.HasSuffix(body, secret[:n]) {
			text = body[:len(body)-n] + redacted
			if cut {
				text += "…"
			}
			break
		}
	}
	return text
}

// typeWithout is a content type that may be shown: its parameters go first.
func typeWithout(contentType, secret string) string {
	if !strings.Contains(contentType, secret) {
		return contentType
	}
	bare, _, _ := strings.Cut(contentType, ";")
	if strings.Contains(bare, secret) {
		return ""
	}
	return bare
}

// spells tells whether a secret stands in a body, as it is or in one of the spellings of a JSON string.
func spells(body []byte, secret string) bool {
	return bytes.Contains(body, []byte(secret)) || bytes.IndexByte(body, '\\') >= 0 && bytes.Contains(unescaped(body), []byte(secret))
}

// unescaped undoes the escapes of JSON strings wherever they stand. What is none stays.
func unescaped(body []byte) []byte {
	plain := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		length := 2
		if body[i] != '\\' || i+1 == len(body) {
			plain = append(plain, body[i])
			continue
		}
		if body[i+1] == 'u' {
			length = 6
		}
		var text string
		if i+length > len(body) || json.Unmarshal(append(append([]byte{'"'}, body[i:i+length]...), '"'), &text) != nil {
			plain = append(plain, body[i])
			continue
		}
		plain = append(plain, text...)
		i += length - 1
	}
	return plain
}

// secrets goes through what the attempt sends that nobody else may see.
func (x *exchange) secrets(yield func(string) bool) {
	if secret := x.attempt.Key.Secret; len(secret) >= shortestSecret && !yield(secret) {
		return
	}
	for _, values := range x.headers {
		for _, value := range values {
			if len(value) >= shortestFixed && !yield(value) {
				return
			}
		}
	}
}

// redacted takes our own secrets out of a failure, also out of the words of the error that it wraps.
func (x *exchange) redacted(f *Failure) *Failure {
	for secret := range x.secrets {
		f.Redact(secret)
		if f.Err != nil && strings.Contains(f.Err.Error(), secret) {
			f.Err = &redactedError{text: strings.ReplaceAll(f.Err.Error(), secret, redacted), err: f.Err}
		}
	}
	return f
}

// noted is a word of an answer for logs, metrics and headers: empty if it holds a secret. The answer itself is relayed
// as it came.
func (x *exchange) noted(word string) string {
	for secret := range x.secrets {
		if strings.Contains(word, secret) {
			return ""
		}
	}
	return word
}

// contentType is the upstream's, as far as it may be shown.
func (x *exchange) contentType() string {
	shown := x.resp.Header.Get("Content-Type")
	for secret := range x.secrets {
		shown = typeWithout(shown, secret)
	}
	return shown
}

// redactedError is an error with other words.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

// Unwrap returns the error itself, for errors.Is and errors.As.
func (e *redactedError) Unwrap() error { return e.err }
