package db

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// untouched fails if do changes, makes or removes a file below dir.
func untouched(t *testing.T, dir string, do func()) {
	t.Helper()
	before := listing(t, dir)
	do()
	if after := listing(t, dir); !maps.Equal(before, after) {
		t.Errorf("files before: %v\nand after: %v", before, after)
	}
}

func TestAFileThatIsNotOursIsRefusedAndLeftAsItIs(t *testing.T) {
	other := func(statements ...string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { raw(t, path, statements...) }
	}
	content := func(body string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { write(t, path, []byte(body)) }
	}
	cases := map[string]func(t *testing.T, path string){
		"a text file":                         content("providers:\n  - id: openai\n"),
		"one byte":                            content("S"),
		"random bytes":                        content(string(garbage(8192))),
		"another application's database":      other("PRAGMA application_id = 252006674", "CREATE TABLE t (a)"),
		"a database of nobody":                other("CREATE TABLE t (a)"),
		"another application's WAL database":  other("PRAGMA journal_mode = WAL", "CREATE TABLE t (a)"),
		"a database of nobody without tables": other("PRAGMA user_version = 1", "PRAGMA user_version = 0"),
		"a directory": func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"a link to nowhere": func(t *testing.T, path string) {
			if err := os.Symlink(filepath.Join(filepath.Dir(path), "gone", "ohmroute.db"), path); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			prepare(t, path)
			untouched(t, filepath.Dir(path), func() {
				err := refused[*ForeignFileError](t, path)
				if err.Path != path || !strings.Contains(err.Error(), path) {
					t.Errorf("error names %s: %v", err.Path, err)
				}
			})
		})
	}
}

func TestANewerSchemaIsRefusedWithBothVersions(t *testing.T) {
	cases := map[string]func(t *testing.T, path string){
		"in the file": func(t *testing.T, path string) {
			sample(t, path)
			raw(t, path, "PRAGMA user_version = 4711")
		},
		"in the write-ahead log of a killed process": func(t *testing.T, path string) {
			live := newPath(t)
			sample(t, live)
			p, err := pool(live, writing, 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Exec("PRAGMA user_version = 4711"); err != nil {
				t.Fatal(err)
			}
			for _, suffix := range []string{"", "-wal", "-shm", markerSuffix} {
				write(t, path+suffix, contents(t, live+suffix))
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		},
	}
	known, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			prepare(t, path)
			untouched(t, filepath.Dir(path), func() {
				err := refused[*NewerSchemaError](t, path)
				if err.Found != 4711 || err.Known != known {
					t.Errorf("error has versions %d and %d, want 4711 and %d", err.Found, err.Known, known)
				}
				if !strings.Contains(err.Error(), "4711") {
					t.Errorf("error does not name the version: %v", err)
				}
			})
		})
	}
}

func TestATruncatedFileIsRefusedAndLeftAsItIs(t *testing.T) {
	whole := newPath(t)
	sample(t, whole)
	body := contents(t, whole)
	if len(body)%4096 != 0 || len(body) < 3*4096 {
		t.Fatalf("the sample has %d bytes, want some pages of 4096", len(body))
	}
	for _, size := range []int{1, 15, 16, 50, 99, 100, 101, 511, 512, 1000, 4095, 4096, 4097, 6000, 8192, len(body) - 4096, len(body) - 1} {
		path := newPath(t)
		write(t, path, body[:size])
		write(t, path+markerSuffix, nil)
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			untouched(t, filepath.Dir(path), func() { refused[*DamagedError](t, path) })
		})
	}
}

func TestAnEmptyFileWithoutAMarkerIsANewInstallation(t *testing.T) {
	path := newPath(t)
	write(t, path, nil)
	open(t, path)
}

func TestADatabaseThatVanishedIsNotSilentlyANewOne(t *testing.T) {
	cases := map[string]func(path string) error{
		"the file was removed":   os.Remove,
		"the file was emptied":   func(path string) error { return os.Truncate(path, 0) },
		"the link leads nowhere": func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/gone/away.db", path)) },
		"only the log was left": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path+"-wal", garbage(99), 0o600))
		},
	}
	for name, lose := range cases {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			sample(t, path)
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			var err *VanishedError
			untouched(t, filepath.Dir(path), func() { err = refused[*VanishedError](t, path) })
			if err.Marker != path+".marker" {
				t.Errorf("marker is %s", err.Marker)
			}
			for _, word := range []string{err.Marker, path, "backup", "remove"} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error lacks %q: %v", word, err)
				}
			}
		})
	}
}

