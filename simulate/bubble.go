package simulate

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// inBubble runs f in virtual time: its timers fire as soon as everybody in the bubble waits, and its clock begins at
// the same moment every time. f must recover from panics of goroutines that it begins; its own, and a bubble in which
// everybody waits for ever, come back as errors.
//
// A bubble belongs to a test. An empty one is enough: nothing of the flags and the output of package testing is used.
func inBubble(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the simulation stopped: %v", r)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) {
		err = safely(f)
	})
	return err
}

// safely turns a panic into an error.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the simulation failed: %v", r)
		}
	}()
	return f()
}
