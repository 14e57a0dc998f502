package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
)

// modelObject is one model for the clients of both dialects: OpenAI's members and Anthropic's.
type modelObject struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	Type        string `json:"type"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
}

func asModelObject(m combo.ModelEntry) modelObject {
	created := m.Created
	if created.IsZero() {
		created = time.Unix(0, 0)
	}
	return modelObject{
		ID: m.ID, Object: "model", Created: created.Unix(), OwnedBy: m.OwnedBy,
		Type: "model", DisplayName: m.ID, CreatedAt: wireTime(created),
	}
}

// visibleModels are the names that the request's key may use.
func (s *Server) visibleModels(x *exchange) []modelObject {
	entries := s.opts.Router.Models()
	visible := make([]modelObject, 0, len(entries))
	allowed := s.allowedModels(x.key)
	for _, m := range entries {
		if allowed == nil || allowed[m.ID] {
			visible = append(visible, asModelObject(m))
		}
	}
	return visible
}

// allowedModels are what the names of a key, which may be aliases, stand for; nil is everything.
func (s *Server) allowedModels(key *config.ClientKey) map[string]bool {
	if key == nil || len(key.Combos) == 0 {
		return nil
	}
	allowed := make(map[string]bool, len(key.Combos))
	for _, name := range key.Combos {
		if resolved, err := s.opts.Router.Resolve(name); err == nil {
			allowed[resolved.Combo] = true
		}
	}
	return allowed
}

func (s *Server) listModels(c echo.Context) error {
	x := exchangeOf(c)
	list := struct {
		Object  string        `json:"object"`
		Data    []modelObject `json:"data"`
		HasMore bool          `json:"has_more"`
		FirstID *string       `json:"first_id"`
		LastID  *string       `json:"last_id"`
	}{Object: "list", Data: s.visibleModels(x)}
	if n := len(list.Data); n > 0 {
		list.FirstID, list.LastID = &list.Data[0].ID, &list.Data[n-1].ID
	}
	writeJSON(x, http.StatusOK, list)
	return nil
}

// showModel answers for one name, also an alias, which the list leaves out. It may hold slashes, escaped or not.
func (s *Server) showModel(c echo.Context) error {
	x := exchangeOf(c)
	id, err := param(c, wildcard)
	if err != nil {
		return err
	}
	name := id
	if combo, alias := s.opts.Config.Built().Routing.Aliases[id]; alias {
		name = combo
	}
	for _, m := range s.visibleModels(x) {
		if m.ID == name {
			m.ID, m.DisplayName = id, id
			writeJSON(x, http.StatusOK, m)
			return nil
		}
	}
	return &apiError{
		Status: http.StatusNotFound, Code: "model_not_found", Param: "model",
		Message: "there is no combo or provider/model named " + clip(id, 128),
	}
}

// refuseUpgrade answers clients that try a WebSocket first: told so at once, they fall back to POST.
func (s *Server) refuseUpgrade(c echo.Context) error {
	x := exchangeOf(c)
	if strings.EqualFold(c.Request().Header.Get("Upgrade"), "websocket") {
		return &apiError{
			Status: http.StatusUpgradeRequired, Code: "websocket_not_supported",
			Message: "WebSockets are not served here, use POST",
		}
	}
	x.Header().Set("Allow", http.MethodPost)
	return errMethod
}
