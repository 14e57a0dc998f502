package migrations

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestVersionsAreNumberedWithoutAGap(t *testing.T) {
	names, err := fs.Glob(Files, "*.sql") // sorted
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if want := fmt.Sprintf("%04d_", i+1); !strings.HasPrefix(name, want) {
			t.Errorf("%s: the next name begins with %s", name, want)
		}
	}
	if newest, err := Newest(); err != nil || newest != int64(len(names)) || newest == 0 {
		t.Errorf("newest is %d (%v) of %d", newest, err, len(names))
	}
}

func TestThereIsNoWayDown(t *testing.T) {
	names, err := fs.Glob(Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		body, err := fs.ReadFile(Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(body), "-- +goose Up\n") || strings.Contains(string(body), "+goose Down") {
			t.Errorf("%s has not just an Up", name)
		}
	}
}
