package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

// TestWhatAnUpstreamSendsUnaskedIsNotLogged: net/http quotes the bytes that come on an idle connection to the standard
// logger, and they may echo a key.
func TestWhatAnUpstreamSendsUnaskedIsNotLogged(t *testing.T) {
	const whole = `{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello there."},"finish_reason":"stop"}]}`
	echoing := providertest.NewUpstream(t)
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(whole))
	echoing.Script("m", fmt.Sprintf("wire %q; wait idle; wire %q; hang", head+whole, "HTTP/1.1 400 your key sk-echo is bad\r\n\r\n"))
	g := start(t, t.TempDir(), "--no-demo")
	g.Provider("echo", echoing.URL(), nil)
	if a := g.chat("echo/m", false); a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	echoing.Release("idle")
	// Nothing outside shows when it has come; without the cure it is logged within milliseconds.
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
		g.Must(http.StatusOK, http.MethodGet, "/api/v1/breakers", nil, nil)
	}
	if code := g.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if out := g.Output(); strings.Contains(out, "sk-echo") || strings.Contains(out, "Unsolicited") {
		t.Fatalf("what came unasked was logged:\n%s", out)
	}
}
