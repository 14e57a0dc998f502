package db

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/ohmroute/ohmroute/circuitbreaker"
)

// child is the process that is killed: it commits one batch or document after the other and says
// which ones were acknowledged, for ever.
func child(path string) int {
	ctx := context.Background()
	d, err := Open(ctx, Options{Path: path})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	loaded, err := d.Breakers().Load(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for n := loaded.HighestVersion + 1; ; n++ {
		if err := commit(ctx, d, n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(n)
	}
}

// commit stores the n-th thing that the child stores: a document every seventh time, else two rows
// and a transition of one of them.
func commit(ctx context.Context, d *DB, n uint64) error {
	if n%7 == 0 {
		err := d.PutDocument(ctx, "providers", fmt.Sprint(n), []byte("{}"))
		if err != nil {
			return err
		}
	}
	name := fmt.Sprintf("target:a/%d", n%20)
	return d.Breakers().Apply(ctx, circuitbreaker.Batch{
		Save:        []circuitbreaker.Snapshot{row(name, n), row("provider:last", n)},
		Transitions: []circuitbreaker.Transition{move(name, n)},
		Sync:        n%11 == 0,
	})
}

func TestEverythingAcknowledgedIsThereAfterAKill(t *testing.T) {
	path := newPath(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		acknowledged := runAndKill(t, path, 10+random.IntN(100))
		d := open(t, path)
		loaded := load(t, d)
		// At most the commit that was under way may be there too.
		if loaded.HighestVersion != acknowledged && loaded.HighestVersion != acknowledged+1 {
			t.Fatalf("acknowledged %d, found %d", acknowledged, loaded.HighestVersion)
		}
		consistent(t, d, loaded)
		closed(t, d)
	}
}

// runAndKill lets the child commit for some lines and kills it in the middle of the next. It gives
// the last number that the child had acknowledged.
func runAndKill(t *testing.T, path string, lines int) (acknowledged uint64) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+path)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(output)
	for read := 0; scanner.Scan(); read++ {
		if read == lines {
			if err := command.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
		if _, err := fmt.Sscan(scanner.Text(), &acknowledged); err != nil {
			t.Errorf("the child says %q", scanner.Text())
		}
	}
	if err := command.Wait(); err == nil || acknowledged == 0 {
		t.Errorf("the child ended by itself: %v, acknowledged %d", err, acknowledged)
	}
	return acknowledged
}

// consistent checks that each of the child's batches is there as a whole or not at all.
func consistent(t *testing.T, d *DB, loaded circuitbreaker.Loaded) {
	t.Helper()
	highest := loaded.HighestVersion
	for _, s := range loaded.Breakers {
		want := highest
		if s.Name != "provider:last" {
			var residue uint64
			if _, err := fmt.Sscanf(s.Name, "target:a/%d", &residue); err != nil {
				t.Fatal(err)
			}
			want = highest - (highest-residue)%20
			moves := loaded.Transitions[s.Name]
			if last := moves[len(moves)-1].Seq; last != s.Version {
				t.Errorf("%s has version %d and transition %d", s.Name, s.Version, last)
			}
		}
		if s.Version != want {
			t.Errorf("%s has version %d, want %d", s.Name, s.Version, want)
		}
	}
	documents, err := d.Documents(t.Context(), "providers")
	if err != nil {
		t.Fatal(err)
	}
	for n := uint64(7); n <= highest; n += 7 {
		if _, ok := documents[fmt.Sprint(n)]; !ok {
			t.Errorf("document %d of %d is missing", n, highest)
		}
	}
}
