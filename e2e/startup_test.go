package e2e

import (
	"bytes"
	"database/sql"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to make databases that are not ours

	"github.com/ohmroute/ohmroute/e2e/process"
)

func TestTheFirstRequestOfANewcomerIsAnsweredWithoutConfiguration(t *testing.T) {
	begun := time.Now()
	g := start(t, t.TempDir())
	a := g.chat("demo", true)
	if a.err != nil || a.status != http.StatusOK || !bytes.HasSuffix(a.body, []byte("data: [DONE]\n\n")) {
		t.Fatalf("status %d, error %v: %s", a.status, a.err, a.body)
	}
	t.Logf("answered %s after the start", time.Since(begun).Round(time.Millisecond))
}

func TestTheDemoShowsDegradedAndOpenWhileEveryRequestIsAnswered(t *testing.T) {
	g := start(t, t.TempDir())
	seen := make(map[string]bool)
	for deadline := time.Now().Add(patience); !seen["DEGRADED"] || !seen["OPEN"] || !seen["CLOSED"]; {
		if time.Now().After(deadline) {
			t.Fatalf("the demo showed only %v", seen)
		}
		if a := g.chat("demo", false); a.status != http.StatusOK {
			t.Fatalf("status %d: %s", a.status, a.body)
		}
		seen[g.State("target:demo/flaky")] = true
	}
}

func TestABusyPortIsAClearError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, out := process.Run(t, nil, "serve", "--listen", l.Addr().String(), "--data-dir", t.TempDir())
	if code != 1 || !strings.Contains(out, l.Addr().String()) || !strings.Contains(out, "in use") {
		t.Fatalf("exit code %d: %s", code, out)
	}
}

func TestADatabaseThatIsNotOursIsRefusedAndLeftAlone(t *testing.T) {
	made := map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"a text file": {func(t *testing.T, path string) {
			t.Helper()
			if err := os.WriteFile(path, []byte("dear diary, today I learned that files have names"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "SQLite"},
		"another program's database": {func(t *testing.T, path string) {
			t.Helper()
			execute(t, path, `PRAGMA application_id = 252006673; CREATE TABLE notes (body TEXT)`)
		}, "another"},
		"a damaged database": {func(t *testing.T, path string) {
			t.Helper()
			g := start(t, filepath.Dir(path))
			if code := g.Stop(); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(raw[4096:], bytes.Repeat([]byte{0xa5}, 4096))
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "damaged"},
		"a newer schema": {func(t *testing.T, path string) {
			t.Helper()
			g := start(t, filepath.Dir(path))
			if code := g.Stop(); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			execute(t, path, `PRAGMA user_version = 9000`)
		}, "9000"},
	}
	for name, c := range made {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "ohmroute.db")
			c.make(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			code, out := process.Run(t, nil, "serve", "--listen", process.FreeAddress(t), "--data-dir", dir)
			if code != 1 || !strings.Contains(out, c.says) || !strings.Contains(out, path) {
				t.Errorf("exit code %d: %s", code, out)
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func TestADatabaseThatVanishedIsNotSilentlyAFreshOne(t *testing.T) {
	dir := t.TempDir()
	g := start(t, dir)
	if code := g.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if err := os.Remove(filepath.Join(dir, "ohmroute.db")); err != nil {
		t.Fatal(err)
	}
	code, out := process.Run(t, nil, "serve", "--listen", process.FreeAddress(t), "--data-dir", dir)
	if code != 1 || !strings.Contains(out, "ohmroute.db") {
		t.Fatalf("exit code %d: %s", code, out)
	}
}

func TestADirectoryThatCanNotBeWrittenServesAndSaysSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "occupied")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g := &gateway{Gateway: process.Launch(t, filepath.Join(file, "data")), t: t}
	g.AwaitReady()
	if a := g.chat("demo", false); a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	resp, err := http.Get(g.URL + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || !strings.Contains(body.String(), "persistence") {
		t.Fatalf("/readyz answers %d and does not name the degraded part: %s", resp.StatusCode, body.String())
	}
}

func execute(t *testing.T, path, statements string) {
	t.Helper()
	database, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if _, err := database.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}
