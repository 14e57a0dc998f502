package circuitbreaker

import "fmt"

// State is one of the five states of a breaker. Its names, on the wire, in
// SQL, in logs and in metrics, are the upper-case words of [State.String].
// The zero value is Closed. Spec: breaker.md 1.
type State uint8

// The five states.
const (
	Closed   State = iota // requests flow
	Degraded              // requests flow, the failure measure is high
	Open                  // requests are refused until a deadline
	HalfOpen              // a few probes decide, the rest is refused
	Isolated              // an operator holds it; everything is refused
)

var stateNames = [...]string{
	Closed:   "CLOSED",
	Degraded: "DEGRADED",
	Open:     "OPEN",
	HalfOpen: "HALF_OPEN",
	Isolated: "ISOLATED",
}

// String returns the word of s, or "State(n)" if s is none of the five.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// MarshalText returns the word of s; it fails for a value that is no state.
func (s State) MarshalText() ([]byte, error) {
	if int(s) >= len(stateNames) {
		return nil, fmt.Errorf("circuitbreaker: no state %d", uint8(s))
	}
	return []byte(stateNames[s]), nil
}

// UnmarshalText reads one of the five words, in upper case.
func (s *State) UnmarshalText(text []byte) error {
	for i, name := range stateNames {
		if string(text) == name {
			*s = State(i)
			return nil
		}
	}
	return fmt.Errorf("circuitbreaker: unknown state %q", text)
}

// severity orders states from healthy to refused, for "the worst of three".
func (s State) severity() int {
	switch s {
	case Degraded:
		return 1
	case HalfOpen:
		return 2
	case Open:
		return 3
	case Isolated:
		return 4
	default:
		return 0
	}
}
