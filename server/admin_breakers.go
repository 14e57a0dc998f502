package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// persistence is how far the disk is behind, as listings and /readyz show it.
type persistence struct {
	Status          string `json:"status"`
	OldestUnsavedMS int64  `json:"oldest_unsaved_ms"`
}

// The words of persistence.status.
const (
	persistenceOK       = "ok"
	persistenceDegraded = "degraded"
)

func asPersistence(p circuitbreaker.Persistence) persistence {
	return persistence{persistenceStatus(p), p.OldestUnsaved.Milliseconds()}
}

func persistenceStatus(p circuitbreaker.Persistence) string {
	if p.Degraded {
		return persistenceDegraded
	}
	return persistenceOK
}

// durable waits until what is owed now is on disk or the store is broken. Whoever shows state looks first and waits
// then, so that nothing is shown that a crash could undo (spec: breaker.md 7.3).
func (s *Server) durable(c echo.Context) circuitbreaker.Persistence {
	return s.opts.Breakers.Durable(c.Request().Context())
}

func (s *Server) listBreakers(c echo.Context) error {
	keep, err := breakerFilter(c.QueryParam("state"), c.QueryParam("scope"))
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(s.opts.Breakers.List(time.Now()), func(b circuitbreaker.Status) bool { return !keep(b) })
	p := s.durable(c)
	writeJSON(exchangeOf(c), http.StatusOK, struct {
		Breakers    []circuitbreaker.Status `json:"breakers"`
		Persistence persistence             `json:"persistence"`
	}{orEmpty(list), asPersistence(p)})
	return nil
}

// breakerFilter reads the filters of a listing; empty is any.
func breakerFilter(state, scope string) (func(circuitbreaker.Status) bool, error) {
	var want circuitbreaker.State
	if state != "" {
		if err := want.UnmarshalText([]byte(strings.ToUpper(state))); err != nil {
			return nil, badParameter("state", state, "one of CLOSED, DEGRADED, OPEN, HALF_OPEN, ISOLATED")
		}
	}
	scopes := []string{
		circuitbreaker.ScopeProvider.String(), circuitbreaker.ScopeKey.String(), circuitbreaker.ScopeTarget.String(),
	}
	if scope != "" && !slices.Contains(scopes, scope) {
		return nil, badParameter("scope", scope, "one of "+strings.Join(scopes, ", "))
	}
	return func(b circuitbreaker.Status) bool {
		return (state == "" || b.State == want) && (scope == "" || b.Scope.String() == scope)
	}, nil
}

func (s *Server) showBreaker(c echo.Context) error {
	name, err := param(c, "name")
	if err != nil {
		return err
	}
	b, ok := s.opts.Breakers.Status(name, time.Now())
	if !ok {
		return notFound("breaker", name)
	}
	made := s.opts.Breakers.Transitions(name)
	return writeBreaker(c, b, s.durable(c), member{"transitions", orEmpty(made)})
}

// member is one more member of a JSON object.
type member struct {
	name  string
	value any
}

// writeBreaker answers with B, to which members are added.
func writeBreaker(c echo.Context, b circuitbreaker.Status, p circuitbreaker.Persistence, more ...member) error {
	body, err := json.Marshal(b)
	if err != nil {
		return err
	}
	body = body[:len(body)-1] // without the closing brace
	for _, m := range append(more, member{"persistence", persistenceStatus(p)}) {
		value, err := json.Marshal(m.value)
		if err != nil {
			return err
		}
		body = append(body, `,"`+m.name+`":`...)
		body = append(body, value...)
	}
	writeJSON(exchangeOf(c), http.StatusOK, json.RawMessage(append(body, '}')))
	return nil
}

