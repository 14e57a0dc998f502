package providers

// Failover is whether a failed request may go on to another target. After the commit none goes on.
type Failover uint8

// The ways on (spec: failures.md 1, column "next target").
const (
	NextNone Failover = iota
	NextAlways
	NextSiblingKey   // the same target with another key first, then the next target
	NextLargerWindow // targets with a larger or unknown context window, never the same model again
	NextOnlyOn       // targets that name the kind in only_on; others if the combo says so
	NextBeforeCommit
)

var failoverNames = []string{
	NextNone: "none", NextAlways: "next", NextSiblingKey: "sibling_key", NextLargerWindow: "larger_window",
	NextOnlyOn: "only_on", NextBeforeCommit: "before_commit",
}

// String returns the word that `failover` has in settings.
func (f Failover) String() string { return wordOf(failoverNames, int(f)) }

// MarshalText writes the word.
func (f Failover) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads the word.
func (f *Failover) UnmarshalText(text []byte) error {
	i, err := indexOfWord(failoverNames, text)
	*f = Failover(i)
	return err
}
