package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/bench/process"
)

// gateway is the binary under test.
type gateway struct {
	*process.Process
	token string
}

// startGateway starts the binary with a provider and a combo for each lane, and the spare target that all combos share.
func startGateway(ctx context.Context, binary, dir string, lanes []*lane, spare *upstream, scale float64) (*gateway, error) {
	scaled := func(d time.Duration) string { return time.Duration(float64(d) * scale).String() }
	providers := []any{provider("spare", spare)}
	var combos []any
	for _, l := range lanes {
		p := provider(l.name(), l.upstream)
		p["breaker"] = l.policy.settings(scaled)
		p["timeouts"] = map[string]any{"first_token": scaled(limitOf), "response": scaled(limitOf), "idle": scaled(limitOf)}
		providers = append(providers, p)
		combos = append(combos, map[string]any{"name": l.name(), "strategy": "priority", "targets": []any{
			map[string]any{"provider": l.name(), "model": "m"}, map[string]any{"provider": "spare", "model": "m"},
		}})
	}
	text, err := json.Marshal(map[string]any{"providers": providers, "combos": combos})
	if err != nil {
		return nil, err
	}
	p, err := process.Serve(ctx, binary, dir, string(text)) // JSON is YAML
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(filepath.Join(dir, "data", "admin.token"))
	return &gateway{Process: p, token: strings.TrimSpace(string(token))}, err
}

func provider(id string, u *upstream) map[string]any {
	return map[string]any{"id": id, "kind": "openai", "base_url": "http://" + u.address + "/v1", "models": []any{"m"}}
}

func (g *gateway) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.URL+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d: %s", path, resp.StatusCode, raw)
	}
	return raw, err
}

// opened is when a breaker that stands before the lane's target first opened after the moment; zero: it did not.
func (g *gateway) opened(ctx context.Context, l *lane, after time.Time) (time.Time, error) {
	var first time.Time
	for _, name := range []string{"provider:" + l.name(), "target:" + l.name() + "/m"} {
		raw, err := g.get(ctx, "/api/v1/breakers/"+url.PathEscape(name))
		if err != nil {
			return first, err
		}
		var b struct {
			Transitions []struct {
				To string    `json:"to"`
				At time.Time `json:"at"`
			} `json:"transitions"`
		}
		if err := json.Unmarshal(raw, &b); err != nil {
			return first, err
		}
		for _, t := range b.Transitions {
			if t.To == "OPEN" && !t.At.Before(after) && (first.IsZero() || t.At.Before(first)) {
				first = t.At
			}
		}
	}
	return first, nil
}

// failedCalls is how many calls of each provider the gateway itself counts as failed.
func (g *gateway) failedCalls(ctx context.Context) (map[string]int, error) {
	raw, err := g.get(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	calls := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		m := attempts.FindStringSubmatch(line)
		if m == nil || m[1] == "ok" {
			continue
		}
		n, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, err
		}
		calls[m[2]] += int(n)
	}
	return calls, nil
}

var attempts = regexp.MustCompile(`^ohmroute_attempts_total\{kind="([^"]*)",model="[^"]*",provider="([^"]*)"\} (\S+)`)
