package combo

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

func TestExplainSaysWhatTheWalkWouldDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m b/m small/m off/m fall/m", with(func(c *Combo) {
			c.Strategy = "round_robin"
			c.Targets[3].Drained = true
			c.Targets[4].OnlyOn = []providers.Kind{providers.RateLimit}
		}))
		r.model("small", Model{ContextWindow: 10})
		r.trip("target:b/m")
		r.wait(time.Second)
		req := r.request("c")
		req.Body = make([]byte, 1000)
		e, err := r.router.Explain("c", req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"combo":"c","strategy":"round_robin","candidates":[` +
			`{"provider":"a","model":"m","position":1,"admitted":true,"skip_reason":null,"breaker":null,"state":"CLOSED","retry_after_ms":null,"suspect":false},` +
			`{"provider":"b","model":"m","position":2,"admitted":false,"skip_reason":"open","breaker":"target:b/m","state":"OPEN","retry_after_ms":29000,"suspect":false},` +
			`{"provider":"small","model":"m","position":3,"admitted":false,"skip_reason":"context_window","breaker":null,"state":"CLOSED","retry_after_ms":null,"suspect":false},` +
			`{"provider":"fall","model":"m","position":4,"admitted":false,"skip_reason":"only_on","breaker":null,"state":"CLOSED","retry_after_ms":null,"suspect":false},` +
			`{"provider":"off","model":"m","position":5,"admitted":false,"skip_reason":"drained","breaker":null,"state":"CLOSED","retry_after_ms":null,"suspect":false}],` +
			`"when_exhausted":"fail_open"}`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestExplainChangesNoState(t *testing.T) {
	for _, strategy := range StrategyNames() {
		t.Run(strategy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "a/m b/m d/m", with(func(c *Combo) { c.Strategy = strategy }), twoKeys())
				r.trip("provider:b")
				r.wait(30 * time.Second) // the next request would probe
				before := r.looks()
				first, err := r.router.Explain("c", nil)
				if err != nil {
					t.Fatal(err)
				}
				for range 5 {
					if again, _ := r.router.Explain("c", nil); !reflect.DeepEqual(again, first) {
						t.Fatalf("first %+v, then %+v", first, again)
					}
				}
				if after := r.looks(); !reflect.DeepEqual(before, after) {
					t.Errorf("a breaker has changed: %+v\n%+v", before, after)
				}
				r.ask("c")
				if got := r.asked(); got[:3] != first.Candidates[0].Provider+"/m" {
					t.Errorf("asked %s, explained %+v", got, first.Candidates[0])
				}
			})
		})
	}
}

// looks is the listing of all breakers, but for when a breaker that nothing has happened to was made.
func (r *rig) looks() []circuitbreaker.Status {
	list := r.breakers.List(time.Now())
	for i := range list {
		if list[i].Version == 0 {
			list[i].UpdatedAt = time.Time{}
		}
	}
	return list
}

func TestExplainOfAnUnknownNameIs404(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m")
		if _, err := r.router.Explain("nobody", nil); err == nil || err.(*Error).Status != 404 {
			t.Errorf("got %v", err)
		}
	})
}

func TestExplainShowsTheKeyThatAdmits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "a/m", twoKeys())
		r.trip("key:a/k")
		if e, _ := r.router.Explain("a/m", nil); !e.Candidates[0].Admitted {
			t.Errorf("got %+v", e)
		}
		r.trip("key:a/l")
		if e, _ := r.router.Explain("a/m", nil); e.Candidates[0].Admitted || *e.Candidates[0].Breaker != "key:a/k" {
			t.Errorf("got %+v", e)
		}
	})
}
