package circuitbreaker

import (
	"testing"
	"time"
)

// 3
func TestParksOfManyRequestsTakeBoundedMemoryAndTheLatestAreToldApart(t *testing.T) {
	const begun = 100 * maxParks
	var p parks
	for i := range moment(begun) {
		if !p.begin(newPark(uint64(i+1), i, (i+1).plus(time.Hour), i == 0), 0) {
			t.Fatalf("park %d did not begin", i+1)
		}
	}
	if len(p.list) > maxParks || cap(p.list) > 2*maxParks {
		t.Errorf("%d parks in memory for %d, want at most %d", len(p.list), cap(p.list), maxParks)
	}
	own := []uint64(nil)
	for i := range uint64(begun) {
		want := moment(begun - i).plus(time.Hour)
		if i >= maxParks-1 { // what is older is nobody's
			want = moment(begun - maxParks + 1).plus(time.Hour)
		}
		if until, _ := p.holding(begun, own); until != want {
			t.Fatalf("a walk with the latest %d parks is refused until %d, want %d", i, until, want)
		}
		own = append(own, begun-i)
	}
	if _, hinted := p.holding(begun, own); !hinted {
		t.Error("the hint of the oldest is forgotten")
	}
	if p.claim(moment(begun).plus(time.Hour), own); !p.none() {
		t.Errorf("%d parks are over and still there", len(p.list))
	}
}
