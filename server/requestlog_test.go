package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/config"
	"github.com/ohmroute/ohmroute/providers"
)

// stored makes an option of a store and of what is kept.
func stored(store RequestStore, keep config.RequestLog) func(*Options) {
	return func(o *Options) { o.Requests, o.Settings.RequestLog = store, keep }
}

// talk sends n requests that are answered and gives their ids, the newest first.
func (g *gateway) talk(n int) (ids []string) {
	g.t.Helper()
	for range n {
		re := g.ask(http.MethodPost, "/v1/chat/completions", plainBody)
		if re.Code != http.StatusOK {
			g.t.Fatalf("status %d: %s", re.Code, re.Body)
		}
		ids = append([]string{re.Header().Get("X-Request-Id")}, ids...)
	}
	return ids
}

// listing is one page of /api/v1/requests.
type listing struct {
	Requests    []loggedRow `json:"requests"`
	Next        *string     `json:"next"`
	Persistence struct {
		Status string `json:"status"`
	} `json:"persistence"`
}

type loggedRow struct {
	ID     string `json:"id"`
	Status int    `json:"status"`
}

func (g *gateway) listed(query string) (ids []string, page listing) {
	g.t.Helper()
	re := g.must(http.MethodGet, "/api/v1/requests?"+query, "")
	if err := json.Unmarshal(re.Body.Bytes(), &page); err != nil {
		g.t.Fatal(err)
	}
	for _, r := range page.Requests {
		ids = append(ids, r.ID)
	}
	return ids, page
}

// pages reads the whole log page by page.
func (g *gateway) pages(limit int) (ids []string) {
	g.t.Helper()
	for query := fmt.Sprintf("limit=%d", limit); ; {
		more, page := g.listed(query)
		ids = append(ids, more...)
		if page.Next == nil {
			return ids
		}
		if len(more) != limit {
			g.t.Errorf("a page of %d that is not the last one, want %d", len(more), limit)
		}
		query = fmt.Sprintf("limit=%d&before=%s", limit, *page.Next)
	}
}

const helloAnswer = `{"choices":[{"message":{"content":"the-answer"},"finish_reason":"stop"}]}`

// inLoggedBubble runs a test against a gateway that keeps its requests in store.
func inLoggedBubble(t *testing.T, store *requestMemory, keep config.RequestLog, test func(g *gateway)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := newGateway(t, false, stored(store, keep))
		g.route(plain(helloAnswer))
		synctest.Wait()
		test(g)
	})
}

func TestARequestThatWasAnsweredIsListedAtOnceAndThenStored(t *testing.T) {
	store := &requestMemory{}
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) {
		t := g.t
		ids := g.talk(3)
		if got, page := g.listed(""); !slices.Equal(got, ids) || page.Persistence.Status != persistenceOK || page.Next != nil {
			t.Errorf("listed %v, %+v, want %v", got, page, ids)
		}
		if store.ids() != nil {
			t.Error("the store was written for each request")
		}
		time.Sleep(flushInterval) // the bubble's clock
		synctest.Wait()
		if got := store.ids(); !slices.Equal(got, ids) {
			t.Errorf("stored %v, want %v", got, ids)
		}
		if got := store.appended(); !slices.Equal(got, []int{3}) {
			t.Errorf("stored in batches of %v, want one of 3", got)
		}
		if got, _ := g.listed(""); !slices.Equal(got, ids) {
			t.Errorf("listed %v when stored, want %v", got, ids)
		}
		shown := g.must(http.MethodGet, "/api/v1/requests/"+ids[1], "").json()
		if shown["id"] != ids[1] || shown["status"] != 200.0 {
			t.Errorf("shown %v", shown)
		}
		g.admin(http.MethodGet, "/api/v1/requests/req_none", "").wantError(http.StatusNotFound, "not_found")
	})
}

