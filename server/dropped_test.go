package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/providers"
)

// dropping answers as t does, and says that members were dropped.
func dropping(t target, count int, names ...string) target {
	return func(ctx context.Context, a *providers.Attempt) (*providers.Answer, error) {
		answer, err := t(ctx, a)
		if err == nil {
			answer.Dropped, answer.DroppedCount = names, count
		}
		return answer, err
	}
}

func TestDroppedMembersAreNamedAndCounted(t *testing.T) {
	g := newGateway(t, false)
	g.route(dropping(plain(`{"choices":[]}`), 3, "logit_bias", "tools.web,search", strings.Repeat("ü", 200)))
	re := g.ask(http.MethodPost, "/v1/chat/completions", plainBody)
	want := "logit_bias, tools.web%2Csearch, " + strings.Repeat("%C3%BC", 64) + "...272"
	if got := re.Header().Get("X-Ohmroute-Dropped"); re.Code != http.StatusOK || got != want {
		t.Errorf("status %d: %q, want %q", re.Code, got, want)
	}
	page := g.admin(http.MethodGet, "/metrics", "").Body.String()
	if want := `ohmroute_dropped_members_total{provider="a"} 3`; !strings.Contains(page, want) {
		t.Errorf("the metrics don't say %s", want)
	}
	t.Run("what is not counted is named all the same", func(t *testing.T) {
		g.route(dropping(plain(`{"choices":[]}`), 0, "messages.reasoning"))
		if got := g.ask(http.MethodPost, "/v1/chat/completions", plainBody).Header().Get("X-Ohmroute-Dropped"); got != "messages.reasoning" {
			t.Errorf("named %q", got)
		}
	})
	t.Run("nothing is said where nothing was", func(t *testing.T) {
		g.route(plain(`{"choices":[]}`))
		if re := g.ask(http.MethodPost, "/v1/chat/completions", plainBody); re.Header()["X-Ohmroute-Dropped"] != nil {
			t.Errorf("%v", re.Header())
		}
	})
}

func TestDroppedMembersFollowEarlyHeaders(t *testing.T) {
	inBubble(t, func(r *running) {
		t := r.t
		r.route(dropping(streaming(chunk{after: 20 * time.Second, data: hello + done}), 1, "seed"))
		resp, err := r.post(t.Context(), streamBody)
		if err != nil {
			t.Fatal(err)
		}
		if body, whole := readAll(t, resp); !whole || resp.Trailer.Get("X-Ohmroute-Dropped") != "seed" {
			t.Errorf("whole %v, trailers %v: %q", whole, resp.Trailer, body)
		}
	})
}
