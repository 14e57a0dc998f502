package circuitbreaker

import (
	"math"
	"testing"
	"time"
)

func TestMomentsSaturate(t *testing.T) {
	if got := moment(math.MaxInt64 - 5).plus(10); got != never-1 {
		t.Errorf("plus wrapped to %d", got)
	}
	if got := moment(math.MaxInt64 - 5).since(-10); got != math.MaxInt64 {
		t.Errorf("since wrapped to %d", got)
	}
	if got := moment(5).since(never); got >= 0 {
		t.Errorf("since wrapped to %d", got)
	}
}

func TestTimesShownFollowAWallClockThatIsSetAndHeedNoSmallDrift(t *testing.T) {
	for name, test := range map[string]struct{ drift, shown time.Duration }{
		"set by an hour": {-time.Hour, 0},
		"a small drift":  {maxDrift / 2, maxDrift / 2},
	} {
		t.Run(name, func(t *testing.T) {
			zero := time.Unix(1_700_000_000, 0)
			c, now := newClock(func() time.Time { return zero }), zero.Add(time.Minute)
			before, wrong := c.moment(now), c.zero.Add(test.drift)
			c.wall.Store(&wrong)
			c.observe(now)
			if got := c.time(before).Round(0).Sub(now.Round(0)); got != test.shown {
				t.Errorf("shown %v off, want %v", got, test.shown)
			}
			if c.moment(now) != before {
				t.Error("the moment moved")
			}
		})
	}
}

func TestTheSequenceNeverGoesBack(t *testing.T) {
	var s sequence
	s.seed(10)
	s.seed(5)
	if got := s.next(); got != 11 {
		t.Errorf("number %d, want 11", got)
	}
}