// resetBreakers resets every breaker; isolated ones only if the body says so. It is idempotent.
func (s *Server) resetBreakers(c echo.Context) error {
	var includeIsolated bool
	if err := s.decodeSmall(c, fields{"include_isolated": &includeIsolated}); err != nil {
		return err
	}
	reset, isolated := s.opts.Breakers.ResetAll(includeIsolated)
	p := s.durable(c)
	writeJSON(exchangeOf(c), http.StatusOK, struct {
		Reset       []string `json:"reset"`
		Isolated    []string `json:"isolated"`
		Persistence string   `json:"persistence"`
	}{orEmpty(reset), orEmpty(isolated), persistenceStatus(p)})
	return nil
}

func (s *Server) resetBreaker(c echo.Context) error {
	if err := s.decodeSmall(c, fields{}); err != nil {
		return err
	}
	return s.operate(c, s.opts.Breakers.Reset)
}

func (s *Server) releaseBreaker(c echo.Context) error {
	if err := s.decodeSmall(c, fields{}); err != nil {
		return err
	}
	return s.operate(c, s.opts.Breakers.Release)
}

// isolateBreaker holds a breaker; who and why are shown to whoever looks.
func (s *Server) isolateBreaker(c echo.Context) error {
	var by, reason string
	if err := s.decodeSmall(c, fields{"by": &by, "reason": &reason}); err != nil {
		return err
	}
	if err := checkNote("by", by); err != nil {
		return err
	}
	if err := checkNote("reason", reason); err != nil {
		return err
	}
	if by == "" {
		by = "admin"
	}
	return s.operate(c, func(name string) (circuitbreaker.Status, error) {
		return s.opts.Breakers.Isolate(name, by, reason)
	})
}

const maxNote = 500

// checkNote bounds what an operator writes beside a breaker: it is stored, listed and logged.
func checkNote(name, text string) error {
	if len(text) > maxNote || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return badParameter(name, text, "up to 500 bytes without control characters")
	}
	return nil
}

// operate runs an operator's action on the breaker of the path and answers when it is durable.
func (s *Server) operate(c echo.Context, action func(name string) (circuitbreaker.Status, error)) error {
	name, err := param(c, "name")
	if err != nil {
		return err
	}
	b, err := action(name)
	switch {
	case errors.Is(err, circuitbreaker.ErrUnknown):
		return notFound("breaker", name)
	case errors.Is(err, circuitbreaker.ErrNotIsolated):
		return &apiError{Status: http.StatusConflict, Code: "not_isolated", Message: "this breaker is not isolated"}
	case err != nil:
		return err
	}
	return writeBreaker(c, b, s.durable(c))
}

// fleetBreaker is a breaker that is not closed everywhere.
type fleetBreaker struct {
	Name       string   `json:"name"`
	OpenOn     []string `json:"open_on"`
	HalfOpenOn []string `json:"half_open_on"`
	Isolated   bool     `json:"isolated"`
}

type fleetInstance struct {
	ID     string `json:"id"`
	SeenAt string `json:"seen_at"`
}

// breakerState is the fleet's picture, of one instance.
func (s *Server) breakerState(c echo.Context) error {
	now := time.Now()
	list := s.opts.Breakers.List(now)
	s.durable(c)
	breakers := []fleetBreaker{}
	for _, b := range list {
		f := fleetBreaker{Name: b.Name, OpenOn: []string{}, HalfOpenOn: []string{}}
		switch b.State {
		case circuitbreaker.Open:
			f.OpenOn = append(f.OpenOn, s.opts.Instance)
		case circuitbreaker.HalfOpen:
			f.HalfOpenOn = append(f.HalfOpenOn, s.opts.Instance)
		case circuitbreaker.Isolated:
			f.Isolated = true
		default:
			continue
		}
		breakers = append(breakers, f)
	}
	writeJSON(exchangeOf(c), http.StatusOK, struct {
		Instances []fleetInstance `json:"instances"`
		Breakers  []fleetBreaker  `json:"breakers"`
	}{[]fleetInstance{{s.opts.Instance, wireTime(now)}}, breakers})
	return nil
}
