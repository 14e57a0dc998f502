package hostile

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the test sees as what it wants")

// fromClient and fromUpstream are headers that somebody may send; none of them may pass unless the snapshot has it.
var (
	fromClient = strings.Fields(`Accept Accept-Encoding Accept-Language Anthropic-Beta Anthropic-Dangerous-Direct-Browser-Access
		Anthropic-Version Api-Key Baggage Cache-Control Cookie Forwarded From Helicone-Auth Http-Referer Idempotency-Key
		If-None-Match Openai-Beta Openai-Organization Openai-Project Origin-Trial Pragma Proxy-Authorization Range Referer
		Tracestate Traceparent True-Client-Ip User-Agent Via X-Amz-Security-Token X-Api-Key X-Client-Request-Id X-Custom
		X-Fixed X-Forwarded-For X-Forwarded-Host X-Goog-Api-Key X-Goog-User-Project X-Http-Method-Override X-Idempotency-Key
		X-Ohmroute-Target X-Original-Url X-Real-Ip X-Request-Id X-Stainless-Lang X-Stainless-Retry-Count X-Title`)
	fromUpstream = strings.Fields(`Access-Control-Allow-Origin Age Alt-Svc Anthropic-Organization-Id Anthropic-Ratelimit-Tokens-Remaining
		Cache-Control Cf-Ray Clear-Site-Data Content-Disposition Content-Language Content-Security-Policy Etag Expires
		Last-Modified Link Location Openai-Organization Openai-Processing-Ms Proxy-Authenticate Refresh Request-Id Retry-After
		Server Server-Timing Service-Worker-Allowed Set-Cookie Sourcemap Strict-Transport-Security Traceparent Vary Via
		Www-Authenticate X-Accel-Redirect X-Custom X-Envoy-Upstream-Service-Time X-Frame-Options X-Ohmroute-Combo
		X-Ratelimit-Remaining-Requests X-Sendfile X-Should-Retry`)
)

// TestHeadersThatPassAreThoseOfTheSnapshot: per kind of host, what goes up and what comes down when both sides send all they
// can. The values of our own are in it as well.
func TestHeadersThatPassAreThoseOfTheSnapshot(t *testing.T) {
	w := onNetwork(t)
	w.providers()
	w.logIn()
	var sent []string
	for _, name := range fromClient {
		sent = append(sent, name, "client-"+strings.ToLower(name))
	}
	sent = append(sent, "Authorization", "Bearer "+w.clientKey)
	var lines []string
	for _, name := range fromUpstream {
		lines = append(lines, "header "+name+": upstream-"+strings.ToLower(name))
	}
	var seen strings.Builder
	for _, kind := range kinds {
		for _, e := range endpoints {
			for _, answer := range []string{"chat hello", "error 422 - no", "error 500 - no"} {
				for _, streamed := range []bool{false, true} {
					up := w.upstreams[kind]
					up.Forget()
					up.Script("", strings.Join(append(slices.Clone(lines), answer), "\n"))
					w.admin(http.MethodPost, "/api/v1/breakers/reset", "{}")
					r := w.call(http.MethodPost, e.path, e.body(kind+"/m", streamed), sent...)
					if len(up.Requests()) == 0 {
						t.Fatalf("%s was not asked: %d %s", kind, r.status, r.body)
					}
					fmt.Fprintf(&seen, "%s %s, %s, streamed %v\n", kind, e.path, answer, streamed)
					fmt.Fprintf(&seen, "  up   %s\n  down %s\n", passed(up.Requests()[0].Header), passed(r.header))
				}
			}
		}
	}
	const file = "testdata/headers.txt"
	if *update {
		must(t, os.WriteFile(file, []byte(seen.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	wanted, got := strings.Split(string(want), "\n"), strings.Split(seen.String(), "\n")
	for i := range max(len(wanted), len(got)) {
		if i >= len(wanted) || i >= len(got) || wanted[i] != got[i] {
			t.Fatalf("line %d differs, see -update\n got %s\nwant %s", i+1, at(got, i), at(wanted, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// passed lists headers; with their values where somebody else chose them.
func passed(h http.Header) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := strings.Join(h[name], ", ")
		switch {
		case strings.Contains(value, providerKey):
			name += "=" + strings.ReplaceAll(value, providerKey, "KEY")
		case strings.Contains(value, fixedHeader):
			name += "=FIXED"
		case strings.HasPrefix(value, "client-"), strings.HasPrefix(value, "upstream-"):
			name += "=" + value
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}