// TestALogUnderLoadIsTrimmedOnceASecond: and not after each batch.
func TestALogUnderLoadIsTrimmedOnceASecond(t *testing.T) {
	store := &requestMemory{}
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) {
		for range 5 {
			g.talk(batchSize)
			synctest.Wait()
		}
		if n := len(store.trimmed()); n != 1 {
			g.t.Errorf("looked %d times for what is too much in no time, want once", n)
		}
		time.Sleep(flushInterval) // the bubble's clock
		g.talk(batchSize)
		synctest.Wait()
		if n := len(store.trimmed()); n != 2 {
			g.t.Errorf("looked %d times in a second, want twice", n)
		}
	})
}

func TestManyRequestsAreStoredWithoutWaiting(t *testing.T) {
	store := &requestMemory{}
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) {
		began := time.Now()
		g.talk(batchSize)
		synctest.Wait()
		if n := len(store.ids()); n != batchSize || time.Since(began) != 0 {
			g.t.Errorf("%d stored after %s, want %d at once", n, time.Since(began), batchSize)
		}
		g.talk(3 * batchSize)
		synctest.Wait()
		for _, n := range store.appended() {
			if n > batchSize {
				g.t.Errorf("a batch of %d", n)
			}
		}
	})
}

func TestTheLogSurvivesARestart(t *testing.T) {
	store := &requestMemory{}
	var ids []string
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) { ids = g.talk(5) })
	if got := store.ids(); !slices.Equal(got, ids) {
		t.Fatalf("stored %v at the end, want %v", got, ids)
	}
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) { // its clock begins anew: it was set back
		t := g.t
		if got, _ := g.listed(""); !slices.Equal(got, ids) {
			t.Errorf("listed %v, want %v", got, ids)
		}
		ids = append(g.talk(3), ids...)
		for _, limit := range []int{1, 2, 3, 7, 8, 9} {
			if got := g.pages(limit); !slices.Equal(got, ids) {
				t.Errorf("in pages of %d: %v, want %v", limit, got, ids)
			}
		}
		time.Sleep(flushInterval)
		ids = append(g.talk(1), ids...)
		if got := g.pages(2); !slices.Equal(got, ids) {
			t.Errorf("in memory and stored: %v, want %v", got, ids)
		}
		oldest := ids[len(ids)-1]
		if shown := g.must(http.MethodGet, "/api/v1/requests/"+oldest, "").json(); shown["id"] != oldest {
			t.Errorf("shown %v", shown)
		}
	})
}

func TestListingsOfRequestsAreFilteredAndBounded(t *testing.T) {
	store := &requestMemory{}
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) {
		t := g.t
		ids := g.talk(2)
		time.Sleep(flushInterval)
		refused := g.ask(http.MethodPost, "/v1/chat/completions", `{"model":"nobody","messages":[]}`).Header().Get("X-Request-Id")
		ids = append(g.talk(1), ids...)
		for query, want := range map[string][]string{
			"combo=c":                    ids,
			"combo=c&limit=2":            ids[:2],
			"combo=d":                    nil,
			"outcome=ok":                 ids,
			"outcome=rejected":           {refused},
			"outcome=ok&combo=c&limit=1": ids[:1],
			"outcome=failed":             nil,
			"limit=2":                    {ids[0], refused},
		} {
			if got, _ := g.listed(query); !slices.Equal(got, want) {
				t.Errorf("%s: listed %v, want %v", query, got, want)
			}
		}
		for _, query := range []string{"limit=0", "limit=1001", "limit=x", "limit=-1", "outcome=perhaps", "before=x", "before=0", "before=99999999999999999999"} {
			name, _, _ := strings.Cut(query, "=")
			e := g.admin(http.MethodGet, "/api/v1/requests?"+query, "").wantError(http.StatusBadRequest, "invalid_parameter")
			if e["param"] != name {
				t.Errorf("%s: the error names %v", query, e["param"])
			}
		}
	})
}

