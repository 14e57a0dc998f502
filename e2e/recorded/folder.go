// Package recorded finds what was recorded from real clients and providers: the folder shared, which lies beside the
// repository and is no part of it. It is for tests, and imports nothing of ours, so that tests of every package can use it.
package recorded

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder returns the path of a folder in shared, such as Folder(t, "fixtures", "sse"), looking beside the working
// directory and each folder above it. Where there is none the test is skipped; in CI, which has it, the test fails.
func Folder(tb testing.TB, elem ...string) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	wanted := filepath.Join(append([]string{"shared"}, elem...)...)
	for at := dir; ; at = filepath.Dir(at) {
		folder := filepath.Join(at, wanted)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
		if at != filepath.Dir(at) {
			continue
		}
		if os.Getenv("CI") == "true" {
			tb.Fatalf("no folder %s beside or above %s, and CI has to have it", wanted, dir)
		}
		tb.Skipf("no folder %s beside or above %s", wanted, dir)
	}
}
