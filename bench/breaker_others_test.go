package bench

import (
	"errors"
	"testing"
	"time"

	failsafe "github.com/failsafe-go/failsafe-go/circuitbreaker"
	mercari "github.com/mercari/go-circuitbreaker"
	"github.com/sony/gobreaker/v2"
)

var errUpstream = errors.New("upstream failed")

func BenchmarkBreakerSuccessGobreaker(b *testing.B) {
	cb := gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{Name: "target:a/m"})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			done, err := cb.Allow()
			if err != nil {
				b.Error(err)
				return
			}
			done(nil)
		}
	})
}

func BenchmarkBreakerSuccessFailsafeCount(b *testing.B) {
	cb := failsafe.NewBuilder[any]().WithFailureThresholdRatio(5, 10).Build()
	failsafeSuccess(b, cb)
}

func BenchmarkBreakerSuccessFailsafeTime(b *testing.B) {
	cb := failsafe.NewBuilder[any]().WithFailureRateThreshold(0.5, 10, 10*time.Second).Build()
	failsafeSuccess(b, cb)
}

func failsafeSuccess(b *testing.B, cb failsafe.CircuitBreaker[any]) {
	b.Helper()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !cb.TryAcquirePermit() {
				b.Error("refused while closed")
				return
			}
			cb.RecordSuccess()
		}
	})
}

func BenchmarkBreakerSuccessMercari(b *testing.B) {
	cb := mercari.New(mercari.WithTripFunc(mercari.NewTripFuncConsecutiveFailures(5)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !cb.Ready() {
				b.Error("refused while closed")
				return
			}
			cb.Success()
		}
	})
}

func BenchmarkBreakerRefusalGobreaker(b *testing.B) {
	cb := gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Timeout:     time.Hour,
		ReadyToTrip: func(gobreaker.Counts) bool { return true },
	})
	done, err := cb.Allow()
	if err != nil {
		b.Fatal(err)
	}
	done(errUpstream)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := cb.Allow(); err == nil {
				b.Error("admitted while open")
				return
			}
		}
	})
}

func BenchmarkBreakerRefusalFailsafe(b *testing.B) {
	cb := failsafe.NewBuilder[any]().WithDelay(time.Hour).Build()
	cb.Open()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if cb.TryAcquirePermit() {
				b.Error("admitted while open")
				return
			}
		}
	})
}