func TestRemovingTheMarkerBeginsAnew(t *testing.T) {
	path := newPath(t)
	sample(t, path)
	write(t, path+"-wal", garbage(5000)) // of the database that is gone
	for _, gone := range []string{path, path + markerSuffix} {
		if err := os.Remove(gone); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, path)
	if got, err := d.Documents(t.Context(), "providers"); err != nil || len(got) != 0 {
		t.Errorf("documents of the new database: %v, %v", got, err)
	}
}

func TestADamagedFileIsRefusedOrReadWhole(t *testing.T) {
	whole := newPath(t)
	sample(t, whole)
	body := contents(t, whole)
	want := everything(t, whole)
	random := rand.New(rand.NewPCG(1, 2))

	damage := map[string]func(body []byte) []byte{
		"zeroed second page": func(b []byte) []byte { clear(b[4096:8192]); return b },
		"random second page": func(b []byte) []byte { copy(b[4096:8192], garbage(4096)); return b },
		"zeroed header":      func(b []byte) []byte { clear(b[:100]); return b },
		"zeroed schema":      func(b []byte) []byte { clear(b[100:4096]); return b },
		"everything zero":    func(b []byte) []byte { clear(b); return b },
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			write(t, path, harm(bytes.Clone(body)))
			write(t, path+markerSuffix, nil)
			untouched(t, filepath.Dir(path), func() { refused[*DamagedError](t, path) })
		})
	}
	t.Run("each byte of the header that means something", func(t *testing.T) {
		path := newPath(t)
		for at := range headerSize {
			if 1 < at && at < 15 || 72 <= at && at < 92 { // more of the magic; reserved
				continue
			}
			harmed := bytes.Clone(body)
			harmed[at] ^= byte(1 + random.IntN(255))
			write(t, path, harmed)
			write(t, path+markerSuffix, nil)
			refusedOrWhole(t, path, want)
		}
	})
	t.Run("each byte of the pages' headers", func(t *testing.T) {
		path := newPath(t)
		for page := 0; page < len(body); page += 4096 {
			start, bytesOf := page, []int{3} // the next page of an overflow page
			if page == 0 {
				start = headerSize
			}
			if kind := body[start]; kind != 0 {
				bytesOf = []int{0, 1, 3, 4, 6} // kind, free block, cells and where they begin
			}
			for _, at := range bytesOf {
				harmed := bytes.Clone(body)
				harmed[start+at] ^= byte(1 + random.IntN(255))
				write(t, path, harmed)
				write(t, path+markerSuffix, nil)
				refusedOrWhole(t, path, want)
			}
		}
	})
}

// refusedOrWhole opens a file with a flipped byte: either it is refused and untouched, or what it
// holds is what it held.
func refusedOrWhole(t *testing.T, path string, want contentsOf) {
	t.Helper()
	before := listing(t, filepath.Dir(path))
	d, err := Open(t.Context(), Options{Path: path})
	if err == nil {
		closed(t, d)
		if got := everything(t, path); !got.equal(want) {
			t.Errorf("opened, and holds %s", want.difference(got))
		}
		return
	}
	_, damaged := errors.AsType[*DamagedError](err)
	_, newer := errors.AsType[*NewerSchemaError](err)
	_, foreign := errors.AsType[*ForeignFileError](err)
	if !damaged && !newer && !foreign {
		t.Errorf("refused with %T %v", err, err)
	}
	if after := listing(t, filepath.Dir(path)); !maps.Equal(before, after) {
		t.Errorf("refused with %v and changed: before %v, after %v", err, before, after)
	}
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func garbage(size int) []byte {
	random := rand.NewChaCha8([32]byte{1})
	body := make([]byte, size)
	_, _ = random.Read(body)
	return body
}
