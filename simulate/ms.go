package simulate

import (
	"strconv"
	"time"
)

// ms is a duration that is shown in whole milliseconds; what is between two of them only keeps requests apart.
type ms time.Duration

// MarshalJSON writes the milliseconds.
func (d ms) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(d).Milliseconds(), 10), nil
}

// String writes it for people.
func (d ms) String() string { return shortest(time.Duration(d).Truncate(time.Millisecond)) }
