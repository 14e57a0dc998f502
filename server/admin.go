package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/config"
)

// maxAdminBody bounds the bodies of the admin side.
const maxAdminBody = 1 << 20

// adminBody reads the body of a call of the admin side whole.
func (s *Server) adminBody(c echo.Context) ([]byte, error) {
	b, err := s.adminBodies.read(exchangeOf(c), c.Request())
	if err != nil {
		return nil, err
	}
	return b.b, nil // kept by whoever parses it, so never released
}

// fields are the members that a small body may have, by name: where each goes, a *string or a *bool.
type fields map[string]any

// decodeSmall reads a body of a few members; what isn't there, or null, stays as it is, and so does all if the body is
// empty. Everything that is wrong is told at once.
func (s *Server) decodeSmall(c echo.Context, into fields) error {
	body, err := s.adminBody(c)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		message := "the body is not JSON, or goes on after its JSON value"
		if json.Valid(body) {
			message = "the body must be an object"
		}
		return invalidBody([]config.Problem{{Message: message}})
	}
	var problems []config.Problem
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if wrong := into.set(name, members[name]); wrong != "" {
			problems = append(problems, config.Problem{Path: clip(name, 64), Message: wrong})
		}
	}
	if len(problems) > 0 {
		return invalidBody(problems)
	}
	return nil
}

// set gives a member its value, or tells what is wrong with that.
func (f fields) set(name string, value json.RawMessage) string {
	into, known := f[name]
	if !known {
		return "unknown member"
	}
	if json.Unmarshal(value, into) == nil {
		return ""
	}
	if _, text := into.(*string); text {
		return "must be a string"
	}
	return "must be true or false"
}

func invalidBody(problems []config.Problem) *apiError {
	all := &config.ValidationError{Problems: problems}
	return &apiError{
		Status: http.StatusBadRequest, Code: "invalid_json",
		Message: "the body is not what this call takes: " + all.Error(), Details: problems,
	}
}

// storeRetry is when it may be worth trying a change again that the store did not take.
const storeRetry = 5 * time.Second

func badParameter(name, value, want string) *apiError {
	message := fmt.Sprintf("%s is %q, not %s", name, clip(value, 64), want)
	return &apiError{
		Status: http.StatusBadRequest, Code: "invalid_parameter", Param: name, Message: message,
		Details: []config.Problem{{Path: name, Message: message}},
	}
}

func notFound(what, name string) *apiError {
	return &apiError{
		Status: http.StatusNotFound, Code: "not_found",
		Message: fmt.Sprintf("there is no %s %q", what, clip(name, 160)),
	}
}

// configError finds the answer that a refused change of the configuration stands for, nil if err is none.
func configError(err error) *apiError {
	if e, ok := errors.AsType[*config.ValidationError](err); ok {
		return &apiError{Status: http.StatusBadRequest, Code: "validation_failed", Message: e.Error(), Details: e.Problems}
	}
	if e, ok := errors.AsType[*config.ConflictError](err); ok {
		refused := &apiError{
			Status: http.StatusConflict, Code: e.Code, Message: e.Message,
			Details: []config.Problem{{Message: e.Message}}, Current: e.Current,
		}
		if e.Current != nil {
			refused.ETag = tag(e.Version)
		}
		return refused
	}
	if errors.Is(err, config.ErrNotFound) {
		return &apiError{Status: http.StatusNotFound, Code: "not_found", Message: "there is nothing of that name"}
	}
	if errors.Is(err, config.ErrPersistence) {
		refused := &apiError{Status: http.StatusServiceUnavailable, Code: "persistence_unavailable", Message: err.Error()}
		if !errors.Is(err, config.ErrNoSecretKey) {
			refused.RetryAfter = storeRetry
		}
		return refused
	}
	return nil
}

// tag is the ETag of a document's version.
func tag(version uint64) string { return `"` + strconv.FormatUint(version, 10) + `"` }

func noContent(c echo.Context) error {
	exchangeOf(c).WriteHeader(http.StatusNoContent)
	return nil
}
