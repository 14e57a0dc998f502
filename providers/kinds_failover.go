package providers

import "fmt"

// Failover is whether a failed request may go on to another target.
type Failover uint8

// The ways on (spec: failures.md 1, column "next target").
const (
	NextNone         Failover = iota
	NextAlways                // after the commit nothing goes on, whatever stands here
	NextSiblingKey            // the same target with another key first, then the next target
	NextLargerWindow          // targets with a larger or unknown context window, never the same model again
	NextOnlyOn                // targets that name the kind in only_on, or if the combo says so
	NextBeforeCommit
)

var failoverNames = [...]string{
	NextNone: "none", NextAlways: "next", NextSiblingKey: "sibling_key", NextLargerWindow: "larger_window",
	NextOnlyOn: "only_on", NextBeforeCommit: "before_commit",
}

// String returns the name used in settings.
func (f Failover) String() string {
	if int(f) < len(failoverNames) {
		return failoverNames[f]
	}
	return fmt.Sprintf("Failover(%d)", uint8(f))
}

// MarshalText writes the name.
func (f Failover) MarshalText() ([]byte, error) { return []byte(f.String()), nil }
