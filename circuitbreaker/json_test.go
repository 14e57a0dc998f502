package circuitbreaker_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// Spec: api.md, "B" and the payload of a transition.

func TestAStatusIsWrittenAsTheObjectOfTheAPI(t *testing.T) {
	at := time.Date(2027, 1, 2, 3, 4, 5, 678_900_000, time.FixedZone("", 3600))
	for name, test := range map[string]struct {
		status circuitbreaker.Status
		want   string
	}{
		"one never used": {
			circuitbreaker.New("target:openai/gpt-4o", rigSettings(), circuitbreaker.Options{Now: func() time.Time { return at }}).Status(at),
			`{"name":"target:openai/gpt-4o","scope":"target","state":"CLOSED","reason":null,"failure_count":0,"failure_threshold":5,` +
				`"degraded_at":3,"measure":"decay","measure_value":0,"kind_counts":{},"last_failure_kind":null,"last_failure_at":null,` +
				`"opened_at":null,"retry_at":null,"retry_after_ms":null,"open_cycle":0,"reset_timeout_ms":30000,` +
				`"effective_reset_timeout_ms":30000,"cooldown_until":null,"probes_in_flight":0,"half_open_requests":1,"enforce":true,` +
				`"would_be":null,"isolated":null,"version":0,"updated_at":"2027-01-02T02:04:05.678Z"}`,
		},
		"everything": {
			circuitbreaker.Status{
				Name: "key:p/k", Scope: circuitbreaker.ScopeKey, State: circuitbreaker.Closed, Reason: "threshold",
				FailureCount: 6, FailureThreshold: 5, DegradedAt: 0.3, Measure: circuitbreaker.Window, MeasureValue: 0.5,
				KindCounts:      map[circuitbreaker.Kind]int{"timeout": 1, "auth": 2},
				LastFailureKind: "auth", LastFailureAt: at, OpenedAt: at, RetryAt: at, RetryAfter: 1500*time.Microsecond + 1,
				OpenCycle: 2, ResetTimeout: time.Second, EffectiveResetTimeout: 4 * time.Second, CooldownUntil: at,
				ProbesInFlight: 1, HalfOpenRequests: 2, WouldBe: circuitbreaker.HalfOpen,
				Isolated: &circuitbreaker.Isolation{By: "ana", Reason: "billing", At: at}, Version: 7, UpdatedAt: at,
			},
			`{"name":"key:p/k","scope":"key","state":"CLOSED","reason":"threshold","failure_count":6,"failure_threshold":5,` +
				`"degraded_at":0.3,"measure":"window","measure_value":0.5,"kind_counts":{"auth":2,"timeout":1},"last_failure_kind":"auth",` +
				`"last_failure_at":"2027-01-02T02:04:05.678Z","opened_at":"2027-01-02T02:04:05.678Z","retry_at":"2027-01-02T02:04:05.678Z",` +
				`"retry_after_ms":2,"open_cycle":2,"reset_timeout_ms":1000,"effective_reset_timeout_ms":4000,` +
				`"cooldown_until":"2027-01-02T02:04:05.678Z","probes_in_flight":1,"half_open_requests":2,"enforce":false,` +
				`"would_be":"HALF_OPEN","isolated":{"by":"ana","reason":"billing","at":"2027-01-02T02:04:05.678Z"},"version":7,` +
				`"updated_at":"2027-01-02T02:04:05.678Z"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(test.status)
			if err != nil || string(got) != test.want {
				t.Fatalf("%v\n got %s\nwant %s", err, got, test.want)
			}
			var back circuitbreaker.Status
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			if again, _ := json.Marshal(back); string(again) != test.want {
				t.Errorf("read back and written again: %s", again)
			}
		})
	}
}

func TestATransitionIsWrittenAsTheEventOfTheAPI(t *testing.T) {
	tr := circuitbreaker.Transition{
		Name: "target:p/m", From: circuitbreaker.Degraded, To: circuitbreaker.Open, Reason: circuitbreaker.ReasonThreshold, Kind: "timeout",
		Measure: 5, Wait: 30*time.Second + 1, At: time.UnixMilli(1_800_000_000_000), Enforce: true, Seq: 9,
	}
	const want = `{"name":"target:p/m","from":"DEGRADED","to":"OPEN","reason":"threshold","kind":"timeout","measure":5,"wait_ms":30001,` +
		`"at":"2027-01-15T08:00:00.000Z","enforce":true}`
	got, err := json.Marshal(tr)
	if err != nil || string(got) != want {
		t.Fatalf("%v\n got %s\nwant %s", err, got, want)
	}
	var back circuitbreaker.Transition
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	tr.Seq, tr.Wait, tr.At = 0, 30_001*time.Millisecond, tr.At.UTC()
	if !reflect.DeepEqual(back, tr) {
		t.Errorf("read back %+v, want %+v", back, tr)
	}
}

func TestTheFiveWordsAreReadAndWrittenAndNothingElseIs(t *testing.T) {
	for _, word := range []string{"CLOSED", "DEGRADED", "OPEN", "HALF_OPEN", "ISOLATED"} {
		var s circuitbreaker.State
		if err := s.UnmarshalText([]byte(word)); err != nil || s.String() != word {
			t.Errorf("%s: %s, %v", word, s, err)
		}
		if text, err := s.MarshalText(); err != nil || string(text) != word {
			t.Errorf("%s: %s, %v", word, text, err)
		}
	}
	var s circuitbreaker.State
	for _, word := range []string{"", "open", "HALF-OPEN"} {
		if s.UnmarshalText([]byte(word)) == nil {
			t.Errorf("%q was read as %s", word, s)
		}
	}
	if text, err := circuitbreaker.State(9).MarshalText(); err == nil {
		t.Errorf("state 9 was written as %q", text)
	}
}
