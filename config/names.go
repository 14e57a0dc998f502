package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the most characters of a name (spec: routing.md 1).
const maxName = 128

// nameRule is the rule of every name: 1 to 128 characters, no control characters, no outer blanks.
func nameRule(name string) string {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "must have 1 to 128 characters, and is empty"
	case n > maxName:
		return fmt.Sprintf("must have 1 to 128 characters, not %d", n)
	case strings.ContainsFunc(name, isHidden):
		return "must not hold control characters, and is " + quote(name)
	case strings.TrimSpace(name) != name:
		return "must not begin or end with a blank, and is " + quote(name)
	}
	return ""
}

// pathRule is the rule of what is named in URLs: a name that no client and no proxy takes for a step up.
func pathRule(name string) string {
	if name == "." || name == ".." {
		return "must not be " + quote(name) + ", which can't be named in a URL"
	}
	return nameRule(name)
}

// isHidden finds what can't be seen in a list of names: control characters, line separators, invalid UTF-8.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
}

// idRule is the rule of a provider's id: a name without a slash, which ends it in `provider/model`.
func idRule(id string) string {
	if wrong := pathRule(id); wrong != "" {
		return wrong
	}
	if strings.Contains(id, "/") {
		return "must not hold a slash, and is " + quote(id)
	}
	return ""
}

// optional is a rule for a member that may be an empty text.
func optional(r rule) rule {
	return func(value string) string {
		if value == "" {
			return ""
		}
		return r(value)
	}
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// envRule doesn't quote what it refuses: a key itself is what people put here by mistake.
func envRule(name string) string {
	if name != "" && !envName.MatchString(name) {
		return "must be the name of an environment variable (letters, digits and _); a key itself belongs in value"
	}
	return ""
}

// secretRule doesn't quote either.
func secretRule(value string) string {
	switch {
	case value == "":
		return "must not be empty"
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "must be printable ASCII without blanks, as it travels in a header"
	}
	return ""
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ownHeaders are never set by a configuration and never passed on (spec: api.md, headers), by why.
var ownHeaders = map[string]string{
	"authorization": "holds a credential: it belongs in keys", "x-api-key": "holds a credential: it belongs in keys",
	"api-key": "holds a credential: it belongs in keys", "x-goog-api-key": "holds a credential: it belongs in keys",
	"proxy-authorization": "holds a credential", "cookie": "holds a credential",
	"accept-encoding": "is never sent to an upstream", "idempotency-key": "is never sent to an upstream",
	"x-idempotency-key": "is never sent to an upstream",
	"host":              "is set by the transport", "connection": "is set by the transport",
	"content-length": "is set by the transport", "transfer-encoding": "is set by the transport",
	"upgrade": "is set by the transport", "te": "is set by the transport", "trailer": "is set by the transport",
	"keep-alive": "is set by the transport", "expect": "is set by the transport",
}

func headerNameRule(name string) string {
	if !headerName.MatchString(name) {
		return "is not the name of a header"
	}
	if why, own := ownHeaders[strings.ToLower(name)]; own {
		return strings.ToLower(name) + " " + why
	}
	return ""
}

func headerValueRule(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) }) || strings.TrimSpace(value) != value {
		return "must not hold control characters or outer blanks"
	}
	return ""
}

// shownEnv is the name of a variable for a message. Names are upper-case by habit; what isn't may be a key.
func shownEnv(name string) string {
	if strings.ToUpper(name) == name {
		return clip(name)
	}
	return "that it names"
}
