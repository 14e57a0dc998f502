package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/config"
)

func (s *Server) listProviders(c echo.Context) error {
	writeJSON(exchangeOf(c), http.StatusOK, map[string]any{"providers": orEmpty(s.opts.Config.Providers())})
	return nil
}

func (s *Server) createProvider(c echo.Context) error {
	body, err := s.adminBody(c)
	if err != nil {
		return err
	}
	p, err := s.opts.Config.CreateProvider(c.Request().Context(), body)
	if err != nil {
		return err
	}
	return writeDocument(c, http.StatusCreated, p, p.Origin)
}

func (s *Server) showProvider(c echo.Context) error {
	id, err := param(c, "id")
	if err != nil {
		return err
	}
	p, err := s.opts.Config.Provider(id)
	if err != nil {
		return err
	}
	return writeDocument(c, http.StatusOK, p, p.Origin)
}

func (s *Server) putProvider(c echo.Context) error {
	id, body, err := s.namedBody(c, "id")
	if err != nil {
		return err
	}
	p, err := s.opts.Config.PutProvider(c.Request().Context(), id, body, c.Request().Header.Get("If-Match"))
	if err != nil {
		return err
	}
	return writeDocument(c, http.StatusOK, p, p.Origin)
}

func (s *Server) deleteProvider(c echo.Context) error {
	id, err := param(c, "id")
	if err != nil {
		return err
	}
	if err := s.opts.Config.DeleteProvider(c.Request().Context(), id, c.Request().Header.Get("If-Match")); err != nil {
		return err
	}
	return noContent(c)
}

func (s *Server) listCombos(c echo.Context) error {
	writeJSON(exchangeOf(c), http.StatusOK, map[string]any{"combos": orEmpty(s.opts.Config.Combos())})
	return nil
}

func (s *Server) createCombo(c echo.Context) error {
	body, err := s.adminBody(c)
	if err != nil {
		return err
	}
	combo, err := s.opts.Config.CreateCombo(c.Request().Context(), body)
	if err != nil {
		return err
	}
	return writeDocument(c, http.StatusCreated, combo, combo.Origin)
}

func (s *Server) showCombo(c echo.Context) error {
	name, err := param(c, "name")
	if err != nil {
		return err
	}
	combo, err := s.opts.Config.Combo(name)
	if err != nil {
		return err
	}
	return writeDocument(c, http.StatusOK, combo, combo.Origin)
}

func (s *Server) putCombo(c echo.Context) error {
	name, body, err := s.namedBody(c, "name")
	if err != nil {
		return err
	}
	combo, err := s.opts.Config.PutCombo(c.Request().Context(), name, body, c.Request().Header.Get("If-Match"))
	if err != nil {
		return err
	}
	return writeDocument(c, http.StatusOK, combo, combo.Origin)
}

func (s *Server) deleteCombo(c echo.Context) error {
	name, err := param(c, "name")
	if err != nil {
		return err
	}
	if err := s.opts.Config.DeleteCombo(c.Request().Context(), name, c.Request().Header.Get("If-Match")); err != nil {
		return err
	}
	return noContent(c)
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
func orEmpty[T config.Provider | config.Combo | config.ClientKey](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
