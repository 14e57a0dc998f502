package circuitbreaker

import (
	"context"
	"errors"
	"time"
)

// KindError is an error that tells Do the kind of a failure, and a hint when to
// try again.
type KindError struct {
	Kind       Kind
	RetryAfter time.Duration // 0: no hint
	Err        error
}

func (e *KindError) Error() string {
	if e.Err == nil {
		return "failure of kind " + string(e.Kind)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *KindError) Unwrap() error { return e.Err }

// UnchargedError is an error that tells Do that the target is not to blame: it
// neither counts, nor closes, nor reopens, nor resets a count.
type UnchargedError struct{ Err error }

func (e *UnchargedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UnchargedError) Unwrap() error { return e.Err }

// Do runs f if b admits it and settles by what f returns: nil is a success; a
// *KindError is a failure of its kind; an *UnchargedError, and anything after ctx was
// canceled, is no verdict; any other error is a failure of kind "". A panic in
// f is a failure and goes on. If b refuses, f is not run and the error is an
// *OpenError.
func (b *Breaker) Do(ctx context.Context, f func(context.Context) error) error {
	ask := Ask{}
	if deadline, ok := ctx.Deadline(); ok {
		ask.Now = b.reg.clock.now()
		ask.Lease = deadline.Sub(ask.Now)
	}
	var p Permit
	if refused := b.Acquire(&p, ask); refused != nil {
		return refused
	}
	returned := false
	defer func() {
		if !returned { // f panicked, or ended the goroutine
			p.Failure(time.Time{}, "", 0)
		}
	}()
	err := f(ctx)
	returned = true
	if err == nil {
		p.Success(time.Time{})
		return nil
	}
	var failure *KindError
	var uncharged *UnchargedError
	switch {
	case errors.As(err, &uncharged), errors.Is(ctx.Err(), context.Canceled):
		p.NoVerdict(time.Time{})
	case errors.As(err, &failure):
		p.Failure(time.Time{}, failure.Kind, failure.RetryAfter)
	default:
		p.Failure(time.Time{}, "", 0)
	}
	return err
}
