package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/config"
)

// collection are the handlers of one sort of documents: thin over [config.Live], which checks, stores and applies.
type collection[D any] struct {
	member string // of a listing
	param  string // of the path: what names a document

	all    func(*config.Live) []D
	one    func(*config.Live, string) (D, error)
	create func(*config.Live, context.Context, []byte) (D, error)
	put    func(l *config.Live, ctx context.Context, name string, body []byte, ifMatch string) (D, error)
	remove func(l *config.Live, ctx context.Context, name, ifMatch string) error
	origin func(D) config.Origin
}

var providerDocuments = collection[config.Provider]{
	member: "providers", param: "id",
	all: (*config.Live).Providers, one: (*config.Live).Provider, create: (*config.Live).CreateProvider,
	put: (*config.Live).PutProvider, remove: (*config.Live).DeleteProvider,
	origin: func(p config.Provider) config.Origin { return p.Origin },
}

var comboDocuments = collection[config.Combo]{
	member: "combos", param: "name",
	all: (*config.Live).Combos, one: (*config.Live).Combo, create: (*config.Live).CreateCombo,
	put: (*config.Live).PutCombo, remove: (*config.Live).DeleteCombo,
	origin: func(c config.Combo) config.Origin { return c.Origin },
}

func (d *collection[D]) listed(s *Server, c echo.Context) error {
	writeJSON(exchangeOf(c), http.StatusOK, map[string]any{d.member: orEmpty(d.all(s.opts.Config))})
	return nil
}

func (d *collection[D]) created(s *Server, c echo.Context) error {
	body, err := s.adminBody(c)
	if err != nil {
		return err
	}
	document, err := d.create(s.opts.Config, c.Request().Context(), body)
	return d.answer(c, http.StatusCreated, document, err)
}

func (d *collection[D]) shown(s *Server, c echo.Context) error {
	name, err := param(c, d.param)
	if err != nil {
		return err
	}
	document, err := d.one(s.opts.Config, name)
	return d.answer(c, http.StatusOK, document, err)
}

func (d *collection[D]) replaced(s *Server, c echo.Context) error {
	name, body, err := s.namedBody(c, d.param)
	if err != nil {
		return err
	}
	document, err := d.put(s.opts.Config, c.Request().Context(), name, body, c.Request().Header.Get("If-Match"))
	return d.answer(c, http.StatusOK, document, err)
}

func (d *collection[D]) deleted(s *Server, c echo.Context) error {
	name, err := param(c, d.param)
	if err != nil {
		return err
	}
	if err := d.remove(s.opts.Config, c.Request().Context(), name, c.Request().Header.Get("If-Match")); err != nil {
		return err
	}
	return noContent(c)
}

// answer sends a document and its version, or says why there is none.
func (d *collection[D]) answer(c echo.Context, status int, document D, err error) error {
	if err != nil {
		return err
	}
	x := exchangeOf(c)
	x.Header().Set("ETag", tag(d.origin(document).Version))
	writeJSON(x, status, document)
	return nil
}

func (s *Server) listKeys(c echo.Context) error {
	writeJSON(exchangeOf(c), http.StatusOK, map[string]any{"keys": orEmpty(s.opts.Config.Keys())})
	return nil
}

// createKey answers with the key's secret, once.
func (s *Server) createKey(c echo.Context) error {
	body, err := s.adminBody(c)
	if err != nil {
		return err
	}
	key, err := s.opts.Config.CreateKey(c.Request().Context(), body)
	if err != nil {
		return err
	}
	x := exchangeOf(c)
	x.Header()["Cache-Control"] = noStore
	writeJSON(x, http.StatusCreated, key)
	return nil
}

var noStore = []string{"no-store"}

func (s *Server) deleteKey(c echo.Context) error {
	id, err := param(c, "id")
	if err != nil {
		return err
	}
	if err := s.opts.Config.DeleteKey(c.Request().Context(), id); err != nil {
		return err
	}
	s.quotas.forget(id)
	return noContent(c)
}

// namedBody reads the path's name and the body of a call.
func (s *Server) namedBody(c echo.Context, name string) (string, []byte, error) {
	value, err := param(c, name)
	if err != nil {
		return "", nil, err
	}
	body, err := s.adminBody(c)
	return value, body, err
}

// orEmpty makes JSON show an empty list and never null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
