package rules

import (
	"testing"
	"testing/synctest"
	"time"
)

// Suspects: a target that hangs is put last before the first time-out fires.

// hanging makes the pair with n streams that wait for one's first token, sent at the same time.
func (w *world) hanging(n int, measured string, members ...string) []*pending {
	w.t.Helper()
	one, _ := w.pair(append(members, `"keepalive":"0s"`)...)
	if measured != "" {
		one.Script("", "delay "+measured+"; chat from one")
		for range 20 {
			w.ask("c", true)
		}
	}
	one.Script("", "wait go; chat from one")
	var waiting []*pending
	for range n {
		waiting = append(waiting, w.begin("c", true))
	}
	synctest.Wait()
	return waiting
}

// after lets virtual time pass.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestATargetOnWhichFourWaitLongerThanUsualIsOrderedLast(t *testing.T) {
	tests := map[string]struct {
		waiting  int
		measured string
		patience time.Duration // 0: it never becomes suspect
	}{
		"30 s as long as little is measured": {4, "", 30 * time.Second},
		"at least 1 s":                       {4, "10ms", time.Second},
		"four times the p95":                 {4, "700ms", 2800 * time.Millisecond},
		"three are not enough":               {3, "10ms", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.patience == 0 {
				virtual(t, func(w *world) {
					waiting := w.hanging(test.waiting, test.measured)
					after(time.Minute)
					if got := w.plan("c"); got != "one/m, two/m" {
						w.t.Errorf("the order is %s", got)
					}
					w.host("one").Release("go")
					for _, p := range waiting {
						p.end().ok("from one")
					}
				})
				return
			}
			virtual(t, func(w *world) {
				waiting := w.hanging(test.waiting, test.measured)
				after(test.patience - time.Millisecond)
				if got := w.plan("c"); got != "one/m, two/m" {
					w.t.Errorf("a moment before: %s", got)
				}
				after(2 * time.Millisecond)
				if got := w.plan("c"); got != "two/m, one/m" {
					w.t.Errorf("a moment after: %s", got)
				}
				if last := w.explain("c", "")[1]; !last.Suspect || !last.Admitted {
					w.t.Errorf("explain says %+v", last)
				}
				w.ask("c", true).ok("from two")
				w.ask("c", false).ok("from two")
				w.triedIs("two/m ok")
				w.host("two").Script("", "error 400 unsupported_parameter x")
				refused := w.begin("c", true) // never refused: it is the last that is asked
				synctest.Wait()
				if n := len(w.host("one").Requests()); n < test.waiting+1 {
					w.t.Error("the suspect was not asked after all others")
				}
				if got := w.charged(); got != "" {
					w.t.Errorf("charged is %q", got)
				}
				w.host("one").Release("go")
				for _, p := range append(waiting, refused) {
					p.end().ok("from one")
				}
				if got := w.plan("c"); got != "one/m, two/m" {
					w.t.Errorf("after its first token: %s", got)
				}
			})
		})
	}
}

func TestPlainRequestsMakeNobodySuspect(t *testing.T) {
	virtual(t, func(w *world) {
		one, _ := w.pair()
		one.Script("", "wait go; chat from one")
		var waiting []*pending
		for range 8 {
			waiting = append(waiting, w.begin("c", false))
		}
		synctest.Wait()
		after(time.Minute)
		if got := w.plan("c"); got != "one/m, two/m" {
			w.t.Errorf("the order is %s", got)
		}
		one.Release("go")
		for _, p := range waiting {
			p.end().ok("from one")
		}
	})
}

func TestOneFirstTokenClearsASuspect(t *testing.T) {
	virtual(t, func(w *world) {
		waiting := w.hanging(8, "10ms")
		after(2 * time.Second)
		w.host("one").Script("", "chat from one")
		if got := w.plan("c"); got != "two/m, one/m" {
			w.t.Fatalf("the order is %s", got)
		}
		w.ask("one/m", true).ok("from one")
		if got := w.plan("c"); got != "one/m, two/m" {
			w.t.Errorf("the order is %s", got)
		}
		after(10 * time.Second) // those that were sent before the token are no evidence any more
		if got := w.plan("c"); got != "one/m, two/m" {
			w.t.Errorf("the order is %s", got)
		}
		w.host("one").Release("go")
		for _, p := range waiting {
			p.end().ok("from one")
		}
	})
}
