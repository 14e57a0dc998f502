package combo

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ohmroute/ohmroute/circuitbreaker"
	"github.com/ohmroute/ohmroute/providers"
)

// still is an upstream that answers at once and costs nothing, so that a benchmark measures the walk.
type still struct{ answer *providers.Answer }

func (s still) Send(context.Context, *providers.Attempt) (*providers.Answer, error) {
	return s.answer, nil
}

// stillEvents is an endless supply of the same short stream.
type stillEvents struct{ chunk providers.Chunk }

func (e stillEvents) Next() (providers.Chunk, error) { return e.chunk, nil }
func (e stillEvents) Commit() bool                   { return true }
func (e stillEvents) Close() error                   { return nil }

func BenchmarkRoute(b *testing.B) {
	for name, streamed := range map[string]bool{"plain": false, "streamed": true} {
		for strategy, targets := range map[string][]string{"priority": {"m"}, "round_robin": {"m", "n", "o"}, "weighted": {"m", "n", "o"}} {
			b.Run(name+"/"+strategy, func(b *testing.B) {
				client := still{&providers.Answer{
					Status: 200, Stream: streamed,
					Events: stillEvents{providers.Chunk{Data: []byte("data: x\n\n"), Meaningful: true, Done: true}},
				}}
				c := DefaultCombo()
				c.Name, c.Strategy = "c", strategy
				for _, m := range targets {
					c.Targets = append(c.Targets, Target{Provider: "a", Model: m})
				}
				cfg := &Config{
					Providers: map[string]*Provider{"a": {ID: "a", Client: client, Keys: keys("k"), Limits: DefaultLimits(), Enabled: true}},
					Combos:    map[string]*Combo{"c": &c},
				}
				settings := circuitbreaker.DefaultSettings()
				r := NewRouter(cfg, circuitbreaker.NewRegistry(circuitbreaker.Options{Default: settings}), Options{})
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				b.ReportAllocs()
				req := &providers.Request{Endpoint: providers.Chat, Model: "c", Stream: streamed, Start: time.Now()}
				for b.Loop() {
					a, err := r.Route(ctx, req)
					if err != nil {
						b.Fatal(err)
					}
					for !errors.Is(err, io.EOF) {
						_, err = a.Next()
					}
					a.Close()
				}
			})
		}
	}
}
