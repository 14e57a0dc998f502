package config

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAClientKeyIsShownOnceAndStoredAsItsHash(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, nil)
	r.provider(`{"id":"p",` + local + `}`)
	r.combo(`{"name":"c","targets":[{"provider":"p","model":"m"}]}`)
	if r.KeysEverExisted() {
		t.Fatal("there was no key yet")
	}
	k, err := r.CreateKey(t.Context(), []byte(`{"name":"app","combos":["c","p/x"],"requests_per_minute":60,"parallel":2,"expires_at":"2030-02-01T00:00:00+01:00"}`))
	if err != nil {
		t.Fatal(err)
	}
	secret := k.Secret()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(secret, clientKeyPrefix))
	if err != nil || len(raw) != 32 {
		t.Fatalf("a key has %d random bytes: %v", len(raw), err)
	}
	shown, _ := json.Marshal(k)
	want := `{"id":"` + k.ID + `","name":"app","combos":["c","p/x"],"expires_at":"2030-01-31T23:00:00.000Z","requests_per_minute":60,"parallel":2,"managed_by":"api",` +
		`"created_at":"2030-01-02T03:04:05.000Z","updated_at":"2030-01-02T03:04:05.000Z","version":1,"key":"` + secret + `"}`
	if string(shown) != want {
		t.Errorf("got  %s\nwant %s", shown, want)
	}
	listed, _ := json.Marshal(r.Keys())
	stored := string(store.rows[collectionKeys][k.ID])
	for where, text := range map[string]string{"the list": string(listed), "the store": stored} {
		if strings.Contains(text, secret) || strings.Contains(text, secret[4:]) {
			t.Errorf("%s has the key: %s", where, text)
		}
	}
	for name, live := range map[string]*rig{"at once": r, "after a restart": newRig(t, store, nil)} {
		got, ok := live.AuthorizeClient(secret)
		if !ok || got.ID != k.ID || got.Parallel != 2 || !got.Allows("alias", "c") || got.Allows("d") || got.Secret() != "" {
			t.Errorf("%s: %v, %+v", name, ok, got)
		}
		if _, ok := live.AuthorizeClient(secret + "x"); ok {
			t.Errorf("%s: a wrong key opens", name)
		}
		if _, ok := live.AuthorizeClient(""); ok {
			t.Errorf("%s: no key opens", name)
		}
		live.now = k.ExpiresAt
		if _, ok := live.AuthorizeClient(secret); ok {
			t.Errorf("%s: an expired key opens", name)
		}
	}
}

func TestOnceAKeyExistedOneIsRequired(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, nil)
	k, err := r.CreateKey(t.Context(), []byte(`{"name":"app"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.DeleteKey(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.AuthorizeClient(k.Secret()); ok || !r.KeysEverExisted() {
		t.Error("a revoked key opens, or none is required any more")
	}
	if again := newRig(t, store, nil); !again.KeysEverExisted() || len(again.Keys()) != 0 {
		t.Error("a restart forgot it")
	}
	if err := r.DeleteKey(t.Context(), k.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestKeysOfTheFile(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, func(o *LiveOptions) {
		o.File = mustParse(t, `keys:
- {name: value, value: 0123456789abcdef}
- {name: env, env: FILE_KEY}
- {name: unset, env: UNSET_KEY}
- {name: hash, sha256: 9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f}`) // of "0123456789abcdef" it is not
		env := o.Env
		o.Env = func(name string) (string, bool) {
			if name == "FILE_KEY" {
				return "fedcba9876543210", true
			}
			return env(name)
		}
	})
	for secret, name := range map[string]string{"0123456789abcdef": "value", "fedcba9876543210": "env"} {
		if k, ok := r.AuthorizeClient(secret); !ok || k.Name != name || k.ManagedBy != ManagedByFile {
			t.Errorf("%s: %v %+v", name, ok, k)
		}
	}
	if listed, _ := json.Marshal(r.Keys()); strings.Contains(string(listed), "0123456789abcdef") {
		t.Errorf("a secret is listed: %s", listed)
	}
	for _, secret := range []string{"", "UNSET_KEY"} {
		if _, ok := r.AuthorizeClient(secret); ok {
			t.Errorf("%q opens", secret)
		}
	}
	wantConflict(t, r.DeleteKey(t.Context(), r.Keys()[0].ID), ConflictFile)
	if without := newRig(t, store, nil); !without.KeysEverExisted() {
		t.Error("when the file's keys have gone, a key must still be required")
	}
}

func TestEveryProblemOfAClientKeyIsTold(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	_, err := r.CreateKey(t.Context(), []byte(`{"combos":["nope"],"expires_at":"2030-01-02T03:04:05Z","requests_per_minute":-1,"parallel":"2","secret":"x"}`))
	want := []string{
		"requests_per_minute: must be 0 to 1,000,000, not -1",
		"parallel: must be a whole number, not a string",
		"secret: unknown member; there are name, combos, expires_at, requests_per_minute, parallel, managed_by, created_at, updated_at, version",
		"name: must be given",
		"expires_at: must lie in the future, not at 2030-01-02T03:04:05Z",
		`combos[0]: there is neither a combo nor a provider/model "nope"`,
	}
	if got := problemsOf(t, err); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	_, err = r.CreateKey(t.Context(), []byte(`{"name":"k","expires_at":"tomorrow"}`))
	if got := problemsOf(t, err); !slices.Equal(got, []string{`expires_at: must be a time such as 2030-01-31T00:00:00Z (RFC 3339), not "tomorrow"`}) {
		t.Errorf("got %q", got)
	}
	if len(r.store.rows[collectionKeys])+len(r.store.rows[collectionSettings]) != 1 {
		t.Error("something was stored")
	}
	if _, err := r.CreateKey(t.Context(), []byte(`{"name":"k"}`)); err != nil {
		t.Fatal(err)
	}
	_, err = r.CreateKey(t.Context(), []byte(`{"name":"k"}`))
	wantConflict(t, err, ConflictExists)
}
