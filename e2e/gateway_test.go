package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/process"
)

const patience = process.Patience

type object = process.Object

// gateway is one running process of the binary, spoken to by plain clients.
type gateway struct {
	*process.Gateway
	t *testing.T
}

// start runs `ohmroute serve` on the data directory and waits until it is ready. It is killed when the test ends.
func start(t *testing.T, dir string, args ...string) *gateway {
	t.Helper()
	return &gateway{Gateway: process.Start(t, dir, args...), t: t}
}

// answer is a client's view of one request.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error // how reading the body ended, nil for an orderly end
}

// chat sends a chat request as a plain HTTP client.
func (g *gateway) chat(model string, stream bool) answer {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	return g.chatContext(ctx, model, stream)
}

func (g *gateway) chatContext(ctx context.Context, model string, stream bool) answer {
	body := fmt.Sprintf(`{"model":%q,"stream":%t,"messages":[{"role":"user","content":"Say hello."}]}`, model, stream)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return answer{status: resp.StatusCode, header: resp.Header, body: raw, err: err}
}