func TestARowThatCanNotBeReadHidesNoOther(t *testing.T) {
	store := &requestMemory{rows: []StoredRequest{{Seq: 1, ID: "a", At: noon, Body: []byte(`{"id":"a"}`)}, {Seq: 2, ID: "b", At: noon, Body: []byte(`{"id":`)}}}
	inLoggedBubble(t, store, config.RequestLog{}, func(g *gateway) {
		ids := append(g.talk(1), "a")
		if got, page := g.listed("limit=2"); !slices.Equal(got, ids) {
			g.t.Errorf("listed %v, %+v, want %v", got, page, ids)
		}
		g.admin(http.MethodGet, "/api/v1/requests/b", "").wantError(http.StatusNotFound, "not_found")
	})
}

func TestTheLogTellsWhoAskedHowOftenAndHowLong(t *testing.T) {
	store := &requestMemory{}
	synctest.Test(t, func(t *testing.T) {
		g := newGateway(t, false, stored(store, config.RequestLog{}))
		key := g.must(http.MethodPost, "/api/v1/keys", `{"name":"my key"}`).json()["key"].(string)
		g.route(failing(2*time.Second, serverError()), plain(helloAnswer))
		synctest.Wait()
		body := strings.Replace(plainBody, "hi", "the-prompt", 1)
		re := g.ask(http.MethodPost, "/v1/chat/completions", body, "Authorization", "Bearer "+key, "X-Stainless-Retry-Count", "2")
		time.Sleep(flushInterval)
		synctest.Wait()
		got := g.must(http.MethodGet, "/api/v1/requests/"+re.Header().Get("X-Request-Id"), "").json()
		for member, want := range map[string]any{
			"client_key": "my key", "client_retry_count": 2.0, "status": 200.0, "outcome": "ok", "combo": "c", "target": "b/m",
			"total_ms": 2000.0, "first_token_ms": 2000.0, "queue_ms": 0.0, "upstream_ms": 2000.0, "endpoint": "chat", "stream": false,
		} {
			if got[member] != want {
				t.Errorf("%s is %v, want %v", member, got[member], want)
			}
		}
		attempts := got["attempts"].([]any)
		if len(attempts) != 2 || attempts[0].(map[string]any)["start_ms"] != 0.0 || attempts[1].(map[string]any)["start_ms"] != 2000.0 {
			t.Errorf("attempts %v, want two that began after 0 and 2000 ms", attempts)
		}
		kept := string(store.rows[0].Body)
		for _, secret := range []string{key, "the-prompt", "the-answer"} {
			if strings.Contains(kept, secret) {
				t.Errorf("%q is stored: %s", secret, kept)
			}
		}
	})
}

func TestWhatOthersWroteIsKeptShort(t *testing.T) {
	g := newGateway(t, false)
	long := strings.Repeat("x", 1<<20)
	g.ask(http.MethodPost, "/v1/chat/completions", `{"model":"`+long+`","messages":[]}`)
	g.server.finish(&exchange{}, &combo.Report{RequestID: "r", Code: long, FinishReason: long, UpstreamID: long, Outcome: combo.OutcomeOK, Start: time.Now()})
	if re := g.must(http.MethodGet, "/api/v1/requests", ""); re.Body.Len() > 5000 || len(re.json()["requests"].([]any)) != 2 {
		t.Errorf("the listing has %d bytes", re.Body.Len())
	}
}

func TestARequestThatTheRouterLeftWithoutAnAnswerIsLogged(t *testing.T) {
	g := newGateway(t, false)
	g.server.finish(&exchange{id: "req_bug", start: time.Now(), status: 500}, &combo.Report{})
	row := g.must(http.MethodGet, "/api/v1/requests/req_bug", "").json()
	if row["outcome"] != "failed" || row["status"] != 500.0 {
		t.Errorf("logged %v", row)
	}
}

