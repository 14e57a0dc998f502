package server

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// requestMemory is a RequestStore in memory that tests make fail and block.
type requestMemory struct {
	mu      sync.Mutex
	rows    []StoredRequest // by rising Seq
	failure error
	failed  int
	blocked bool // calls last until their context ends
	batches []int
	trims   []trimCall
	atOnce  int // how many a trim removes at most; 0: all
}

type trimCall struct {
	since  time.Time
	number int
	bytes  int64
}

func (m *requestMemory) set(failure error, blocked bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure, m.blocked = failure, blocked
}

// begin is the beginning of each call: with the lock held, unless it fails.
func (m *requestMemory) begin(ctx context.Context) error {
	m.mu.Lock()
	failure, blocked := m.failure, m.blocked
	if failure != nil {
		m.failed++
	}
	if blocked {
		m.mu.Unlock()
		<-ctx.Done()
		return ctx.Err()
	}
	if err := cmp.Or(failure, ctx.Err()); err != nil {
		m.mu.Unlock()
		return err
	}
	return nil
}

func (m *requestMemory) AppendRequests(ctx context.Context, requests []StoredRequest) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.batches = append(m.batches, len(requests))
	for _, r := range requests {
		same := func(other StoredRequest) bool { return other.Seq == r.Seq || other.ID == r.ID }
		if !slices.ContainsFunc(m.rows, same) {
			m.rows = append(m.rows, r)
		}
	}
	slices.SortFunc(m.rows, func(a, b StoredRequest) int { return cmp.Compare(a.Seq, b.Seq) })
	return nil
}

func (m *requestMemory) Requests(ctx context.Context, q RequestQuery) (found []StoredRequest, err error) {
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	for _, r := range slices.Backward(m.rows) {
		if len(found) < q.Limit && (q.Before == 0 || r.Seq < q.Before) && !r.At.Before(q.Since) &&
			(q.Combo == "" || q.Combo == r.Combo) && (q.Outcome == "" || q.Outcome == r.Outcome) {
			found = append(found, r)
		}
	}
	return found, nil
}

func (m *requestMemory) Request(ctx context.Context, id string) (found StoredRequest, ok bool, err error) {
	if err := m.begin(ctx); err != nil {
		return found, false, err
	}
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.rows, func(r StoredRequest) bool { return r.ID == id }); i >= 0 {
		return m.rows[i], true, nil
	}
	return found, false, nil
}

func (m *requestMemory) TrimRequests(ctx context.Context, since time.Time, number int, bytes int64) (more bool, err error) {
	if err := m.begin(ctx); err != nil {
		return false, err
	}
	defer m.mu.Unlock()
	m.trims = append(m.trims, trimCall{since, number, bytes})
	n := 0
	for n < len(m.rows) && (m.rows[n].At.Before(since) || len(m.rows)-n > number) {
		n++
	}
	if m.atOnce > 0 && n > m.atOnce {
		n, more = m.atOnce, true
	}
	m.rows = m.rows[n:]
	return more, nil
}

// ids are those of what is stored, the newest first.
func (m *requestMemory) ids() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range slices.Backward(m.rows) {
		ids = append(ids, r.ID)
	}
	return ids
}

// failures is how many calls have failed.
func (m *requestMemory) failures() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// appended are the sizes of the batches since the last call.
func (m *requestMemory) appended() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	batches := m.batches
	m.batches = nil
	return batches
}

func (m *requestMemory) trimmed() []trimCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.trims)
}
