package circuitbreaker_test

import (
	"math/rand/v2"
	"testing"
)

// script is a fuzz input as a source: one byte a decision.
type script struct{ left []byte }

func (s *script) pick(n int) int {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	return int(b) % n
}

// FuzzModel is the property test of the model for as long as one likes:
//
//	go test -fuzz FuzzModel -fuzzminimizetime 10x ./circuitbreaker
func FuzzModel(f *testing.F) {
	for seed := range byte(32) {
		input := make([]byte, 512)
		_, _ = rand.NewChaCha8([32]byte{seed}).Read(input)
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		src := &script{left: input}
		for w := newWorld(t, src); len(src.left) > 0; {
			w.step()
		}
	})
}