func TestTotalsHoldWhatWasAnsweredBefore(t *testing.T) {
	g := newGateway(t, false)
	g.route(plain(helloAnswer))
	g.talk(200)
	stats := g.must(http.MethodGet, "/api/v1/stats", "").json()
	combos := stats["combos"].([]any)
	if len(combos) != 1 || combos[0].(map[string]any)["requests"] != 200.0 {
		t.Errorf("stats say %v", stats)
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	g := newGateway(t, false, stored(&requestMemory{}, config.RequestLog{}))
	f := ended(1)
	if n := testing.AllocsPerRun(100, func() { g.server.recorder.journal.add(f) }); n > 0 {
		t.Errorf("%v allocations for a request", n)
	}
}

func TestALoggedRequestIsJSONWhateverItsTextsAre(t *testing.T) {
	for _, text := range []string{"", "plain", `quo"te\`, "line\nbreak\t\x00", "ünï→😀", "bad\xff\xfeutf8", "<&>\u2028", strings.Repeat("x", 5000)} {
		f := finished{key: text, retries: 3, report: combo.Report{
			RequestID: text, Endpoint: text, Combo: text, Model: text, Target: text, Outcome: text, Kind: providers.Kind(text), Code: text,
			Status: 503, Stream: true, Queue: time.Second, Connect: 2 * time.Second, FirstToken: 3 * time.Second, Upstream: 4 * time.Second,
			Total: 5 * time.Second, Usage: &providers.Usage{InputTokens: 1, OutputTokens: 2, CachedTokens: 3, ReasoningTokens: 4},
			FinishReason: text, UpstreamID: text, Start: noon,
			Attempts: []combo.Attempt{
				{Provider: text, Model: text, Key: text, Outcome: combo.OK, Status: 200, Start: noon.Add(1500 * time.Millisecond), Duration: time.Second, FirstToken: time.Millisecond, Probe: true},
				{Provider: text, Model: text, Outcome: combo.Failed, Kind: providers.Kind(text), Start: noon, Forced: true},
				{Provider: text, Model: text, Outcome: combo.Skipped, SkipReason: combo.SkipReason(text)},
			},
		}}
		attempts := members(t, f.report.Attempts)
		attempts[0]["start_ms"], attempts[1]["start_ms"], attempts[2]["start_ms"] = 1500, 0, nil
		want := map[string]any{
			"id": text, "at": "2030-01-01T12:00:00.000Z", "endpoint": text, "combo": orNull(text), "model": text, "target": orNull(text),
			"outcome": text, "status": 503, "kind": orNull(text), "code": orNull(text), "stream": true, "client_key": orNull(text),
			"client_retry_count": 3, "attempts": attempts, "queue_ms": 1000, "connect_ms": 2000, "first_token_ms": 3000,
			"upstream_ms": 4000, "total_ms": 5000,
			"usage":         map[string]int{"input_tokens": 1, "output_tokens": 2, "cached_tokens": 3, "reasoning_tokens": 4},
			"finish_reason": orNull(text), "upstream_request_id": orNull(text),
		}
		sameJSON(t, f.json(), want)
	}
	bare := finished{report: combo.Report{RequestID: "r", Outcome: combo.OutcomeUnavailable, Start: noon}}
	sameJSON(t, bare.json(), map[string]any{
		"id": "r", "at": "2030-01-01T12:00:00.000Z", "endpoint": "", "combo": nil, "model": "", "target": nil, "outcome": "unavailable",
		"status": 0, "kind": nil, "code": nil, "stream": false, "client_key": nil, "client_retry_count": 0, "attempts": []any{},
		"queue_ms": 0, "connect_ms": 0, "first_token_ms": nil, "upstream_ms": 0, "total_ms": 0, "usage": nil, "finish_reason": nil,
		"upstream_request_id": nil,
	})
}

// members are those of the elements of a list as encoding/json writes them.
func members(t *testing.T, list any) (all []map[string]any) {
	t.Helper()
	text, err := json.Marshal(list)
	if err := errors.Join(err, json.Unmarshal(text, &all)); err != nil {
		t.Fatal(err)
	}
	return all
}

// sameJSON checks that body says what encoding/json says of want.
func sameJSON(t *testing.T, body []byte, want any) {
	t.Helper()
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(body, &a), json.Unmarshal(text, &b)); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("got %s\nwant %s", body, text)
	}
}
