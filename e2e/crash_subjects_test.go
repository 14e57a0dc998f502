package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
)

// clientKey makes a client key and gives its secret.
func (g *gateway) clientKey(name string) string {
	g.t.Helper()
	var made struct{ Key string }
	g.Must(http.StatusCreated, http.MethodPost, "/api/v1/keys", object{"name": name}, &made)
	return made.Key
}

// keySubject is a client key that is made and revoked. Its value is "made" while it is in the list. The secret of the last
// one that was acknowledged has to be accepted then, and refused afterwards.
func keySubject(name string) subject {
	const made = "made"
	var id, secret string
	return subject{
		name: "key " + name,
		change: func(_ int, stands string) change {
			if stands == "" {
				return change{http.MethodPost, "/api/v1/keys", object{"name": name}, made}
			}
			return change{http.MethodDelete, "/api/v1/keys/" + id, nil, ""}
		},
		acked: func(answer []byte) {
			var k struct{ ID, Key string }
			if json.Unmarshal(answer, &k) == nil {
				id, secret = k.ID, k.Key
			}
		},
		read: func(g *gateway) string {
			found := g.keyID(name)
			known := found != "" && found == id
			status, answer, err := g.send(g.t.Context(), secret, http.MethodGet, "/v1/models", nil)
			if err != nil || secret != "" && known != (status == http.StatusOK) {
				g.t.Errorf("client key %s: listed as %q, acknowledged as %q, but it is answered %d, %v: %s", name, found, id, status, err, answer)
			}
			if found == "" {
				return ""
			}
			if !known { // it was made by the call that the kill cut off
				id, secret = found, ""
			}
			return made
		},
	}
}

// keyID is the id of the client key of that name, "" if there is none.
func (g *gateway) keyID(name string) string {
	g.t.Helper()
	_, raw := g.Admin(http.MethodGet, "/api/v1/keys", nil)
	var list struct{ Keys []struct{ ID, Name string } }
	if err := json.Unmarshal(raw, &list); err != nil {
		g.t.Fatalf("%v in %s", err, raw)
	}
	for _, k := range list.Keys {
		if k.Name == name {
			return k.ID
		}
	}
	return ""
}

// breakerSubject is a breaker without traffic that an operator isolates, releases and resets. Its values are "CLOSED",
// "ISOLATED" with the reason, and "released", after which it waits for a probe.
func breakerSubject(name string) subject {
	const isolated, released, closed = "ISOLATED ", "released", "CLOSED"
	path := "/api/v1/breakers/" + url.PathEscape(name)
	return subject{
		name: name,
		change: func(n int, stands string) change {
			held := strings.HasPrefix(stands, isolated)
			switch {
			case held && rand.IntN(2) == 0:
				return change{http.MethodPost, path + "/release", nil, released}
			case rand.IntN(3) == 0:
				return change{http.MethodPost, path + "/reset", nil, closed}
			}
			reason := fmt.Sprintf("v%d", n)
			return change{http.MethodPost, path + "/isolate", object{"by": "ada", "reason": reason}, isolated + reason}
		},
		read: func(g *gateway) string {
			b := g.Breaker(name)
			if held, _ := b["isolated"].(object); held != nil {
				return isolated + fmt.Sprint(held["reason"])
			}
			if b["state"] == closed {
				return closed
			}
			return released
		},
		// Somebody else resets all breakers meanwhile, which leaves those alone that are isolated.
		same: func(want, found string) bool {
			return want == found || want == "" && found == closed || want == released && found == closed
		},
	}
}
