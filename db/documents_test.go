package db

import (
	"bytes"
	"testing"
)

func TestDocumentsAreKeptByCollectionAndID(t *testing.T) {
	path := newPath(t)
	d := open(t, path)
	binary := []byte("\x00\xff{\"a\":\"\U0001F600\"}\x00")
	steps := []struct{ collection, id, body string }{
		{"providers", "a", "first"},
		{"providers", "a", "second"},
		{"providers", "b/c d'", string(binary)},
		{"combos", "a", "another"},
		{"combos", "empty", ""},
	}
	for _, s := range steps {
		if err := d.PutDocument(t.Context(), s.collection, s.id, []byte(s.body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.PutDocument(t.Context(), "combos", "nil", nil); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"empty", "never"} {
		if err := d.DeleteDocument(t.Context(), "combos", gone); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, d)
	d = open(t, path)
	for collection, want := range map[string]map[string][]byte{
		"providers": {"a": []byte("second"), "b/c d'": binary},
		"combos":    {"a": []byte("another"), "nil": {}},
		"unknown":   {},
	} {
		got, err := d.Documents(t.Context(), collection)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %q, %v", collection, got, err)
		}
		for id, body := range want {
			if !bytes.Equal(got[id], body) {
				t.Errorf("%s/%s is %q, want %q", collection, id, got[id], body)
			}
		}
	}
}
