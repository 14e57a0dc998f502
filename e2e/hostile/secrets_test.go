package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tellTales are traces of the secrets: parts of each, so that one that was cut off is found as well.
func (w *world) tellTales() map[string]string {
	tales := map[string]string{
		"Quittenmu": "the provider's key", "1+Regenwurm": "the provider's key", "Pfefferminz": fixed, "Stachelbeere": fixed,
		"Zuckerwatte": "the admin token", "Nachtfalter": "the admin token", "Haselnuss": "the metrics token",
	}
	tales[w.clientKey], tales[w.clientKey[8:24]] = "the client's key", "the client's key"
	_, cookie, _ := strings.Cut(w.session, "=")
	tales[cookie] = "the session"
	return tales
}

// fixed are the headers of a provider's document: the operator sees them, everybody else does not.
const fixed = "a fixed header"

// inJSON undoes the spellings of JSON that the scripts use.
var inJSON = strings.NewReplacer(`\/`, "/", `\u002b`, "+", `\u0051`, "Q", `\u0050`, "P")

// clean checks that no secret stands in a text.
func (w *world) clean(text, where string, but ...string) {
	w.t.Helper()
	plain := inJSON.Replace(text)
	for tale, secret := range w.tellTales() {
		if at := strings.Index(plain, tale); at >= 0 && !slices.Contains(but, secret) {
			w.t.Errorf("%s shows %s: …%s…", where, secret, plain[max(0, at-80):min(len(plain), at+len(tale)+80)])
		}
	}
}

func (w *world) cleanReply(r reply, where string) {
	w.t.Helper()
	head, err := json.Marshal(r.header)
	must(w.t, err)
	w.clean(string(head), where+", its headers")
	w.clean(r.body, where)
	if r.err != nil {
		w.clean(r.err.Error(), where+", its end")
	}
}

// relayed are echoes in what the client is relayed byte for byte. They may not go anywhere else.
var relayed = map[string]bool{"in a finish reason": true, "in the name of an event": true, "in no JSON": true}

// echoes are answers of upstreams that repeat what they were sent. Each %s is a secret.
func echoes() map[string]string {
	const all = `{"error":{"message":"no %[1]s","type":"%[1]s","code":"%[1]s","param":"%[1]s","status":"%[1]s"},"type":"error"}`
	scripts := map[string]string{
		"in a page":                     "status 500\nheader Content-Type: text/html\nbody <html>%[1]s</html>",
		"in an error under 200":         "json " + all,
		"in the request's id":           "header X-Request-Id: %[1]s\nchat hello",
		"in the id of an error":         "header Request-Id: %[1]s\nstatus 500\njson {}",
		"in the type of an answer":      "header Content-Type: application/json; echoed=%[1]s\nchat hello",
		"in the type of an error":       "header Content-Type: application/json; echoed=%[1]s\nstatus 422\njson {\"error\":{\"message\":\"no\"}}",
		"in a redirect":                 "header Location: http://127.0.0.1:9/?key=%[1]s\nstatus 302",
		"in Retry-After":                "header Retry-After: %[1]s\nerror 429 rate_limit_exceeded x",
		"in the type of AWS":            "header X-Amzn-Errortype: %[1]s\nstatus 500\njson {}",
		"in no HTTP":                    "wire \"%[1]s\\r\\n\\r\\n\"",
		"in a broken status line":       "wire \"HTTP/1.1 9x9 %[1]s\\r\\n\\r\\n\"",
		"in a broken header":            "wire \"HTTP/1.1 200 OK\\r\\n%[1]s\\r\\n\\r\\n\"",
		"in a chunk's length":           "wire \"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n%[1]s\\r\\n\"",
		"in an encoding":                "header Content-Encoding: %[1]s\nchat hello",
		"in an error event":             "role\nevent " + all,
		"in a typed error event":        "role\ntyped error " + all,
		"in an error event behind text": "role\nchunk a\nevent " + all,
		"in a typed error behind text":  "role\nchunk a\ntyped error " + all,
		"in the name of an event":       "role\nchunk a\ntyped error_%[1]s {}\ncut",
		"in a finish reason":            "role\nchunk a\nfinish %[1]s\ndone",
		"in no JSON":                    "role\nchunk a\nevent {%[1]s",
		"in a comment before an error":  "comment %[1]s\ncut",
	}
	for _, status := range []int{400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 529} {
		scripts[fmt.Sprintf("in a %d", status)] = fmt.Sprintf("status %d\njson ", status) + all
	}
	scripts["in a 400 in other letters"] = `status 400` + "\n" + `json {"error":{"message":"no"},"echo":"%[2]s"}`
	scripts["in a 422 with escaped slashes"] = `status 422` + "\n" + `json {"error":{"message":"no"},"echo":"%[3]s"}`
	for _, before := range []int{90, 110, 120, 480, 490, 500, 508, 8180} { // where messages and words are cut
		filler := strings.Repeat("x", before-1) + " "
		scripts[fmt.Sprintf("behind %d bytes", before)] = "status 500\njson " + strings.ReplaceAll(all, "%[1]s", filler+"%[1]s")
	}
	return scripts
}

