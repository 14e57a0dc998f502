package main

import (
	"fmt"
	"strconv"
	"strings"
)

// shard is one of several parts of the work, from 1 on. The zero value is all of it.
type shard struct{ at, parts int }

func (s *shard) String() string { return fmt.Sprintf("%d/%d", s.at, s.parts) }

// Set reads "2/3", the second of three.
func (s *shard) Set(text string) error {
	at, parts, _ := strings.Cut(text, "/")
	var err error
	if s.at, err = strconv.Atoi(at); err == nil {
		s.parts, err = strconv.Atoi(parts)
	}
	if err != nil || s.at < 1 || s.at > s.parts {
		return fmt.Errorf("%q is no i/n", text)
	}
	return nil
}

// of is the part's share.
func (s *shard) of(mutants []mutant) []mutant {
	if s.parts == 0 {
		return mutants
	}
	var share []mutant
	for i := s.at - 1; i < len(mutants); i += s.parts {
		share = append(share, mutants[i])
	}
	return share
}
