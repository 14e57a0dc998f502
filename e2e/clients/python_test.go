package clients

import (
	"os"
	"path/filepath"
	"testing"
)

// python starts a client of PyPI, that of testdata/python/client_NAME.py.
func python(name string) func(*testing.T, string) client {
	return func(t *testing.T, gateway string) client {
		t.Helper()
		packages := installed(t, "python")
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "python"))); err != nil {
			t.Fatal(err)
		}
		return runWorker(t, name, gateway, dir, filepath.Join(packages, "bin", "python"), "-B", "worker.py", name)
	}
}