// TestASecretThatAnUpstreamRepeatsIsShownNowhere drives every way to repeat a secret through all dialects, translated or
// not, and looks at everything that the gateway says and keeps.
func TestASecretThatAnUpstreamRepeatsIsShownNowhere(t *testing.T) {
	w := onNetwork(t)
	w.providers()
	w.logIn()
	events := w.watchEvents()
	for name, script := range echoes() {
		for secretName, secret := range map[string]string{"key": providerKey, "header": fixedHeader} {
			first := fmt.Sprintf(`\u%04x`, secret[0]) + strings.ReplaceAll(secret[1:], "+", `\u002b`)
			text := fmt.Sprintf(script+"%.0[1]s%.0[2]s%.0[3]s", secret, first, strings.ReplaceAll(secret, "/", `\/`))
			for i, kind := range kinds {
				w.upstreams[kind].Script("", text)
				for j, e := range endpoints {
					streamed := strings.Contains(script, "role") || (i+j)%2 == 0
					w.admin(http.MethodPost, "/api/v1/breakers/reset", "{}")
					where := fmt.Sprintf("%s of %s %s (asked %s, streamed %v)", secretName, kind, name, e.path, streamed)
					if r := w.ask(e, kind, streamed); !relayed[name] {
						w.cleanReply(r, where)
					}
				}
				w.admin(http.MethodPost, "/api/v1/breakers/reset", "{}")
				r := w.call(http.MethodPost, "/api/v1/providers/"+kind+"/test", "{}", "Authorization", "Bearer "+adminToken)
				w.cleanReply(r, "the test of "+kind+" "+name)
			}
		}
	}
	w.nothingIsShown()
	for _, up := range w.upstreams {
		for _, r := range up.Requests() {
			for name, values := range r.Header {
				if strings.Contains(strings.Join(values, " "), w.clientKey) {
					t.Errorf("the client's key went up in %s", name)
				}
			}
		}
	}
	w.shut()
	w.clean(events(), "the stream of events")
	w.clean(w.traces.String(), "a trace")
	w.clean(w.log.String(), "the log")
	w.databaseIsClean()
	if len(w.traces.String()) == 0 || len(w.log.String()) == 0 || !strings.Contains(events(), "data:") {
		t.Error("the test looked at nothing")
	}
}

