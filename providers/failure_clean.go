package providers

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of cleaned text, in bytes.
const (
	longestMessage = 512
	longestWord    = 128
	longestRead    = 8 << 10 // of a text that is looked at; what comes after is dropped
)

const (
	redacted = "[redacted]"
	address  = "[address]"
)

// shape is a form of text that is taken out of messages. Its first group, if any, stays.
type shape struct {
	needs   []string // the text holds one of these, in lower case, or the expression is not tried
	looks   *regexp.Regexp
	instead string
}

func (s shape) in(text, lower string) string {
	for _, need := range s.needs {
		if strings.Contains(lower, need) {
			return s.looks.ReplaceAllString(text, s.instead)
		}
	}
	return text
}

// shapes are the forms in which keys and internal addresses are known to be echoed.
var shapes = []shape{
	keeping(`(?i)(\bauthorization["'\x60]?\s*[=:]\s*["'\x60]?)(?:[a-z0-9\-]+\s+)?[^\s"'\x60&,;]+`, "authorization"),
	keeping(`(?i)(\bbearer\s+)[^\s"',;]+`, "bearer"),
	keeping(`(?i)(\b(?:[a-z0-9]+[-_ ])*(?:key|secret|password|passwd|credentials?)(?: provided| is)?["'\x60]?\s*[=:]\s*["'\x60]?)[^\s"'\x60&,;]+`,
		"key", "secret", "passw", "credential"),
	keeping(`(?i)(\b(?:(?:access|auth|refresh|id|api|session|security)[-_ ]?)?token["'\x60]?\s*[=:]\s*["'\x60]?)[^\s"'\x60&,;]+`, "token"),
	keeping(`()\b(?:sk|rk|pk)-[A-Za-z0-9_\-.*]{3,}`, "sk-", "rk-", "pk-"),
	keeping(`()\b(?:gsk_|xai-|pplx-|nvapi-|csk-|fw_|hf_|tgp_v1_|ghp_|r8_|glpat-)[A-Za-z0-9_\-*]{6,}`,
		"gsk_", "xai-", "pplx-", "nvapi-", "csk-", "fw_", "hf_", "tgp_v1_", "ghp_", "r8_", "glpat-"),
	keeping(`()\bAIza[A-Za-z0-9_\-*]{6,}`, "aiza"),
	keeping(`()\b(?:AKIA|ASIA)[A-Z0-9]{8,}`, "akia", "asia"),
	keeping(`()\bya29\.[A-Za-z0-9_\-.]+`, "ya29."),
	keeping(`()\beyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]+)*`, "eyj"),
	keeping(`()\b[0-9a-f]{32,}\b`, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
	hiding(`(?i)[^\s/"'@:]+:[^\s/"'@]+@[a-z0-9.\-]+(?::\d+)?`, "@"),
	hiding(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b`, "."),
	hiding(`(?i)\[[0-9a-f]*:[0-9a-f:.]+\](?::\d{1,5})?`, "["),
	hiding(`(?i)\blocalhost(?::\d{1,5})?\b`, "localhost"),
	hiding(`(?i)\b[a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.(?:internal|local|svc|lan|corp|intranet|localdomain)(?::\d{1,5})?\b`, internalSuffixes...),
}

func keeping(looks string, needs ...string) shape {
	return shape{needs: needs, looks: regexp.MustCompile(looks), instead: "${1}" + redacted}
}

func hiding(looks string, needs ...string) shape {
	return shape{needs: needs, looks: regexp.MustCompile(looks), instead: address}
}

var urlShape = regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.\-]*://[^\s"'<>\x60()\[\]{}]*(?:\[[0-9a-fA-F:.]+\][^\s"'<>\x60()\[\]{}]*)?`)

// internalSuffixes end the names of hosts that no client should learn of.
var internalSuffixes = []string{".internal", ".local", ".svc", ".lan", ".corp", ".intranet", ".localdomain", ".home", ".arpa"}

// clean makes an upstream's text fit for a client, a log and a database: one line of valid UTF-8, at most so many
// bytes, no key, no address of a host that isn't public, no query of a URL.
func clean(s string, longest int) string {
	s = oneLine(clip(s, longestRead))
	if strings.Contains(s, "://") {
		s = urlShape.ReplaceAllStringFunc(s, cleanURL)
	}
	lower := strings.ToLower(s)
	for _, shape := range shapes {
		s = shape.in(s, lower)
	}
	if len(s) > longest {
		s = clip(s, longest-len("…")) + "…"
	}
	return s
}

// oneLine turns runs of blanks, control and format characters into one blank each.
func oneLine(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := true
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		b.WriteRune(r)
		blank = false
	}
	return strings.TrimRight(b.String(), " ")
}

// clip cuts at a rune's start, so that valid UTF-8 stays valid.
func clip(s string, longest int) string {
	if len(s) <= longest {
		return s
	}
	for longest > 0 && !utf8.RuneStart(s[longest]) {
		longest--
	}
	return s[:longest]
}

func cleanURL(raw string) string {
	bare := strings.TrimRight(raw, ".,;:!?")
	u, err := url.Parse(bare)
	if err != nil || u.User != nil || !isPublic(u.Hostname()) {
		return address + raw[len(bare):]
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath() + raw[len(bare):]
}

// isPublic tells whether a host's name may be shown to a client. Literal addresses never are.
func isPublic(host string) bool {
	host = strings.ToLower(host)
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") {
		return false
	}
	for _, suffix := range internalSuffixes {
		if strings.HasSuffix(host, suffix) {
			return false
		}
	}
	return true
}
