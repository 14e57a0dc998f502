package server

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestASessionEndsTwelveHoursAfterItsLastUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		defer s.close()
		secret, opened := s.begin(time.Now())
		for range 3 {
			time.Sleep(sessionIdle - time.Second)
			if s.use(secret, time.Now()) != opened {
				t.Fatal("a session that is used has ended")
			}
		}
		time.Sleep(sessionIdle)
		synctest.Wait()
		if s.use(secret, time.Now().Add(time.Nanosecond)) != nil {
			t.Error("it is open after twelve hours without use")
		}
		if opened.ended.Err() == nil || len(s.open) != 0 {
			t.Error("it is still kept")
		}
	})
}

func TestSessionsAreBoundedAndTheLeastUsedOneGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		defer s.close()
		secrets := make([]string, sessionsMax)
		for i := range secrets {
			secrets[i], _ = s.begin(time.Now())
			time.Sleep(time.Second)
		}
		s.use(secrets[0], time.Now())
		s.begin(time.Now())
		if len(s.open) != sessionsMax {
			t.Errorf("%d sessions are open", len(s.open))
		}
		if s.use(secrets[1], time.Now()) != nil {
			t.Error("the one that was not used for longest is still open")
		}
		if s.use(secrets[0], time.Now()) == nil {
			t.Error("one that was used meanwhile is gone")
		}
	})
}

func TestASecretIsLongRandomAndNotKept(t *testing.T) {
	var s sessions
	defer s.close()
	seen := map[string]bool{}
	for range 20 {
		secret, opened := s.begin(time.Now())
		if len(secret) != 43 || seen[secret] {
			t.Fatalf("secret %q", secret)
		}
		seen[secret] = true
		if strings.Contains(string(opened.id[:]), secret) || s.open[opened.id] != opened {
			t.Error("it is not kept by its hash")
		}
	}
	for _, wrong := range []string{"", "x", strings.Repeat("A", 43)} {
		if s.use(wrong, time.Now()) != nil {
			t.Errorf("%q opens a session", wrong)
		}
	}
}
