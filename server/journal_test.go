package server

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ohmroute/ohmroute/combo"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// ended is the n-th request of a test: every third of another combo, every fifth failed, one a second.
func ended(n int) *finished {
	f := &finished{report: combo.Report{
		RequestID: strconv.Itoa(n), Combo: "c", Model: "c", Outcome: combo.OutcomeOK, Status: 200, Start: noon.Add(time.Duration(n) * time.Second),
	}}
	if n%3 == 0 {
		f.report.Combo = "d"
	}
	if n%5 == 0 {
		f.report.Outcome, f.report.Status = combo.OutcomeFailed, 503
	}
	return f
}

func numbers(found []finished) (ids []int) {
	for i := range found {
		n, _ := strconv.Atoi(found[i].report.RequestID)
		ids = append(ids, n)
	}
	return ids
}

func TestTheJournalGivesTheNewestFirst(t *testing.T) {
	j := newJournal(20)
	for n := 1; n <= 30; n++ {
		j.add(ended(n))
	}
	seqOf := func(n int) int64 {
		f, ok := j.find(strconv.Itoa(n))
		if !ok {
			t.Fatalf("there is no request %d", n)
		}
		return f.seq
	}
	for name, test := range map[string]struct {
		q    RequestQuery
		want []int
	}{
		"the newest":                  {RequestQuery{Limit: 3}, []int{30, 29, 28}},
		"before one":                  {RequestQuery{Limit: 3, Before: seqOf(28)}, []int{27, 26, 25}},
		"no more than are kept":       {RequestQuery{Limit: 9, Before: seqOf(13)}, []int{12, 11}},
		"of a combo":                  {RequestQuery{Limit: 2, Combo: "d", Before: seqOf(29)}, []int{27, 24}},
		"with an outcome":             {RequestQuery{Limit: 2, Outcome: combo.OutcomeFailed}, []int{30, 25}},
		"of a combo with an outcome":  {RequestQuery{Limit: 9, Combo: "d", Outcome: combo.OutcomeFailed}, []int{30, 15}},
		"since a time":                {RequestQuery{Limit: 9, Since: noon.Add(29 * time.Second)}, []int{30, 29}},
		"of a combo that never was":   {RequestQuery{Limit: 9, Combo: "e"}, nil},
		"before everything that is":   {RequestQuery{Limit: 9, Before: 1}, nil},
		"an outcome that never was":   {RequestQuery{Limit: 9, Outcome: "x"}, nil},
		"since a time that will come": {RequestQuery{Limit: 9, Since: noon.Add(time.Hour)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, oldest := j.newest(&test.q)
			if got := numbers(found); !slices.Equal(got, test.want) {
				t.Errorf("found %v, want %v", got, test.want)
			}
			if oldest != seqOf(11) {
				t.Errorf("the oldest is %d", oldest)
			}
		})
	}
	if _, ok := j.find("10"); ok {
		t.Error("a request that was given up is there")
	}
}

func TestTheOrderIsThatOfTheEndsWhateverTheClockSays(t *testing.T) {
	j := newJournal(10)
	j.continueAfter(noon.Add(time.Hour).UnixNano()) // of a process whose clock was ahead
	last := noon.Add(time.Hour).UnixNano()
	for _, start := range []time.Time{noon, noon, noon.Add(-time.Hour), noon.Add(2 * time.Hour), {}, noon} {
		j.add(&finished{report: combo.Report{Start: start}})
		found, _ := j.newest(&RequestQuery{Limit: 1})
		if len(found) != 1 || found[0].seq <= last {
			t.Fatalf("found %+v, want one after %d", found, last)
		}
		last = found[0].seq
	}
	if found, oldest := j.newest(&RequestQuery{Limit: 20}); len(found) != 6 || oldest != 0 {
		t.Errorf("found %d, the oldest is %d although none was given up", len(found), oldest)
	}
}

func TestAFollowerTakesEverythingInOrderOrKnowsWhatItMissed(t *testing.T) {
	j := newJournal(10)
	f := j.follow()
	take := func(room int) ([]int, uint64) {
		batch, missed := f.take(make([]finished, 0, room))
		return numbers(batch), missed
	}
	if got, missed := take(5); got != nil || missed != 0 {
		t.Errorf("took %v, missed %d before there was any", got, missed)
	}
	for n := 1; n <= 8; n++ {
		j.add(ended(n))
	}
	if got, missed := take(3); !slices.Equal(got, []int{1, 2, 3}) || missed != 0 {
		t.Errorf("took %v, missed %d", got, missed)
	}
	for n := 9; n <= 17; n++ {
		j.add(ended(n))
	}
	if got, missed := take(3); !slices.Equal(got, []int{8, 9, 10}) || missed != 4 {
		t.Errorf("took %v, missed %d, want 4 to 7", got, missed)
	}
	if got, missed := take(20); !slices.Equal(got, []int{11, 12, 13, 14, 15, 16, 17}) || missed != 0 {
		t.Errorf("took %v, missed %d", got, missed)
	}
}

func TestAFollowerWaits(t *testing.T) {
	for name, test := range map[string]struct {
		size, before int // requests that are there when it begins to wait
		after        int // that come a second later
		idle         time.Duration
		hurry        bool // a second later
		want         time.Duration
	}{
		"a while after the first":             {size: 1000, after: 1, want: 11 * time.Second},
		"a while if there is one already":     {size: 1000, before: 1, after: 1, want: 10 * time.Second},
		"not when many have come":             {size: 1000, after: batchSize, want: time.Second},
		"not when half of a small one is new": {size: 8, after: 4, want: time.Second},
		"not when it is to hurry":             {size: 1000, after: 1, hurry: true, want: time.Second},
		"not when it is to hurry for nothing": {size: 1000, hurry: true, want: time.Second},
		"idly for so long":                    {size: 1000, idle: time.Minute, want: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := newJournal(test.size)
				f := j.follow()
				for n := range test.before {
					j.add(ended(n))
				}
				time.AfterFunc(time.Second, func() {
					for n := range test.after {
						j.add(ended(n))
					}
					if test.hurry {
						f.hurry()
					}
				})
				began := time.Now()
				f.wait(t.Context(), 10*time.Second, test.idle)
				if waited := time.Since(began); waited != test.want {
					t.Errorf("waited %s, want %s", waited, test.want)
				}
			})
		})
	}
}
