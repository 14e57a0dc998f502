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

// FuzzModel is the model's property test for as long as one likes: go test -fuzz FuzzModel ./circuitbreaker
func FuzzModel(f *testing.F) {
	for seed := range uint64(8) {
		input := make([]byte, 4096)
		_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(input)
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		src := &script{left: input}
		for w := newWorld(t, src); len(src.left) > 0; {
			w.step()
		}
	})
}
