package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/config/configtest"
)

// TestWhatIsAskedAndAnsweredIsAsTheDocumentSays makes every call of the document, well and badly, and holds requests
// and answers to it. At the end nothing may be left in the document that was never seen.
func TestWhatIsAskedAndAnsweredIsAsTheDocumentSays(t *testing.T) {
	all := newContract(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, all *contract)
	}{
		{"the document's own examples work", documentExamples},
		{"whoever may not call, or calls badly, is refused", refusedCalls},
		{"documents with every member can be written, read and put back", fullDocuments},
		{"documents that stand in each other's way", conflictingDocuments},
		{"a store that fails", failingStores},
		{"requests and what they do to breakers", requestsAndBreakers},
		{"browsers that log in", loggedInBrowsers},
		{"machines that watch", watchingMachines},
		{"events", describedEvents},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, all) })
	}
	if !t.Failed() {
		t.Run("and nothing is left out", all.complete)
	}
}

// documentExamples sends every example of a request; one may need what another has made.
func documentExamples(t *testing.T, all *contract) {
	order := []string{
		"createProvider", "createCombo", "explainCombo", "isolateBreaker", "resetBreakers", "createChatCompletion", "createKey",
	}
	for _, o := range all.doc.operations() {
		if len(examplesOf(o)) > 0 && !slices.Contains(order, o.id()) {
			t.Errorf("the examples of %s are not tried", o.id())
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c := all.with(newGateway(t, true))
		for _, id := range order {
			o := c.doc.called(t, id)
			for _, body := range examplesOf(o) {
				if re := c.admin(o.method, o.at(""), body); re.Code >= 300 {
					t.Errorf("an example of %s is answered %d: %s", id, re.Code, re.Body)
				}
			}
		}
		for _, path := range []string{"/api/v1/providers", "/api/v1/combos", "/api/v1/keys", "/api/v1/openapi.json"} {
			c.must(http.MethodGet, path, "")
		}
	})
}

// examplesOf are the bodies of an operation's examples, sorted by name.
func examplesOf(o operation) (bodies []string) {
	examples := o.in("requestBody", "content", "application/json", "examples").members()
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		bodies = append(bodies, asJSON(examples[name].in("value").value))
	}
	return bodies
}

// refusedCalls goes through all operations of the admin side.
func refusedCalls(t *testing.T, all *contract) {
	synctest.Test(t, func(t *testing.T) {
		c := all.with(newGateway(t, true))
		c.must(http.MethodPost, "/api/v1/providers", `{"id":"openai","kind":"openai","preset":"openai","models":["gpt-4o"]}`)
		c.must(http.MethodPost, "/api/v1/combos", `{"name":"fast","targets":[{"provider":"openai","model":"gpt-4o"}]}`)
		for _, o := range c.doc.operations() {
			if !strings.HasPrefix(o.path, adminPrefix) {
				continue
			}
			there := o.at("")
			c.admin(o.method, there, "", "Origin", "https://evil.example").wantError(http.StatusForbidden, "cross_origin")
			if len(o.security().items()) > 0 {
				c.ask(o.method, there, "").wantError(http.StatusUnauthorized, "admin_token_required")
				c.crowded(func() {
					c.ask(o.method, there, "", "Authorization", "Bearer not-this-one").wantError(http.StatusTooManyRequests, "too_many_wrong_tokens")
				})
			}
			if strings.Contains(o.path, "{") {
				if re := c.admin(o.method, o.at("nobody"), ""); re.Code != http.StatusNotFound {
					t.Errorf("%s of nobody: %d %s", o.id(), re.Code, re.Body)
				}
			}
			if o.in("requestBody").value != nil {
				c.badBodies(o.method, there)
			}
		}
		c.admin(http.MethodGet, "/api/v1/breakers?state=BROKEN", "").wantError(http.StatusBadRequest, "invalid_parameter")
		c.admin(http.MethodGet, "/api/v1/requests?limit=0", "").wantError(http.StatusBadRequest, "invalid_parameter")
	})
}

