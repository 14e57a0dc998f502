package server

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheLogHoldsNoSecretAndNoPrompt(t *testing.T) {
	g := newGateway(t, true)
	key := g.must(http.MethodPost, "/api/v1/keys", `{"name":"k"}`).json()["key"].(string)
	g.must(http.MethodPost, "/api/v1/providers",
		`{"id":"up","kind":"openai","base_url":"http://127.0.0.1:1/v1","keys":[{"name":"k","value":"sk-upstream-secret"}]}`)
	const prompt = "the-prompt-of-the-user"
	g.ask(http.MethodPost, "/v1/chat/completions?api_key=query-secret",
		`{"model":"up/x","messages":[{"role":"user","content":"`+prompt+`"}]}`, "Authorization", "Bearer "+key)
	g.ask(http.MethodGet, "/v1/nowhere?token=query-secret", "", "Authorization", "Bearer "+key)
	g.ask(http.MethodGet, "/api/v1/providers", "", "Authorization", "Bearer wrong-secret")
	log := g.logs.String()
	for _, secret := range []string{key, testAdminToken, prompt, "query-secret", "wrong-secret", "sk-upstream-secret"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
	if n := strings.Count(log, `"msg":"request"`); n != 5 {
		t.Errorf("%d access log lines for 5 requests", n)
	}
	if !strings.Contains(log, `"request_id":"req_`) {
		t.Error("the request id is not in the log")
	}
}

func TestTheDashboardsFilesAreLoggedForWhoLooksClosely(t *testing.T) {
	for path, level := range map[string]string{"/assets/css/base.css": "DEBUG", "/v1/models": "INFO"} {
		g := newGateway(t, false)
		g.ask(http.MethodGet, path, "")
		if log := g.logs.String(); !strings.Contains(log, `"level":"`+level+`","msg":"request"`) {
			t.Errorf("%s is logged as %s", path, log)
		}
	}
}

func TestLongPathsAreClipped(t *testing.T) {
	g := newGateway(t, false)
	g.ask(http.MethodGet, "/"+strings.Repeat("x", 5000), "")
	if strings.Contains(g.logs.String(), strings.Repeat("x", 300)) {
		t.Error("the log has the whole path")
	}
}

func TestTheLogNamesWhatAnOperatorActedOn(t *testing.T) {
	g := newGateway(t, true)
	g.must(http.MethodPost, breakerPath+"/reset", "")
	g.ask(http.MethodGet, "/v1/models/of-a-client", "")
	log := g.logs.String()
	if !strings.Contains(log, `"path":"`+breakerPath+`/reset"`) {
		t.Errorf("the breaker is not in the log: %s", log)
	}
	if strings.Contains(log, "of-a-client") {
		t.Error("what a client named is in the log")
	}
}
