package rules

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing/synctest"
	"time"
)

// breaker is B of the admin API, as far as the rules need it.
type breaker struct {
	Name            string         `json:"name"`
	State           string         `json:"state"`
	Reason          string         `json:"reason"`
	FailureCount    int            `json:"failure_count"`
	KindCounts      map[string]int `json:"kind_counts"`
	LastFailureKind string         `json:"last_failure_kind"`
	OpenedAt        *time.Time     `json:"opened_at"`
	RetryAt         *time.Time     `json:"retry_at"`
	CooldownUntil   *time.Time     `json:"cooldown_until"`
	ProbesInFlight  int            `json:"probes_in_flight"`
	OpenCycle       int            `json:"open_cycle"`
	Version         uint64         `json:"version"`
	Transitions     []transition   `json:"transitions"`
}

type transition struct {
	From   string    `json:"from"`
	To     string    `json:"to"`
	Reason string    `json:"reason"`
	Kind   string    `json:"kind"`
	At     time.Time `json:"at"`
}

func (w *world) breaker(name string) breaker {
	w.t.Helper()
	var b breaker
	w.read("/api/v1/breakers/"+escaped(name), &b)
	return b
}

func (w *world) breakers() []breaker {
	w.t.Helper()
	var list struct {
		Breakers []breaker `json:"breakers"`
	}
	w.read("/api/v1/breakers", &list)
	return list.Breakers
}

// charged lists the breakers that a failure has reached, "provider:one 1" each.
func (w *world) charged() string {
	w.t.Helper()
	var all []string
	for _, b := range w.breakers() {
		if b.State != "CLOSED" || b.FailureCount > 0 {
			all = append(all, b.Name)
		}
	}
	return strings.Join(all, ", ")
}

// parkedFor is how long a breaker is still parked, openFor how long it stays open.
func (b breaker) parkedFor() time.Duration { return until(b.CooldownUntil) }
func (b breaker) openFor() time.Duration   { return until(b.RetryAt) }

// until is the time to a point as the API shows it, in milliseconds.
func until(at *time.Time) time.Duration {
	if at == nil {
		return 0
	}
	return time.Until(*at).Round(time.Millisecond)
}

// logged is a request in the request log.
type logged struct {
	Combo, Target, Outcome string
	Status                 int
	Kind, Code             string
	Stream                 bool
	Retries                int `json:"client_retry_count"`
	Attempts               attempts
	Usage                  *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	}
	FinishReason string `json:"finish_reason"`
	QueueMS      int64  `json:"queue_ms"`
}

// log is the request log, the newest first. In a bubble it is complete.
func (w *world) log() []logged {
	w.t.Helper()
	if w.pipes != nil {
		synctest.Wait()
	}
	var list struct {
		Requests []logged `json:"requests"`
	}
	w.read("/api/v1/requests?limit=1000", &list)
	return list.Requests
}

// last is the newest request of the log.
func (w *world) last() logged {
	w.t.Helper()
	all := w.log()
	if len(all) == 0 {
		w.t.Fatal("the request log is empty")
	}
	return all[0]
}

// tried is what the newest request tried.
func (w *world) tried() string {
	w.t.Helper()
	return w.last().Attempts.String()
}

// triedIs checks what the newest request tried.
func (w *world) triedIs(want string) {
	w.t.Helper()
	if got := w.tried(); got != want {
		w.t.Errorf("tried %q, want %q", got, want)
	}
}

// candidate is one of explain.
type candidate struct {
	Provider     string `json:"provider"`
	Model        string `json:"model"`
	Admitted     bool   `json:"admitted"`
	SkipReason   string `json:"skip_reason"`
	Breaker      string `json:"breaker"`
	State        string `json:"state"`
	RetryAfterMS int64  `json:"retry_after_ms"`
	Suspect      bool   `json:"suspect"`
}

// explain asks what the walk would do; body may be empty.
func (w *world) explain(name, body string) []candidate {
	w.t.Helper()
	r := w.must(http.MethodPost, "/api/v1/combos/"+escaped(name)+"/explain", body)
	var e struct {
		Candidates []candidate `json:"candidates"`
	}
	if err := json.Unmarshal([]byte(r.body), &e); err != nil {
		w.t.Fatalf("explain: %v in %s", err, r.body)
	}
	return e.Candidates
}

// plan is what explain says, in the form of attempts.String: "one/m !open, two/m".
func (w *world) plan(name string) string {
	w.t.Helper()
	var all []string
	for _, c := range w.explain(name, "") {
		s := c.Provider + "/" + c.Model
		if !c.Admitted {
			s += " !" + c.SkipReason
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// open puts a breaker into OPEN for its reset_timeout, by failures that count: the provider's model is asked directly
// until it is there.
func (w *world) open(h *host, provider, model string) {
	w.t.Helper()
	h.Script("", "error 403 - not for you")
	w.ask(provider+"/"+model, false)
	if b := w.breaker("target:" + provider + "/" + model); b.State != "OPEN" {
		w.t.Fatalf("the breaker is %s", b.State)
	}
	h.Forget()
}
