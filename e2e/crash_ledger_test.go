package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ledger is what a client of the admin side may rely on: what was acknowledged.
type ledger struct {
	t       *testing.T
	writers []*writer
}

// writer changes one thing again and again; nobody else does.
type writer struct {
	subject
	t *testing.T

	stands  string // what was acknowledged last
	pending string // what was asked for and not answered, if anything was
	asked   bool
	acks    int
	n       int // of changes, so that no two are the same
}

// subject is a thing that can be changed, and how it is looked at. Values are short texts, "" if it isn't there.
type subject struct {
	name   string
	change func(n int, stands string) change
	acked  func(answer []byte) // nil: nothing in the answer is needed
	read   func(g *gateway) string
	same   func(want, found string) bool // nil: equal
}

// change is a call of the admin side and the value that it makes.
type change struct {
	method, path string
	body         any
	value        string
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	book := &ledger{t: t}
	subjects := []subject{
		providerSubject("crash-p0"), providerSubject("crash-p1"), comboSubject("crash-c0"), comboSubject("crash-c1"),
		keySubject("crash-k0"), keySubject("crash-k1"), breakerSubject("target:quiet/m0"), breakerSubject("target:quiet/m1"),
	}
	for _, s := range subjects {
		book.writers = append(book.writers, &writer{subject: s, t: t})
	}
	return book
}

// work changes the subject until ctx ends or the gateway is gone.
func (w *writer) work(ctx context.Context, g *gateway) {
	for ctx.Err() == nil {
		w.n++
		c := w.change(w.n, w.stands)
		w.pending, w.asked = c.value, true
		status, answer, err := g.call(ctx, c.method, c.path, c.body)
		if err != nil {
			return // it may have been done or not
		}
		w.asked = false
		if status >= http.StatusBadRequest {
			w.t.Errorf("%s %s: status %d: %s", c.method, c.path, status, answer)
			return
		}
		w.stands = c.value
		w.acks++
		if w.acked != nil && len(answer) > 0 {
			w.acked(answer)
		}
	}
}

// check wants everything to be as it was acknowledged, or as what was under way would have made it.
func (l *ledger) check(g *gateway) {
	l.t.Helper()
	for _, w := range l.writers {
		found := w.read(g)
		same := w.same
		if same == nil {
			same = func(want, found string) bool { return want == found }
		}
		switch {
		case w.asked && same(w.pending, found):
			w.stands = w.pending
		case !same(w.stands, found):
			l.t.Errorf("%s: %q was acknowledged (under way: %t, %q), %q is there after the restart", w.name, w.stands, w.asked, w.pending, found)
			w.stands = found
		}
		w.asked = false
	}
}

// summary says how much was acknowledged, and fails the test if it was nothing.
func (l *ledger) summary() string {
	l.t.Helper()
	var parts []string
	for _, w := range l.writers {
		if w.acks == 0 {
			l.t.Errorf("%s: no change was ever acknowledged: the load proves nothing", w.name)
		}
		parts = append(parts, fmt.Sprintf("%s %d", w.name, w.acks))
	}
	return strings.Join(parts, ", ")
}

// documentSubject is a document that is posted to a collection, put and removed. Its value stands in it.
func documentSubject(collection, name string, document func(value string) object, value func(document object) string) subject {
	path := "/api/v1/" + collection + "/" + name
	return subject{
		name: collection + " " + name,
		change: func(n int, stands string) change {
			v := fmt.Sprintf("v%d", n)
			switch {
			case stands == "":
				return change{http.MethodPost, "/api/v1/" + collection, document(v), v}
			case rand.IntN(4) == 0:
				return change{http.MethodDelete, path, nil, ""}
			}
			return change{http.MethodPut, path, document(v), v}
		},
		read: func(g *gateway) string {
			status, raw := g.Admin(http.MethodGet, path, nil)
			var found object
			if status == http.StatusNotFound || json.Unmarshal(raw, &found) != nil {
				return ""
			}
			return value(found)
		},
	}
}

func providerSubject(id string) subject {
	return documentSubject("providers", id, func(value string) object {
		return object{"id": id, "kind": "openai", "base_url": "http://127.0.0.1:9/v1", "models": []string{value}}
	}, func(found object) string { return fmt.Sprint(found["models"].([]any)[0]) })
}

func comboSubject(name string) subject {
	return documentSubject("combos", name, func(value string) object {
		return object{
			"name": name, "strategy": "priority", "aliases": []string{name + "-" + value},
			"targets": []object{{"provider": "quiet", "model": "m0"}},
		}
	}, func(found object) string {
		return strings.TrimPrefix(fmt.Sprint(found["aliases"].([]any)[0]), name+"-")
	})
}

// intact wants the database of a process that was killed to be whole in SQLite's eyes. It looks at a copy: opening the file
// itself would move its log.
func intact(t *testing.T, dir string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		raw, err := os.ReadFile(filepath.Join(dir, "ohmroute.db"+suffix))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(elsewhere+suffix, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	database, err := sql.Open("sqlite", elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	var verdict string
	if err := database.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("the database after the kill: %s, %v", verdict, err)
	}
	if err := os.Remove(elsewhere); err != nil {
		t.Fatal(err)
	}
}

// call calls the admin API. Unlike Admin it lets a gateway be gone.
func (g *gateway) call(ctx context.Context, method, path string, body any) (status int, answer []byte, err error) {
	return g.send(ctx, g.Token, method, path, body)
}

// chatWithKey is chatContext once the gateway wants a client key.
func (g *gateway) chatWithKey(ctx context.Context, key, model string, stream bool) {
	_, _, _ = g.send(ctx, key, http.MethodPost, "/v1/chat/completions", object{
		"model": model, "stream": stream, "messages": []object{{"role": "user", "content": "Say hello."}},
	})
}

func (g *gateway) send(ctx context.Context, bearer, method, path string, body any) (status int, answer []byte, err error) {
	payload := io.Reader(http.NoBody)
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.URL+path, payload)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}
