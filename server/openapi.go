package server

import (
	_ "embed" // for the document
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
)

// openAPI describes the admin side and what machines watch, as OpenAPI 3.1. Tests hold it to the table of routes and to
// what is really answered.
//
//go:embed openapi.json
var openAPI []byte

func (s *Server) showOpenAPI(c echo.Context) error {
	x := exchangeOf(c)
	h := x.Header()
	h["Content-Type"] = jsonContentType
	h.Set("Content-Length", strconv.Itoa(len(openAPI)))
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(openAPI) // the client left: the exchange's log shows the bytes
	return nil
}
