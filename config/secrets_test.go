package config

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var noEnv = lookup(nil)

func TestSecretsAreMadeOnceAndOnlyTheirOwnersToRead(t *testing.T) {
	dir := t.TempDir()
	first, err := LoadSecrets(dir, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Created || first.InMemory || len(first.AdminToken) < 40 || first.TokenPath != filepath.Join(dir, "admin.token") {
		t.Errorf("%+v", first)
	}
	for _, name := range []string{"admin.token", "secret.key"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	sealed := first.Sealer.Seal("p/k", "sk-1")
	if err := os.Chmod(filepath.Join(dir, "secret.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := LoadSecrets(dir, noEnv)
	if err != nil || second.Created || second.AdminToken != first.AdminToken {
		t.Fatalf("%+v, %v", second, err)
	}
	if got, err := second.Sealer.Open("p/k", sealed); err != nil || got != "sk-1" {
		t.Errorf("%q, %v", got, err)
	}
	if info, _ := os.Stat(filepath.Join(dir, "secret.key")); info.Mode().Perm() != 0o600 {
		t.Errorf("others may read secret.key: %v", info.Mode())
	}
}

func TestTheEnvironmentOverridesTheFiles(t *testing.T) {
	dir := t.TempDir()
	env := lookup(map[string]string{"OHMROUTE_ADMIN_TOKEN": "a-token-of-my-own", "OHMROUTE_SECRET_KEY": "a passphrase of many words"})
	s, err := LoadSecrets(dir, env)
	if err != nil || s.AdminToken != "a-token-of-my-own" || s.Created || s.TokenPath != "" || s.Sealer.inMemory {
		t.Fatalf("%+v, %v", s, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("files were made: %v", files)
	}
	again, _ := LoadSecrets(dir, env)
	if got, err := again.Sealer.Open("x", s.Sealer.Seal("x", "y")); err != nil || got != "y" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestADirectoryThatCanNotBeWrittenKeepsSecretsInMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"missing": filepath.Join(t.TempDir(), "missing"), "a file": file} {
		s, err := LoadSecrets(dir, noEnv)
		if err != nil || !s.InMemory || s.Created || s.TokenPath != "" || !s.Sealer.inMemory || len(s.AdminToken) < 40 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestSecretsThatCanNotBeUsedAreErrors(t *testing.T) {
	for name, test := range map[string]struct{ file, content, want string }{
		"an empty token":  {"admin.token", "\n", "holds no usable token"},
		"a short token":   {"admin.token", "abc", "holds no usable token"},
		"an empty key":    {"secret.key", "", "secret key must be 32 bytes"},
		"a short key":     {"secret.key", "c2hvcnQ=", "secret key must be 32 bytes"},
		"a spaced token":  {"admin.token", "abc def ghi jkl mno", "holds no usable token"},
		"a token in env":  {"OHMROUTE_ADMIN_TOKEN", "short", "at least 16"},
		"a key in env":    {"OHMROUTE_SECRET_KEY", "short", "OHMROUTE_SECRET_KEY: a secret key must be 32 bytes"},
		"a token in dirs": {"admin.token/", "", "reading a secret"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), map[string]string{}
			switch {
			case strings.HasPrefix(test.file, "OHMROUTE_"):
				env[test.file] = test.content
			case strings.HasSuffix(test.file, "/"):
				if err := os.Mkdir(filepath.Join(dir, test.file), 0o700); err != nil {
					t.Fatal(err)
				}
			default:
				if err := os.WriteFile(filepath.Join(dir, test.file), []byte(test.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := LoadSecrets(dir, lookup(env))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if err != nil && test.content != "" && strings.Contains(err.Error(), test.content) {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

func TestASecretKeyComesInManyForms(t *testing.T) {
	raw := []byte("0123456789abcdef0123456789abcdef")
	for _, text := range []string{
		hex.EncodeToString(raw), "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
	} {
		if got, err := parseSecretKey(text); err != nil || string(got) != string(raw) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

func TestSealing(t *testing.T) {
	s, err := NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	a, b := s.Seal("p/k", "sk-1"), s.Seal("p/k", "sk-1")
	if a == b || strings.Contains(a, "sk-1") {
		t.Error("two seals of one secret are alike, or show it")
	}
	changed := "A" + a[1:]
	if changed == a {
		changed = "B" + a[1:]
	}
	for name, sealed := range map[string]string{"cut": a[:20], "changed": changed, "no base64": "!", "empty": ""} {
		if got, err := s.Open("p/k", sealed); err == nil {
			t.Errorf("%s opens to %q", name, got)
		}
	}
	one, same, other := s.Fingerprint("a"), s.Fingerprint("a"), s.Fingerprint("b")
	if one == other || one != same {
		t.Error("fingerprints must tell secrets apart")
	}
	if _, err := NewSealer([]byte("short")); err == nil {
		t.Error("a short key is accepted")
	}
}