// crowded does something while as many answers to wrong tokens are held back as may be.
func (c *contract) crowded(do func()) {
	wrong := &c.server.wrong
	for range freeWrongTokens + 1 {
		wrong.note(localAddr, time.Now())
	}
	wrong.mu.Lock()
	waiting := wrong.waiting
	wrong.waiting = throttledWaiting
	wrong.mu.Unlock()
	defer func() {
		wrong.mu.Lock()
		defer wrong.mu.Unlock()
		wrong.waiting = waiting
	}()
	do()
}

// badBodies are broken, too large, encoded and too slow.
func (c *contract) badBodies(method, path string) {
	c.t.Helper()
	if re := c.admin(method, path, "{"); re.Code != http.StatusBadRequest {
		c.t.Errorf("%s %s with broken JSON: %d %s", method, path, re.Code, re.Body)
	}
	c.admin(method, path, strings.Repeat(" ", maxAdminBody+1)).wantError(http.StatusRequestEntityTooLarge, "request_too_large")
	c.admin(method, path, "{}", "Content-Encoding", "gzip").wantError(http.StatusUnsupportedMediaType, "unsupported_content_encoding")
	r := httptest.NewRequestWithContext(c.t.Context(), method, path, iotest.ErrReader(os.ErrDeadlineExceeded))
	r.Host, r.RemoteAddr = "localhost:4700", "127.0.0.1:40000"
	r.Header.Set("Authorization", "Bearer "+testAdminToken)
	c.held(c.serve(r), method, path, "").wantError(http.StatusRequestTimeout, "request_timeout")
}

// configured gives the server a configuration of a store and a file.
func configured(tb testing.TB, store config.Store, file string) func(*Options) {
	tb.Helper()
	return func(o *Options) {
		f, problems := config.ParseFile([]byte(file), func(string) (string, bool) { return "", false })
		sealer, err := config.NewSealer(make([]byte, 32))
		if err != nil || config.Errors(problems) {
			tb.Fatal(err, problems)
		}
		live, err := config.OpenLive(tb.Context(), config.LiveOptions{
			Store: store, Sealer: sealer, File: f,
			Apply: func(b *config.Built) {
				o.Breakers.Configure(context.Background(), b.Breakers)
				o.Router.Swap(b.Routing)
			},
		})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(live.Close)
		o.Config = live
	}
}

func conflictingDocuments(t *testing.T, all *contract) {
	synctest.Test(t, func(t *testing.T) {
		file := "keys: [{name: ops, value: key-in-the-file-0}]"
		c := all.with(newGateway(t, false, configured(t, &configtest.Documents{}, file)))
		provider := `{"id":"p","kind":"demo","models":["a","b"]}`
		inner := `{"name":"inner","targets":[{"provider":"p","model":"a"}]}`
		c.must(http.MethodPost, "/api/v1/providers", provider)
		c.must(http.MethodPost, "/api/v1/combos", inner)
		c.must(http.MethodPost, "/api/v1/combos", `{"name":"outer","targets":[{"combo":"inner"}]}`)
		id := c.must(http.MethodPost, "/api/v1/keys", `{"name":"one"}`).json()["id"].(string)

		for _, taken := range [][2]string{{"/api/v1/providers", provider}, {"/api/v1/combos", inner}, {"/api/v1/keys", `{"name":"one"}`}} {
			c.admin(http.MethodPost, taken[0], taken[1]).wantError(http.StatusConflict, "already_exists")
		}
		c.admin(http.MethodPut, "/api/v1/combos/outer", `{"name":"outer","aliases":["inner"],"targets":[{"provider":"p","model":"b"}]}`).
			wantError(http.StatusConflict, "already_exists")
		c.admin(http.MethodPut, "/api/v1/providers/p", `{"id":"p","kind":"demo","models":["b"]}`).wantError(http.StatusConflict, "in_use")
		c.admin(http.MethodDelete, "/api/v1/providers/p", "").wantError(http.StatusConflict, "in_use")
		c.admin(http.MethodDelete, "/api/v1/combos/inner", "").wantError(http.StatusConflict, "in_use")
		for _, k := range c.must(http.MethodGet, "/api/v1/keys", "").json()["keys"].([]any) {
			if k := k.(map[string]any); k["managed_by"] == "file" {
				c.admin(http.MethodDelete, "/api/v1/keys/"+k["id"].(string), "").wantError(http.StatusConflict, "managed_by_file")
			}
		}
		for path, body := range map[string]string{"/api/v1/providers/p": provider, "/api/v1/combos/inner": inner} {
			for _, method := range []string{http.MethodPut, http.MethodDelete} {
				c.admin(method, path, body, "If-Match", `"99"`).wantError(http.StatusConflict, "version_conflict")
			}
		}
		for _, path := range []string{"combos/outer", "combos/inner", "providers/p", "keys/" + id} {
			c.must(http.MethodDelete, "/api/v1/"+path, "")
		}
	})
}

