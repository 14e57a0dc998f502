package providers

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// object is what an upstream says of an error, whatever dialect it says it in.
type object struct {
	present bool     // there is an error object, not only a body
	words   []string // codes, types, reasons and the like, in lower case: the evidence of rank 1
	status  int      // the HTTP status that the object itself names; 0: none
	request bool     // it says, in a generic way, that the request is at fault

	message, typ, code, param string // as sent, bounded
	plain                     string // message without what stands in quotes: no user wrote it

	page       bool          // it is HTML, as far as can be told
	anthropic  bool          // it came in Anthropic's envelope
	retryDelay time.Duration // Google's RetryInfo
}

// Bounds of what is looked at in an error body.
const (
	longestBody = 1 << 20 // bytes; what is longer is not read
	mostWords   = 24
	mostDetails = 16
)

// readObject reads the error object of an answer or event. It takes any bytes.
func readObject(s *Signal) object {
	var o object
	o.addWord(s.Header.Get("X-Amzn-Errortype"))
	if s.Event && s.EventType != "" {
		o.addWord(s.EventType)
		o.present = s.EventType == "error"
	}
	body := trimBlank(s.Body)
	body = body[:min(len(body), longestBody)]
	o.page = len(body) > 0 && body[0] == '<' || len(body) == 0 && mediaType(s.Header) == "text/html"
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		if len(body) > 0 && body[0] != '<' {
			o.message = string(body[:min(len(body), longestRead)])
		}
	} else if root := gjson.ParseBytes(body); root.IsArray() {
		o.readRoot(root.Get("0"), s)
	} else {
		o.readRoot(root, s)
	}
	o.plain = strings.TrimSpace(unquoted(o.message))
	return o
}

// readRoot finds the error object in the envelopes of all dialects.
func (o *object) readRoot(root gjson.Result, s *Signal) {
	kind := root.Get("type").Str
	failed := kind == "response.failed" || root.Get("status").Str == "failed"
	envelope := root
	if response := root.Get("response"); response.IsObject() && (kind == "response.failed" || kind == "response.incomplete") {
		envelope = response
		failed = failed || response.Get("status").Str == "failed"
	}
	inner := envelope.Get("error")
	switch {
	case inner.IsObject() && !isEmptyObject(inner.Raw):
		o.present = true
		o.anthropic = kind == "error"
		o.readMembers(inner)
		o.readFlat(root)
	case inner.Type == gjson.String && inner.Str != "":
		o.present = true
		o.readFlat(root)
		o.message = clip(inner.Str, longestRead)
	case kind == "error", root.Get("object").Str == "error", root.Get("__type").Exists(), failed, root.Get("event_type").Str == "error":
		o.present = true
		o.readMembers(root)
		o.readFlat(root)
	default:
		o.readOddities(root, s)
	}
}

// readOddities finds errors that have no error member.
func (o *object) readOddities(root gjson.Result, s *Signal) {
	if status := root.Get("base_resp.status_code"); status.Exists() {
		if status.Int() != 0 { // MiniMax
			o.present = true
			o.code = o.readCode(status)
			o.message = clip(root.Get("base_resp.status_msg").String(), longestRead)
		}
		return
	}
	for _, place := range []string{"choices.0.error", "x_groq.error"} { // OpenRouter, Groq
		switch inside := root.Get(place); {
		case inside.IsObject() && !isEmptyObject(inside.Raw):
			o.present = true
			o.readMembers(inside)
			return
		case inside.Type == gjson.String && inside.Str != "":
			o.present = true
			o.message = clip(inside.Str, longestRead)
			return
		}
	}
	o.present = o.present || isFlat(root)
	if s.Event && root.IsObject() { // Bedrock: {"throttlingException":{"message":..}}
		root.ForEach(func(key, value gjson.Result) bool {
			if strings.HasSuffix(key.Str, "Exception") {
				o.present = true
				o.readMembers(value)
				o.addWord(key.Str)
			}
			return false
		})
	}
	if s.Status >= http.StatusMultipleChoices || o.present {
		o.readMembers(root)
		o.readFlat(root)
	}
}

// isFlat tells whether an answer is an error object itself: DashScope's, that is a code in words and a message, and no
// choices.
func isFlat(root gjson.Result) bool {
	code := root.Get("code")
	return code.Type == gjson.String && code.Str != "" && root.Get("message").Type == gjson.String && !root.Get("choices").Exists()
}

