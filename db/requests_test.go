package db

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
)

var noon = time.UnixMilli(1_900_000_000_000).UTC()

// request is the n-th request of a log: every third of another combo, every fifth failed, one a second.
func request(n int) Request {
	r := Request{
		Seq: int64(n), ID: fmt.Sprintf("req_%d", n), At: noon.Add(time.Duration(n) * time.Second), Combo: "fast", Outcome: "ok",
		Status: 200, Body: fmt.Appendf(nil, `{"n":%d}`, n),
	}
	if n%3 == 0 {
		r.Combo = "slow"
	}
	if n%5 == 0 {
		r.Outcome, r.Status = "failed", 503
	}
	return r
}

// log stores the requests from first to last.
func log(t *testing.T, d *DB, first, last int) {
	t.Helper()
	var batch []Request
	for n := first; n <= last; n++ {
		batch = append(batch, request(n))
	}
	if err := d.AppendRequests(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// listed are the requests that q asks for, by their Seq.
func listed(t *testing.T, d *DB, q RequestQuery) []int64 {
	t.Helper()
	found, err := d.Requests(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var seqs []int64
	for _, r := range found {
		if !reflect.DeepEqual(r, request(int(r.Seq))) {
			t.Errorf("found %+v, want %+v", r, request(int(r.Seq)))
		}
		seqs = append(seqs, r.Seq)
	}
	return seqs
}

func TestRequestsAreListedNewestFirst(t *testing.T) {
	path := newPath(t)
	d := open(t, path)
	log(t, d, 1, 20)
	closed(t, d)
	d = open(t, path)
	log(t, d, 21, 31)
	for name, test := range map[string]struct {
		q    RequestQuery
		want []int64
	}{
		"the newest":                      {RequestQuery{Limit: 3}, []int64{31, 30, 29}},
		"the next page":                   {RequestQuery{Limit: 3, Before: 29}, []int64{28, 27, 26}},
		"the last page":                   {RequestQuery{Limit: 3, Before: 3}, []int64{2, 1}},
		"behind the last":                 {RequestQuery{Limit: 3, Before: 1}, nil},
		"of a combo":                      {RequestQuery{Limit: 4, Combo: "slow", Before: 25}, []int64{24, 21, 18, 15}},
		"with an outcome":                 {RequestQuery{Limit: 4, Outcome: "failed"}, []int64{30, 25, 20, 15}},
		"that ended well":                 {RequestQuery{Limit: 4, Outcome: "ok", Before: 31}, []int64{29, 28, 27, 26}},
		"of a combo with an outcome":      {RequestQuery{Limit: 4, Combo: "slow", Outcome: "failed"}, []int64{30, 15}},
		"of a combo that never was":       {RequestQuery{Limit: 4, Combo: "none"}, nil},
		"since a time":                    {RequestQuery{Limit: 9, Since: noon.Add(29 * time.Second)}, []int64{31, 30, 29}},
		"since a time, with an outcome":   {RequestQuery{Limit: 9, Outcome: "failed", Since: noon.Add(21 * time.Second)}, []int64{30, 25}},
		"no more than none":               {RequestQuery{}, nil},
		"more than there are":             {RequestQuery{Limit: 100, Combo: "slow", Before: 8}, []int64{6, 3}},
		"a name that looks like a clause": {RequestQuery{Limit: 9, Combo: "' OR 1=1 --"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := listed(t, d, test.q); !slices.Equal(got, test.want) {
				t.Errorf("listed %v, want %v", got, test.want)
			}
		})
	}
}

func TestARequestIsFoundByItsID(t *testing.T) {
	d := open(t, newPath(t))
	log(t, d, 1, 5)
	if got, ok, err := d.Request(t.Context(), "req_4"); err != nil || !ok || !reflect.DeepEqual(got, request(4)) {
		t.Errorf("found %+v, %v, %v", got, ok, err)
	}
	if got, ok, err := d.Request(t.Context(), "req_6"); err != nil || ok {
		t.Errorf("found %+v, %v, %v", got, ok, err)
	}
}

func TestAppendingABatchAgainChangesNothing(t *testing.T) {
	path := newPath(t)
	d := open(t, path)
	log(t, d, 1, 5)
	again := []Request{request(4), request(5), request(6)}
	again[0].Body = []byte("another")
	again[1].Seq = 50 // the same id
	if err := d.AppendRequests(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, d, RequestQuery{Limit: 9}); !slices.Equal(got, []int64{6, 5, 4, 3, 2, 1}) {
		t.Errorf("listed %v", got)
	}
	counted(t, d)
}

func TestABatchOfRequestsIsStoredWholeOrNotAtAll(t *testing.T) {
	d := open(t, newPath(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.AppendRequests(ctx, []Request{request(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("AppendRequests: %v", err)
	}
	if got := listed(t, d, RequestQuery{Limit: 9}); got != nil {
		t.Errorf("listed %v", got)
	}
	if err := d.AppendRequests(t.Context(), []Request{{Seq: 1, ID: "req_1"}}); err != nil {
		t.Errorf("a request without a body: %v", err)
	}
}

// counted checks that the counts that are kept are those of the table, and gives the number.
func counted(t *testing.T, d *DB) int64 {
	t.Helper()
	var kept, stored []requestsTotal
	err := d.read(t.Context(), func(reader *sqlx.DB) error {
		return errors.Join(reader.Select(&kept, requestsSize),
			reader.Select(&stored, "SELECT count(*) AS number, coalesce(sum(length(body)), 0) AS bytes FROM requests"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(kept, stored) {
		t.Errorf("counted %+v, there are %+v", kept, stored)
	}
	return stored[0].Number
}

// trim removes everything that has to go and gives the number of transactions that took.
func trim(t *testing.T, d *DB, since time.Time, number int, bytes int64) int {
	t.Helper()
	for n := 1; ; n++ {
		before := counted(t, d)
		more, err := d.TrimRequests(t.Context(), since, number, bytes)
		if err != nil {
			t.Fatal(err)
		}
		if gone := before - counted(t, d); gone > 2*trimmedAtOnce {
			t.Errorf("one transaction removed %d requests", gone)
		}
		if !more {
			return n
		}
	}
}

func TestRequestsAreTrimmedByAgeNumberAndSize(t *testing.T) {
	const many, number, bytes = 1100, 1_000_000, 1 << 30
	each := int64(len(request(1000).Body)) + bytesBesideBody
	for name, test := range map[string]struct {
		since  time.Time
		number int
		bytes  int64
		first  int64 // that is left
		atMost int   // transactions
	}{
		"nothing is over":         {time.Time{}, number, bytes, 1, 1},
		"exactly at the limit":    {noon.Add(time.Second), many, bytes, 1, 1},
		"one too many":            {time.Time{}, many - 1, bytes, 2, 1},
		"too old":                 {noon.Add(801 * time.Second), number, bytes, 801, 4},
		"too many":                {time.Time{}, 50, bytes, 1051, 5},
		"too large":               {time.Time{}, number, 90*each + 1, 1011, 5},
		"old, many and large":     {noon.Add(500 * time.Second), 300, 200 * each, 901, 5},
		"everything":              {noon.Add(time.Hour), number, bytes, 0, 6},
		"a limit of hardly a row": {time.Time{}, number, 1, 0, 6},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, newPath(t))
			log(t, d, 1, many)
			if n := trim(t, d, test.since, test.number, test.bytes); n > test.atMost {
				t.Errorf("took %d transactions, want at most %d", n, test.atMost)
			}
			left := listed(t, d, RequestQuery{Limit: many})
			switch {
			case test.first == 0 && len(left) > 0:
				t.Errorf("%d are left", len(left))
			case test.first > 0 && (len(left) == 0 || left[0] != many || left[len(left)-1] != test.first):
				t.Errorf("%d are left, want from %d on", len(left), test.first)
			}
		})
	}
}

// TestAgeIsThatOfTheRequest holds that a clock that was wrong for a while keeps nothing for ever.
func TestAgeIsThatOfTheRequest(t *testing.T) {
	d := open(t, newPath(t))
	batch := []Request{request(1), request(2), request(3)}
	batch[0].At = noon.Add(1000 * time.Hour)
	if err := d.AppendRequests(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	trim(t, d, noon.Add(time.Hour), 10, 1<<20)
	if n := counted(t, d); n != 1 {
		t.Errorf("%d are left, want the one from the future", n)
	}
}

func TestListingAndTrimmingRequestsUseAnIndex(t *testing.T) {
	d := open(t, newPath(t))
	log(t, d, 1, 300)
	list := func(q RequestQuery) string { text, _ := requestQuery(q); return text }
	for name, test := range map[string]struct{ query, index string }{
		"newest":            {list(RequestQuery{}), "USING INTEGER PRIMARY KEY (rowid<?)"},
		"combo":             {list(RequestQuery{Combo: "c"}), "USING INDEX requests_by_combo (combo=? AND seq<?)"},
		"outcome":           {list(RequestQuery{Outcome: "o"}), "USING INDEX requests_by_fault (outcome=? AND seq<?)"},
		"ended well":        {list(RequestQuery{Outcome: endedWell}), "USING INTEGER PRIMARY KEY (rowid<?)"},
		"combo and outcome": {list(RequestQuery{Combo: "c", Outcome: "o"}), "USING INDEX requests_by_combo (combo=? AND seq<?)"},
		"id":                {requestByID, "USING INDEX sqlite_autoindex_requests_1 (id=?)"},
		"old":               {oldRequests, "USING INDEX requests_by_age (at<?)"},
		"first":             {firstRequests, "SCAN requests"},
		"removing old":      {removeOldRequests, "USING COVERING INDEX requests_by_age (at<?)"},
		"removing first":    {removeFirstRequests, "USING INTEGER PRIMARY KEY (rowid<?)"},
	} {
		t.Run(name, func(t *testing.T) {
			var plan []struct {
				ID, Parent, NotUsed int
				Detail              string
			}
			err := d.read(t.Context(), func(reader *sqlx.DB) error {
				return reader.Select(&plan, "EXPLAIN QUERY PLAN "+test.query, make([]any, strings.Count(test.query, "?"))...)
			})
			if err != nil {
				t.Fatal(err)
			}
			steps := fmt.Sprint(plan)
			if !strings.Contains(steps, test.index) || strings.Contains(steps, "TEMP B-TREE") {
				t.Errorf("the plan is %s, want %s and no sorting", steps, test.index)
			}
		})
	}
}