// fullDisk keeps what it has and takes nothing more once it is full.
type fullDisk struct {
	config.Store
	full bool
}

var errDiskFull = errors.New("disk full")

func (d *fullDisk) PutDocument(ctx context.Context, collection, id string, body []byte) error {
	if d.full {
		return errDiskFull
	}
	return d.Store.PutDocument(ctx, collection, id, body)
}

func (d *fullDisk) DeleteDocument(ctx context.Context, collection, id string) error {
	if d.full {
		return errDiskFull
	}
	return d.Store.DeleteDocument(ctx, collection, id)
}

// buggyLog finds a bug instead of a request.
type buggyLog struct{ requestMemory }

func (*buggyLog) Request(context.Context, string) (StoredRequest, bool, error) { panic("a bug") }

func failingStores(t *testing.T, all *contract) {
	synctest.Test(t, func(t *testing.T) {
		disk, log := &fullDisk{Store: &configtest.Documents{}}, &requestMemory{}
		c := all.with(newGateway(t, false, configured(t, disk, ""), stored(log, config.RequestLog{})))
		provider, combo := `{"id":"%s","kind":"demo","enabled":%t}`, `{"name":"%s","aliases":["%s"],"targets":[{"provider":"used","model":"m"}]}`
		c.must(http.MethodPost, "/api/v1/providers", fmt.Sprintf(provider, "used", true))
		c.must(http.MethodPost, "/api/v1/providers", fmt.Sprintf(provider, "p", true))
		c.must(http.MethodPost, "/api/v1/combos", fmt.Sprintf(combo, "c", "old"))
		id := c.must(http.MethodPost, "/api/v1/keys", `{"name":"one"}`).json()["id"].(string)
		disk.full = true
		log.set(errDiskFull, false)
		for _, call := range [][3]string{
			{http.MethodPost, "providers", fmt.Sprintf(provider, "q", true)},
			{http.MethodPut, "providers/p", fmt.Sprintf(provider, "p", false)},
			{http.MethodDelete, "providers/p"},
			{http.MethodPost, "combos", fmt.Sprintf(combo, "d", "other")},
			{http.MethodPut, "combos/c", fmt.Sprintf(combo, "c", "new")},
			{http.MethodDelete, "combos/c"},
			{http.MethodPost, "keys", `{"name":"two"}`},
			{http.MethodDelete, "keys/" + id},
			{http.MethodGet, "requests/req_of_another_time"},
		} {
			re := c.admin(call[0], "/api/v1/"+call[1], call[2])
			re.wantError(http.StatusServiceUnavailable, "persistence_unavailable")
			if change := call[0] != http.MethodGet; change && re.Header().Get("Retry-After") != "5" {
				t.Errorf("%s %s: Retry-After %q", call[0], call[1], re.Header().Get("Retry-After"))
			}
		}
		c.must(http.MethodGet, "/api/v1/requests", "")

		buggy := all.with(newGateway(t, false, stored(&buggyLog{}, config.RequestLog{})))
		buggy.admin(http.MethodGet, "/api/v1/requests/x", "").wantError(http.StatusInternalServerError, "local")
	})
}