// readMembers reads an error object's own members.
func (o *object) readMembers(e gjson.Result) {
	if code := o.readCode(e.Get("code")); code != "" {
		o.code = code
	}
	if typ := e.Get("type"); typ.Type == gjson.String && typ.Str != "error" {
		o.typ = clip(typ.Str, longestRead)
		o.addWord(typ.Str)
		o.request = typ.Str == "invalid_request_error"
	}
	if param := e.Get("param"); param.Type == gjson.String {
		o.param = clip(param.Str, longestRead)
	}
	for _, name := range []string{"status", "status_code"} {
		o.readCode(e.Get(name))
	}
	for _, name := range []string{
		"__type", "error_type", "error_code", "reason", "innererror.code", "metadata.limit_source",
		"metadata.error_type", "metadata.reason", "metadata.code",
	} {
		o.addWord(e.Get(name).String())
	}
	if e.Get("metadata.reasons").IsArray() || e.Get("metadata.flagged_input").Exists() {
		o.addWord(moderated)
	}
	o.readDetails(e.Get("details"))
	for _, name := range []string{"message", "Message", "msg", "status_msg"} {
		if m := e.Get(name); m.Type == gjson.String && m.Str != "" {
			o.message = clip(m.Str, longestRead)
			return
		}
	}
}

// moderated is the word for an error that tells what a moderation found; no upstream writes it.
const moderated = "metadata.reasons"

// readFlat reads what stands beside an error member, or in an answer that has none.
func (o *object) readFlat(root gjson.Result) {
	if o.code == "" {
		o.code = o.readCode(root.Get("code"))
	}
	for _, name := range []string{"error_type", "__type"} {
		o.addWord(root.Get(name).String())
	}
	if o.message != "" {
		return
	}
	for _, name := range []string{"message", "Message", "detail", "detail.0.msg", "errors.0.message", "errors.0", "msg"} {
		if m := root.Get(name); m.Type == gjson.String && m.Str != "" {
			o.message = clip(m.Str, longestRead)
			return
		}
	}
}

// readDetails reads Google's list of details and Anthropic's object of that name.
func (o *object) readDetails(details gjson.Result) {
	if details.IsObject() {
		o.addWord(details.Get("error_code").String())
		return
	}
	n := 0
	details.ForEach(func(_, detail gjson.Result) bool {
		o.addWord(detail.Get("reason").String())
		for _, violation := range detail.Get("violations.#.quotaId").Array() {
			o.addWord(violation.String())
		}
		o.retryDelay = max(o.retryDelay, duration(detail.Get("retryDelay").String()))
		n++
		return n < mostDetails && details.IsArray()
	})
}

// readCode takes a code, written as a string or a number, for a word or, if it is an error's HTTP status, for that.
// A number that is a status is no evidence of its own.
func (o *object) readCode(code gjson.Result) string {
	if code.Type != gjson.String && code.Type != gjson.Number {
		return ""
	}
	text := strings.TrimSpace(clip(code.String(), longestRead))
	if n, err := strconv.Atoi(text); err == nil && n >= http.StatusBadRequest && n < 600 {
		if o.status == 0 {
			o.status = n
		}
		return text
	}
	o.addWord(text)
	return text
}

// addWord keeps a code for the table. Of AWS's "com.amazon.x#ThrottlingException:http://..." the name alone is left.
func (o *object) addWord(word string) {
	word = strings.ToLower(clip(strings.TrimSpace(word), longestWord))
	if i := strings.IndexByte(word, '#'); i >= 0 {
		word = word[i+1:]
	}
	word, _, _ = strings.Cut(word, ":")
	word = strings.TrimSuffix(word, "exception")
	if word != "" && len(o.words) < mostWords {
		o.words = append(o.words, word)
	}
}

// isEmptyObject tells whether a JSON object has no members: no error at all.
func isEmptyObject(raw string) bool { return strings.Trim(raw, "{} \t\r\n") == "" }

// trimBlank drops a byte-order mark and the blank lines that some hosts send while a request waits.
func trimBlank(body []byte) []byte {
	if len(body) >= 3 && body[0] == 0xEF && body[1] == 0xBB && body[2] == 0xBF {
		body = body[3:]
	}
	for len(body) > 0 && isBlank(body[0]) {
		body = body[1:]
	}
	return body
}
