package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// decodeSmall reads a body of a few members into into; an empty body leaves it as it is.
func (s *Server) decodeSmall(c echo.Context, into any) error {
	body, err := s.adminBody(c)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &apiError{Status: http.StatusBadRequest, Code: "invalid_json", Message: "the body is not what this call takes: " + err.Error()}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return &apiError{Status: http.StatusBadRequest, Code: "invalid_json", Message: "the body goes on after its JSON value"}
	}
	return nil
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
