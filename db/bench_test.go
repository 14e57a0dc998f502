package db

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// BenchmarkApply shows what a group commit saves: ns/row is what one changed breaker costs.
func BenchmarkApply(b *testing.B) {
	for _, rows := range []int{1, 10, 100, 1000} {
		for _, sync := range []bool{false, true} {
			b.Run(fmt.Sprintf("rows=%d/sync=%t", rows, sync), func(b *testing.B) {
				d, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "ohmroute.db")})
				if err != nil {
					b.Fatal(err)
				}
				defer func() {
					if err := d.Close(); err != nil {
						b.Error(err)
					}
				}()
				store, batch := d.Breakers(), circuitbreaker.Batch{Sync: sync}
				for i := range rows {
					batch.Save = append(batch.Save, row(fmt.Sprintf("target:provider/model-%d", i), 1))
				}
				b.ReportAllocs()
				for b.Loop() {
					for i := range batch.Save {
						batch.Save[i].Version++
					}
					if err := store.Apply(b.Context(), batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			})
		}
	}
}

// BenchmarkAppendRequests is a batch of requests, as large as the server's, appended and, in a log that is at its
// limit, trimmed.
func BenchmarkAppendRequests(b *testing.B) {
	const rows = 128
	for _, full := range []bool{false, true} {
		b.Run(fmt.Sprintf("full=%t", full), func(b *testing.B) {
			d, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "ohmroute.db")})
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := d.Close(); err != nil {
					b.Error(err)
				}
			}()
			batch := make([]Request, rows)
			n, number := 0, 1<<30
			next := func() {
				for i := range batch {
					n++
					batch[i] = request(n)
					batch[i].ID = fmt.Sprintf("req_%012x%012x", n/10, rand.Uint64N(1<<48))
					batch[i].Body = bytes.Repeat([]byte("x"), 700)
				}
				if err := d.AppendRequests(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			for full && n < 10_000 {
				next()
				number = n
			}
			b.ReportAllocs()
			for b.Loop() {
				next()
				for more := true; more; {
					if more, err = d.TrimRequests(b.Context(), noon, number, 1<<40); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
		})
	}
}

// BenchmarkOpen is a start and an end on a database with the given number of breakers, each with 20
// transitions.
func BenchmarkOpen(b *testing.B) {
	for _, rows := range []int{0, 1000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "ohmroute.db")
			d, err := Open(b.Context(), Options{Path: path})
			if err != nil {
				b.Fatal(err)
			}
			var batch circuitbreaker.Batch
			for i := range rows {
				name := fmt.Sprintf("target:provider/model-%d", i)
				batch.Save = append(batch.Save, row(name, 1))
				for seq := range uint64(20) {
					batch.Transitions = append(batch.Transitions, move(name, seq+1))
				}
			}
			if err := errors.Join(d.Breakers().Apply(b.Context(), batch), d.Close()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				d, err := Open(b.Context(), Options{Path: path})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := d.Breakers().Load(b.Context()); err != nil {
					b.Fatal(err)
				}
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
