package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/providers"
)

// explainCombo says what the walk would do now; a request body narrows it to targets that can serve that request.
func (s *Server) explainCombo(c echo.Context) error {
	name, body, err := s.namedBody(c, "name")
	if err != nil {
		return err
	}
	var req *providers.Request
	if len(bytes.TrimSpace(body)) > 0 {
		if req, err = explainable(body, name); err != nil {
			return err
		}
	}
	explanation, err := s.opts.Router.Explain(name, req)
	if err != nil {
		return err
	}
	writeJSON(exchangeOf(c), http.StatusOK, explanation)
	return nil
}

// explainable parses a client's request whose model may be missing: the path names it.
func explainable(body []byte, name string) (*providers.Request, error) {
	req, err := providers.ParseRequest(providers.Chat, body)
	bad, ok := errors.AsType[*providers.BadRequest](err)
	if !ok || bad.Param != "model" || bytes.Contains(body, []byte(`"model"`)) {
		return req, err
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	_, rest, ok := bytes.Cut(body, []byte("{"))
	if !ok {
		return nil, bad
	}
	comma := ","
	if bytes.HasPrefix(bytes.TrimSpace(rest), []byte("}")) {
		comma = ""
	}
	return providers.ParseRequest(providers.Chat, slices.Concat([]byte(`{"model":`), quoted, []byte(comma), rest))
}

const (
	testParallel = 4
	testPatience = 30 * time.Second
)

// testResult is what one model answered to a test.
type testResult struct {
	Model     string  `json:"model"`
	OK        bool    `json:"ok"`
	Status    int     `json:"status"`
	Kind      *string `json:"kind"`
	Message   *string `json:"message"`
	LatencyMS int64   `json:"latency_ms"`
}

// testProvider sends one real request per model, past the breakers; none if a credential is configured and there is
// none.
func (s *Server) testProvider(c echo.Context) error {
	id, err := param(c, "id")
	if err != nil {
		return err
	}
	if err := s.decodeSmall(c, fields{}); err != nil {
		return err
	}
	built := s.opts.Config.Built()
	p, ok := built.Routing.Providers[id]
	if !ok {
		return notFound("provider", id)
	}
	keyless := &config.ValidationError{Problems: built.Keyless[id]}
	models := testedModels(built.Routing, p)
	results := make([]testResult, len(models))
	slots := make(chan struct{}, testParallel)
	var tests sync.WaitGroup
	for i, model := range models {
		if len(keyless.Problems) > 0 {
			results[i].Model = model
			results[i].fail(providers.Local, keyless.Error())
			continue
		}
		slots <- struct{}{}
		tests.Go(func() {
			defer func() { <-slots }()
			results[i] = s.testModel(c.Request().Context(), p, model)
		})
	}
	tests.Wait()
	writeJSON(exchangeOf(c), http.StatusOK, map[string]any{"results": results})
	return nil
}

// testedModels are the models that a provider lists, else those that combos name.
func testedModels(routing *combo.Config, p *combo.Provider) []string {
	if len(p.ModelOrder) > 0 {
		return p.ModelOrder
	}
	models := []string{}
	for _, c := range routing.Combos {
		for _, t := range c.Targets {
			if t.Provider == p.ID {
				models = append(models, t.Model)
			}
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

func (s *Server) testModel(ctx context.Context, p *combo.Provider, model string) (result testResult) {
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	result.Model = model
	defer func() {
		if bug := recover(); bug != nil { // on this goroutine it would end the process
			s.log.Error("testing a provider panicked", "provider", p.ID, "model", model, "panic", bug, "stack", string(debug.Stack()))
			result.fail(providers.Local, "internal error of the gateway")
		}
	}()
	quoted, err := json.Marshal(model)
	if err != nil {
		result.fail(providers.Local, err.Error())
		return result
	}
	body := slices.Concat([]byte(`{"model":`), quoted, []byte(`,"messages":[{"role":"user","content":"Say ok."}],"max_tokens":16}`))
	req, err := providers.ParseRequest(providers.Chat, body)
	if err != nil {
		result.fail(providers.Local, err.Error())
		return result
	}
	req.Header = http.Header{}
	now := time.Now()
	req.RequestID, req.Start = newRequestID(now), now
	attempt := &providers.Attempt{Request: req, Model: model, Limits: p.Limits}
	if len(p.Keys) > 0 {
		attempt.Key = p.Keys[0]
	}
	answer, err := p.Client.Send(ctx, attempt)
	result.LatencyMS = time.Since(req.Start).Milliseconds()
	if err != nil {
		failure, ok := errors.AsType[*providers.Failure](err)
		if !ok {
			failure = &providers.Failure{Kind: providers.Local}
		}
		result.Status = failure.Status
		result.fail(failure.Kind, failure.Message)
		return result
	}
	result.OK, result.Status = true, answer.Status
	_ = answer.Events.Close() // the answer was judged whole; what its connection does now is no matter of the test
	return result
}

func (r *testResult) fail(kind providers.Kind, message string) {
	r.OK = false
	r.Kind, r.Message = orNull(string(kind)), orNull(message)
}
