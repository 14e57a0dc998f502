package config

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Secrets are the two secrets of a data directory (spec: api.md, files and secrets).
type Secrets struct {
	AdminToken string
	Sealer     *Sealer
	TokenPath  string // where the token stands; "" if it came from the environment or lives in memory
	Created    bool   // the token was made just now: it is shown once
	InMemory   bool   // the token dies with the process: it is shown at each start
}

// Where the admin token stands: in the environment, else in a file of the data directory.
const (
	AdminTokenEnv = "OHMROUTE_ADMIN_TOKEN" //nolint:gosec // the name of a variable
	TokenFile     = "admin.token"
)

const (
	keyFile      = "secret.key"
	secretKeyEnv = "OHMROUTE_SECRET_KEY"
	tokenPrefix  = "ohmadmin-"

	leastToken      = 16 // characters of an admin token that somebody chose
	leastPassphrase = 16 // characters of a secret key that isn't 32 encoded bytes
)

// LoadSecrets reads admin.token and secret.key of a data directory, or makes them, both 0600. The variables
// OHMROUTE_ADMIN_TOKEN and OHMROUTE_SECRET_KEY override. A directory that can't be written is no error, see InMemory
// and Sealer; a file that is there and can't be used is.
func LoadSecrets(dir string, env func(string) (string, bool)) (Secrets, error) {
	var s Secrets
	if err := s.loadToken(dir, env); err != nil {
		return Secrets{}, err
	}
	key, lost, err := loadSecretKey(dir, env)
	if err != nil {
		return Secrets{}, err
	}
	if s.Sealer, err = NewSealer(key); err != nil {
		return Secrets{}, err
	}
	s.Sealer.inMemory = lost
	return s, nil
}

func (s *Secrets) loadToken(dir string, env func(string) (string, bool)) error {
	if token, set := env(AdminTokenEnv); set && token != "" {
		if wrong := secretRule(token); wrong != "" || len(token) < leastToken {
			return fmt.Errorf("%s must have at least %d printable ASCII characters without blanks", AdminTokenEnv, leastToken)
		}
		s.AdminToken = token
		return nil
	}
	path := filepath.Join(dir, TokenFile)
	fresh := tokenPrefix + base64.RawURLEncoding.EncodeToString(randomBytes())
	token, kept, err := readOrMake(path, fresh)
	if err != nil {
		return err
	}
	if kept == found && (secretRule(token) != "" || len(token) < leastToken) {
		return fmt.Errorf("%s holds no usable token (at least %d printable characters); delete it to get a new one", path, leastToken)
	}
	s.AdminToken, s.Created, s.InMemory = token, kept == made, kept == inMemory
	if kept != inMemory {
		s.TokenPath = path
	}
	return nil
}

func loadSecretKey(dir string, env func(string) (string, bool)) (key []byte, lost bool, err error) {
	if text, set := env(secretKeyEnv); set && text != "" {
		key, err := parseSecretKey(text)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", secretKeyEnv, err)
		}
		return key, false, nil
	}
	path := filepath.Join(dir, keyFile)
	text, kept, err := readOrMake(path, base64.StdEncoding.EncodeToString(randomBytes()))
	if err != nil {
		return nil, false, err
	}
	if key, err = parseSecretKey(text); err != nil {
		return nil, false, fmt.Errorf("%s: %w; without it the stored provider keys can't be read", path, err)
	}
	return key, kept == inMemory, nil
}

// parseSecretKey takes 32 bytes in base64 or hexadecimal, or a passphrase.
func parseSecretKey(text string) ([]byte, error) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == secretKeySize {
			return key, nil
		}
	}
	if len(text) < leastPassphrase {
		return nil, fmt.Errorf("a secret key must be 32 bytes in base64 or hexadecimal, or a passphrase of at least %d characters", leastPassphrase)
	}
	sum := sha256.Sum256([]byte(text))
	return sum[:], nil
}

func randomBytes() []byte {
	b := make([]byte, secretKeySize)
	rand.Read(b) // never fails
	return b
}

// kept is where a secret came from.
type kept uint8

const (
	found kept = iota
	made
	inMemory // the directory can't be written
)

// readOrMake reads a secret's file, or makes it with a fresh one. The file appears whole or not at all, and of two
// processes that make it at the same time one wins for both.
func readOrMake(path, fresh string) (string, kept, error) {
	text, err := os.ReadFile(path)
	if err == nil {
		return string(bytes.TrimSpace(text)), found, tighten(path)
	}
	if _, gone := os.Stat(path); gone == nil { // it is there, and must not be replaced
		return "", found, fmt.Errorf("reading a secret: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // 0600
	if err != nil {
		return fresh, inMemory, nil
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	_, err = temporary.WriteString(fresh + "\n")
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err != nil {
		return fresh, inMemory, nil
	}
	switch err := os.Link(temporary.Name(), path); {
	case err == nil:
		syncDir(filepath.Dir(path))
		return fresh, made, nil
	case errors.Is(err, fs.ErrExist):
		text, err := os.ReadFile(path)
		return strings.TrimSpace(string(text)), found, err
	case os.Rename(temporary.Name(), path) == nil: // a file system without links
		syncDir(filepath.Dir(path))
		return fresh, made, nil
	default:
		return fresh, inMemory, nil
	}
}

// tighten takes a secret's file away from others than its owner.
func tighten(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("%s can be read by others than its owner, and that can't be changed: %w", path, err)
	}
	return nil
}

// syncDir makes a new file survive a power loss, where the file system can: without it, the secret is made again.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
