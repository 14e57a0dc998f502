package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/recorded"
)

// recordedChats lists the recorded streams of the chat dialect that are not known to end in an error.
func recordedChats(t *testing.T, folder string) []string {
	t.Helper()
	index, err := os.Open(filepath.Join(folder, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var files []string
	for lines := bufio.NewScanner(index); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		if len(f) > 4 && strings.HasSuffix(f[2], "/chat/completions") && !strings.Contains(f[4], "error") {
			files = append(files, f[0])
		}
	}
	if len(files) < 50 {
		t.Fatalf("only %d recorded streams", len(files))
	}
	return files
}

// replaying serves the file that a request names as its model, in pieces of up to most bytes.
func replaying(t *testing.T, folder string, most int) *httptest.Server {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, uint64(most)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Model string `json:"model"`
		}
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			t.Error(err)
		}
		body, err := os.ReadFile(filepath.Join(folder, filepath.Base(ask.Model)))
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for len(body) > 0 {
			n := min(len(body), 1+rnd.IntN(most))
			_, _ = w.Write(body[:n])
			_ = http.NewResponseController(w).Flush()
			body = body[n:]
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestRecordedStreamsComeThroughByteForByte(t *testing.T) {
	folder := recorded.Folder(t, "fixtures", "sse")
	files := recordedChats(t, folder)
	for name, pieces := range map[string]struct{ most, every int }{
		"in small pieces":          {64, 5}, // of every fifth: each piece is a write of its own
		"in reads of a usual size": {4 << 10, 1},
		"in large pieces":          {1 << 20, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, false)
			up := replaying(t, folder, pieces.most)
			g.must(http.MethodPost, "/api/v1/providers", `{"id":"up","kind":"openai","base_url":"`+up.URL+`/v1"}`)
			url := g.listen() + "/v1/chat/completions"
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			defer client.CloseIdleConnections()
			for i, file := range files {
				if i%pieces.every != 0 {
					continue
				}
				want, err := os.ReadFile(filepath.Join(folder, file))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := client.Post(url, "application/json", strings.NewReader(`{"model":"up/`+file+`","stream":true,"messages":[]}`))
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("%s: status %d, %v: %s", file, resp.StatusCode, err, clip(string(got), 300))
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes came of %d, they differ from %d on", file, len(got), len(want), differsAt(got, want))
				}
			}
		})
	}
}

func differsAt(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