// TestASecretInTheWrongPlaceIsShownNowhere: whatever a caller does with its own secrets, they are not written down.
func TestASecretInTheWrongPlaceIsShownNowhere(t *testing.T) {
	w := onNetwork(t)
	w.providers()
	w.logIn()
	for _, secret := range []string{adminToken, w.clientKey, w.session, metricsWord} {
		for _, path := range []string{"/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/v1/providers", "/api/v1/session", "/api/v1/keys", "/metrics", "/nowhere"} {
			for _, headers := range [][]string{
				{"Authorization", "Bearer " + secret},
				{"X-Api-Key", secret},
				{"Cookie", secret},
				{"Authorization", secret},
				{"Authorization", "Bearer " + secret, "Origin", "https://evil.example"},
				{"Authorization", "Bearer " + secret + "x"},
				{"Authorization", "Basic " + secret},
				{"Content-Encoding", secret},
				{"Content-Type", secret},
				{"X-Request-Id", secret},
			} {
				for _, body := range []string{"{", `{"model":"openai/none"}`} {
					r := w.call(http.MethodPost, path, body, headers...)
					if headers[0] != "X-Request-Id" {
						w.cleanReply(r, path+" with "+headers[0])
					}
				}
			}
		}
	}
	w.nothingIsShown()
	w.shut()
	w.clean(w.traces.String(), "a trace")
	w.clean(w.log.String(), "the log")
	w.databaseIsClean()
}

// logIn makes a client key and a session.
func (w *world) logIn() {
	w.t.Helper()
	var key struct {
		Key string `json:"key"`
	}
	must(w.t, json.Unmarshal([]byte(w.admin(http.MethodPost, "/api/v1/keys", `{"name":"tests"}`).body), &key))
	w.clientKey = key.Key
	r := w.call(http.MethodPost, "/api/v1/session", `{"token":"`+adminToken+`"}`)
	w.session, _, _ = strings.Cut(r.header.Get("Set-Cookie"), ";")
	if r.status != http.StatusOK || len(w.session) < 20 {
		w.t.Fatalf("no session: %d %s", r.status, r.body)
	}
}

// watchEvents follows the admin side's stream of events. What is returned gives what came, after the end.
func (w *world) watchEvents() func() string {
	w.t.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(w.t.Context()), http.MethodGet, w.url+"/api/v1/events", http.NoBody)
	must(w.t, err)
	r.Header.Set("Cookie", w.session)
	resp, err := w.client.Do(r)
	must(w.t, err)
	came, done := &lines{}, make(chan struct{})
	go func() {
		defer close(done)
		defer resp.Body.Close()
		_, _ = io.Copy(came, resp.Body) // until the gateway ends it
	}()
	return func() string {
		<-done
		return came.String()
	}
}

// nothingIsShown reads whatever can be read of the admin side.
func (w *world) nothingIsShown() {
	w.t.Helper()
	var list struct {
		Requests []struct {
			ID string `json:"id"`
		} `json:"requests"`
	}
	must(w.t, json.Unmarshal([]byte(w.admin(http.MethodGet, "/api/v1/requests?limit=1000", "").body), &list))
	paths := []string{
		"/api/v1/providers", "/api/v1/combos", "/api/v1/keys", "/api/v1/breakers", "/api/v1/breaker-state", "/api/v1/requests?limit=1000",
		"/api/v1/stats", "/api/v1/session", "/api/v1/openapi.json", "/metrics", "/readyz", "/v1/models", "/",
	}
	for _, kind := range kinds {
		paths = append(paths, "/api/v1/providers/"+kind, "/api/v1/breakers/provider:"+kind, "/api/v1/breakers/target:"+kind+"%2Fm")
	}
	for i, r := range list.Requests {
		if i%50 == 0 {
			paths = append(paths, "/api/v1/requests/"+r.ID)
		}
	}
	for _, path := range paths {
		r := w.call(http.MethodGet, path, "", "Authorization", "Bearer "+adminToken)
		if strings.HasPrefix(path, "/api/v1/providers") {
			w.clean(r.body, path, fixed)
			continue
		}
		w.cleanReply(r, path)
	}
}

// databaseIsClean looks at every byte of the database's files, whatever table it belongs to.
func (w *world) databaseIsClean() {
	w.t.Helper()
	files, err := filepath.Glob(w.database + "*")
	must(w.t, err)
	if len(files) == 0 {
		w.t.Fatal("there is no database")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(w.t, err)
		w.clean(string(text), filepath.Base(file), fixed)
	}
}
