package main

import (
	"errors"
	"sync"
)

// hands is how many things are done at once where many have to be done.
const hands = 64

// eachOf does something with all of a list, some at a time. After its first error a hand does nothing more.
func eachOf[T any](list []T, do func(T) error) error {
	work := make(chan T)
	faults := make([]error, hands)
	var group sync.WaitGroup
	for hand := range hands {
		group.Go(func() {
			for each := range work {
				if faults[hand] == nil {
					faults[hand] = do(each)
				}
			}
		})
	}
	for _, each := range list {
		work <- each
	}
	close(work)
	group.Wait()
	return errors.Join(faults...)
}
