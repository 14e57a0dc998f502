package db

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

func TestADatabaseWithADamagedPageIsRefusedOrReadWhole(t *testing.T) {
	whole := newPath(t)
	sample(t, whole)
	body, want := contents(t, whole), everything(t, whole)
	d := open(t, whole)
	documents, err := d.Documents(t.Context(), "providers")
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	harms := map[string]func(page []byte){
		"zeroed":            func(p []byte) { clear(p) },
		"zeroed first half": func(p []byte) { clear(p[:len(p)/2]) },
		"random":            func(p []byte) { copy(p, garbage(len(p))) },
		"another page":      func(p []byte) { copy(p, body[:page]) },
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			for start := page; start < len(body); start += page { // the first has cases of its own
				harmed := bytes.Clone(body)
				harm(harmed[start : start+page])
				write(t, path, harmed)
				write(t, path+markerSuffix, nil)
				if overflow := body[start] == 0; overflow {
					refusedOrUnreadable(t, path, documents)
					continue
				}
				refusedOrWhole(t, path, want)
			}
		})
	}
}

// refusedOrUnreadable opens a file in which the rest of a long document was harmed, which SQLite has no sum to find out with.
// A document that is not what it was must at least be no JSON, so that its reader says so by its name.
func refusedOrUnreadable(t *testing.T, path string, want map[string][]byte) {
	t.Helper()
	d, err := Open(t.Context(), Options{Path: path})
	if _, damaged := errors.AsType[*DamagedError](err); damaged {
		return
	}
	if err != nil {
		t.Fatalf("refused with %T %v", err, err)
	}
	defer closed(t, d)
	got, err := d.Documents(t.Context(), "providers")
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d documents, want %d: %v", len(got), len(want), err)
	}
	for id, body := range got {
		if !bytes.Equal(body, want[id]) && json.Valid(body) {
			t.Errorf("document %s is another one, and looks like one", id)
		}
	}
}

// TestALogThatIsDamagedGivesAnOlderWholeState harms the write-ahead log that a killed process left. SQLite can't tell a log that
// was cut from one that was never longer, so what opens may be older; it has to be a state that there was, and no mixture.
func TestALogThatIsDamagedGivesAnOlderWholeState(t *testing.T) {
	const commits = 6
	live := newPath(t)
	d := open(t, live)
	for n := range commits {
		if err := commit(t.Context(), d, uint64(7*(n+1))); err != nil { // each has a document too
			t.Fatal(err)
		}
	}
	file, log := contents(t, live), contents(t, live+"-wal")
	const header, frame = 32, 24 + 4096
	if (len(log)-header)%frame != 0 || len(log) < header+commits*frame {
		t.Fatalf("the log has %d bytes, want some frames", len(log))
	}
	harms := map[string][]byte{
		"missing": nil, "header cut": log[:header-1], "header only": log[:header], "zeroed": make([]byte, len(log)),
		"random": garbage(len(log)), "whole": log, "rest behind it": append(bytes.Clone(log), garbage(frame)...),
	}
	for n := range (len(log) - header) / frame {
		start := header + n*frame
		harms[fmt.Sprintf("cut before frame %d", n)] = log[:start]
		harms[fmt.Sprintf("cut in frame %d", n)] = log[:start+frame/2]
		flipped := bytes.Clone(log)
		flipped[start+frame/2] ^= 0x55
		harms[fmt.Sprintf("a byte of frame %d flipped", n)] = flipped
	}
	for name, harmed := range harms {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			write(t, path, file)
			write(t, path+markerSuffix, nil)
			if harmed != nil {
				write(t, path+"-wal", harmed)
			}
			committed := stateAfter(t, path)
			if committed < commits && (name == "whole" || name == "rest behind it") {
				t.Errorf("%d of %d commits are there", committed, commits)
			}
		})
	}
}

// stateAfter opens a database and gives how many of commit's are in it, all others of which must be missing as a whole.
func stateAfter(t *testing.T, path string) (commits int) {
	t.Helper()
	d := open(t, path)
	loaded := load(t, d)
	documents, err := d.Documents(t.Context(), "providers")
	if err != nil {
		t.Fatal(err)
	}
	// The document of a commit is stored just before its rows: there may be one more of them.
	commits = int(loaded.HighestVersion / 7)
	for n := 1; n <= commits; n++ {
		if _, found := documents[fmt.Sprint(7*n)]; !found {
			t.Errorf("commit %d is there without its document", n)
		}
	}
	if len(documents) != commits && len(documents) != commits+1 {
		t.Errorf("%d documents and %d commits of breakers", len(documents), commits)
	}
	for _, s := range loaded.Breakers {
		if moves := loaded.Transitions[s.Name]; s.Name != "provider:last" && moves[len(moves)-1].Seq != s.Version {
			t.Errorf("%s has version %d and transition %d", s.Name, s.Version, moves[len(moves)-1].Seq)
		}
	}
	return commits
}

func TestAVersionThatTheTablesContradictIsRefused(t *testing.T) {
	known, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	versions := []int64{-1, 0}
	for v := int64(1); v < known; v++ {
		versions = append(versions, v)
	}
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			path := newPath(t)
			sample(t, path)
			raw(t, path, fmt.Sprintf("PRAGMA user_version = %d", version))
			before := everything(t, path)
			d, err := Open(t.Context(), Options{Path: path})
			if err == nil {
				closed(t, d)
				t.Fatal("opened")
			}
			if version < 1 && !strings.Contains(err.Error(), path) || version > 0 && !strings.Contains(err.Error(), "already exists") {
				t.Errorf("the error doesn't say what is wrong: %v", err)
			}
			if after := everything(t, path); !after.equal(before) {
				t.Errorf("after the refusal: %s", before.difference(after))
			}
		})
	}
}

func TestAnIndexOfTheLogThatIsGarbageIsMadeAnew(t *testing.T) {
	path := newPath(t)
	sample(t, path)
	want := everything(t, path)
	write(t, path+"-shm", garbage(32<<10))
	closed(t, open(t, path))
	if got := everything(t, path); !got.equal(want) {
		t.Errorf("found %s", want.difference(got))
	}
}

func TestALogWithoutItsDatabaseIsNeverReplayedIntoANewOne(t *testing.T) {
	live := newPath(t)
	d := open(t, live)
	fill(t, d)
	log := contents(t, live+"-wal")
	path := newPath(t)
	write(t, path+"-wal", log)
	write(t, path+markerSuffix, nil)
	before := listing(t, filepath.Dir(path))
	refused[*VanishedError](t, path)
	if after := listing(t, filepath.Dir(path)); !maps.Equal(before, after) {
		t.Errorf("before: %v\nafter: %v", before, after)
	}
}
