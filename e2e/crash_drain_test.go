package e2e

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers/providertest"
)

// TestASignalToEndCutsAStreamThatIsStuckAfterDrainTimeout: the stream is told, its client sees no clean end, and the
// process ends with everything on the disk.
func TestASignalToEndCutsAStreamThatIsStuckAfterDrainTimeout(t *testing.T) {
	dir, drain := t.TempDir(), 700*time.Millisecond
	g := start(t, dir, "--no-demo", "--config", configFile(t, "server: {drain_timeout: "+drain.String()+"}\n"))
	stuck := newStuck(t)
	g.Provider("stuck", stuck.URL(), nil)
	g.Combo("fast", "stuck/m")
	ended := make(chan answer, 1)
	go func() { ended <- g.chat("fast", true) }()
	if _, err := stuck.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	g.awaitMetric("ohmroute_streams_in_flight 1")
	begun := time.Now()
	if code := g.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begun); took < drain {
		t.Errorf("it ended after %s, before drain_timeout", took)
	}
	a := <-ended
	if a.err == nil || !bytes.Contains(a.body, []byte("shutting_down")) || bytes.Contains(a.body, []byte("[DONE]")) {
		t.Errorf("the client saw an end with %v and\n%s", a.err, a.body)
	}
	intact(t, dir)
}

// awaitMetric waits until /metrics has the line.
func (g *gateway) awaitMetric(line string) {
	g.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if _, page := g.Admin(http.MethodGet, "/metrics", nil); bytes.Contains(page, []byte("\n"+line+"\n")) {
			return
		}
		if time.Now().After(deadline) {
			g.t.Fatalf("/metrics never says %s", line)
		}
	}
}

// configFile is a configuration file of that text.
func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ohmroute.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newStuck is an upstream whose streams stop after a word.
func newStuck(t *testing.T) *providertest.Upstream {
	t.Helper()
	u := providertest.NewUpstream(t)
	u.Script("m", eventStream+"role; chunk Hello; hang")
	return u
}
