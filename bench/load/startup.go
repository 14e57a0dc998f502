package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ohmroute/ohmroute/bench/process"
)

// startFigure is how long starts took until /readyz answered 200.
type startFigure struct {
	breakers int // that were stored and restored
	starts   []time.Duration
}

// starts is how often each start is repeated.
const starts = 5

// measureStart times starts on an empty database and on one that holds a breaker for each of many failed targets. That one
// is made as users make it: by requests that fail.
func measureStart(ctx context.Context, s *subjects, p plan, dir string) ([]startFigure, error) {
	var figures []startFigure
	for _, breakers := range []int{0, p.breakers} {
		f, err := s.startsWith(ctx, breakers, filepath.Join(dir, fmt.Sprintf("start-%d", breakers)))
		if err != nil {
			return nil, fmt.Errorf("starting with %d breakers: %w", breakers, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

func (s *subjects) startsWith(ctx context.Context, breakers int, dir string) (startFigure, error) {
	f := startFigure{breakers: breakers}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f, err
	}
	p, err := process.Serve(ctx, s.binary, dir, roomy)
	if err != nil {
		return f, err
	}
	if err := fillBreakers(ctx, p, dir, s.upstream.URL, breakers); err != nil {
		return f, errors.Join(err, p.Stop())
	}
	for range starts {
		if err := p.End(time.Minute); err != nil {
			return f, fmt.Errorf("ending: %w", err)
		}
		if p, err = process.Serve(ctx, s.binary, dir, roomy); err != nil {
			return f, err
		}
		f.starts = append(f.starts, p.ReadyAfter())
	}
	a := admin{url: p.URL, dir: dir}
	found, err := a.breakers(ctx)
	if err == nil && found < breakers {
		err = fmt.Errorf("only %d breakers were restored", found)
	}
	return f, errors.Join(err, p.Stop())
}

// roomy is a configuration with room for the targets' breakers and those of their providers: at max_breakers a breaker that
// is blank while its first request is under way may be evicted, and that request's verdict comes too late.
const roomy = "defaults: {registry: {max_breakers: 20000}}\n"

// targetsPerProvider spreads the targets as a large installation would.
const targetsPerProvider = 100

// fillBreakers makes so many targets, each of which has failed once.
func fillBreakers(ctx context.Context, p *process.Process, dir, upstream string, breakers int) error {
	a := admin{url: p.URL, dir: dir}
	var names []string
	for n := 0; n < breakers; n += targetsPerProvider {
		id := fmt.Sprintf("p%d", n/targetsPerProvider)
		var models []string
		for m := range min(targetsPerProvider, breakers-n) {
			models = append(models, fmt.Sprintf("m%d", m))
			names = append(names, fmt.Sprintf("%s/m%d", id, m))
		}
		if err := a.post(ctx, "/api/v1/providers", map[string]any{
			"id": id, "kind": "openai", "base_url": upstream + failBase, "models": models, "breaker_scope": "target",
		}); err != nil {
			return err
		}
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: hands}}
	defer client.CloseIdleConnections()
	return eachOf(names, func(name string) error { return failOnce(ctx, client, p.URL, name) })
}

// failOnce sends a request to a target that fails.
func failOnce(ctx context.Context, client *http.Client, url, model string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+chatPath, strings.NewReader(chat(model, order{}, 0)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("a request that has to fail: status %d: %s", resp.StatusCode, raw)
	}
	return err
}

// admin is the admin side of a gateway whose data directory stands in dir.
type admin struct{ url, dir string }

func (a admin) post(ctx context.Context, path string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = a.call(ctx, http.MethodPost, path, strings.NewReader(string(raw)))
	return err
}

func (a admin) breakers(ctx context.Context) (int, error) {
	raw, err := a.call(ctx, http.MethodGet, "/api/v1/breakers", http.NoBody)
	if err != nil {
		return 0, err
	}
	var list struct {
		Breakers []struct {
			FailureCount int `json:"failure_count"`
		} `json:"breakers"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return 0, err
	}
	failed := 0
	for _, b := range list.Breakers {
		if b.FailureCount > 0 {
			failed++
		}
	}
	return failed, nil
}

func (a admin) call(ctx context.Context, method, path string, body io.Reader) ([]byte, error) {
	token, err := os.ReadFile(filepath.Join(a.dir, "data", "admin.token"))
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, raw)
	}
	return raw, err
}
