package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxUnderWay bounds the requests of an open loop.
const maxUnderWay = 1024

// errBehind says that a subject can't bear the rate: so many requests are under way.
var errBehind = errors.New("it falls behind")

// driveOpen sends a request at each beat, whether those before it were answered or not. A time runs from the beat, so that
// the wait for a slow client or a slow answer before it counts too.
func (c *client) driveOpen(ctx context.Context, rate int, span time.Duration) (sample, error) {
	var (
		mu    sync.Mutex
		all   sample
		fault error
		group sync.WaitGroup
	)
	buffers := sync.Pool{New: func() any { return new(make([]byte, 0, 32<<10)) }}
	slots := make(chan struct{}, maxUnderWay)
	begun := time.Now()
	beats := int(span.Seconds() * float64(rate))
	for n := range beats {
		due := begun.Add(time.Duration(n) * time.Second / time.Duration(rate))
		select {
		case <-ctx.Done():
			group.Wait()
			return all, ctx.Err()
		case <-time.After(time.Until(due)):
		}
		select {
		case slots <- struct{}{}:
		default:
			group.Wait()
			return all, errBehind
		}
		group.Go(func() {
			buffer := buffers.Get().(*[]byte)
			t, err := c.ask(ctx, due, buffer)
			buffers.Put(buffer)
			<-slots
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				fault = errors.Join(fault, err)
				return
			}
			all.add(t)
		})
	}
	group.Wait()
	all.sort()
	return all, fault
}
