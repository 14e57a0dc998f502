package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// pythonPackages is where testdata/install puts the packages of PyPI, a virtual environment. Where they are missing or
// not the pinned ones the test is skipped; in CI it fails if others than the pinned ones are there.
func pythonPackages(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".cache", "e2e-python"))
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := os.ReadFile(filepath.Join("testdata", "python", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadFile(filepath.Join(dir, "installed.txt"))
	if err == nil && bytes.Equal(there, pinned) {
		return dir
	}
	const missing = "the packages of PyPI are not in %s as testdata/python pins them: e2e/clients/testdata/install python puts them there"
	if _, err := os.Stat(dir); err == nil && os.Getenv("CI") == "true" {
		t.Fatalf(missing, dir)
	}
	t.Skipf(missing, dir)
	return ""
}

// python starts a client of PyPI, that of testdata/python/client_NAME.py.
func python(name string) func(*testing.T, string) client {
	return func(t *testing.T, gateway string) client {
		t.Helper()
		packages := pythonPackages(t)
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "python"))); err != nil {
			t.Fatal(err)
		}
		return runWorker(t, name, gateway, dir, filepath.Join(packages, "bin", "python"), "-B", "worker.py", name)
	}
}
