package db

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

func TestWritersAndReadersAtOnce(t *testing.T) {
	d := open(t, newPath(t))
	const writers, rounds = 4, 15
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := range rounds {
				n := uint64(w*rounds + i + 1)
				batch := circuitbreaker.Batch{
					Save:        []circuitbreaker.Snapshot{row(fmt.Sprintf("target:a/%d", n), n)},
					Transitions: []circuitbreaker.Transition{move("provider:a", n)},
					Sync:        i%10 == 0,
				}
				if err := d.Breakers().Apply(t.Context(), batch); err != nil {
					t.Error(err)
				}
			}
		})
		wait.Go(func() {
			for i := range rounds {
				if err := d.PutDocument(t.Context(), "c", fmt.Sprintf("%d.%d", w, i), []byte("{}")); err != nil {
					t.Error(err)
				}
				if _, err := d.Documents(t.Context(), "c"); err != nil {
					t.Error(err)
				}
				if _, err := d.Breakers().Load(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	loaded := load(t, d)
	documents, err := d.Documents(t.Context(), "c")
	if err != nil || len(documents) != writers*rounds || len(loaded.Breakers) != writers*rounds {
		t.Errorf("%d documents (%v) and %d rows, want %d of each", len(documents), err, len(loaded.Breakers), writers*rounds)
	}
}

func TestCloseWaitsForWhatIsUnderWay(t *testing.T) {
	path := newPath(t)
	d := open(t, path)
	var wait sync.WaitGroup
	var committed [4]uint64
	begun := make(chan struct{}, len(committed))
	for w := range committed {
		wait.Go(func() {
			for n := uint64(1); ; n++ {
				err := d.Breakers().Apply(t.Context(), circuitbreaker.Batch{
					Save: []circuitbreaker.Snapshot{row(fmt.Sprintf("target:a/%d", w), n)},
				})
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if committed[w] = n; n == 3 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range committed {
		<-begun
	}
	closed(t, d)
	wait.Wait()
	for _, s := range load(t, open(t, path)).Breakers {
		var w int
		if _, err := fmt.Sscanf(s.Name, "target:a/%d", &w); err != nil || s.Version != committed[w] {
			t.Errorf("%s has version %d, committed %d (%v)", s.Name, s.Version, committed[w], err)
		}
	}
}
