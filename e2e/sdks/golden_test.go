// Package sdks has the official SDKs read what providers/translate writes for their dialects: its golden files. They have
// a package of their own because SDKs take minutes to build where code is instrumented, as fuzzing does.
package sdks

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// eachGolden runs a test for every golden file of some folders that has an answer or a stream for the client; nil is for
// what it hasn't.
func eachGolden(t *testing.T, folders string, test func(t *testing.T, stream, whole []byte)) {
	t.Helper()
	root := filepath.Join("..", "..", "providers", "translate", "testdata")
	files, err := filepath.Glob(filepath.Join(root, folders, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string][]byte{}
		for _, f := range archive.Files {
			parts[f.Name] = f.Data
		}
		stream, whole := parts["stream.want"], parts["answer.want"]
		if stream == nil && whole == nil {
			continue
		}
		name := filepath.Base(filepath.Dir(file)) + " " + strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { test(t, stream, whole) })
	}
}
