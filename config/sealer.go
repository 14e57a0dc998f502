package config

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// secretKeySize is the size of a secret key in bytes.
const secretKeySize = 32

// Sealer encrypts the provider keys that are stored, with AES-256-GCM, and gives them fingerprints. It is immutable
// and safe for concurrent use.
type Sealer struct {
	aead     cipher.AEAD
	printKey []byte
	inMemory bool // the secret key dies with the process: what it seals can't be read again
}

// NewSealer derives what it needs from a secret key of 32 bytes.
func NewSealer(secretKey []byte) (*Sealer, error) {
	if len(secretKey) != secretKeySize {
		return nil, fmt.Errorf("a secret key has %d bytes, not %d", secretKeySize, len(secretKey))
	}
	derive := func(purpose string) ([]byte, error) {
		return hkdf.Key(sha256.New, secretKey, nil, "ohmroute "+purpose, secretKeySize)
	}
	sealKey, err := derive("seal")
	if err != nil {
		return nil, err
	}
	printKey, err := derive("fingerprint")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(sealKey)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Sealer{aead: aead, printKey: printKey}, nil
}

// Seal encrypts a secret for one place, such as "provider/key name": it can't be opened for another.
func (s *Sealer) Seal(place, secret string) string {
	nonce := make([]byte, s.aead.NonceSize())
	rand.Read(nonce) // never fails
	return base64.StdEncoding.EncodeToString(s.aead.Seal(nonce, nonce, []byte(secret), []byte(place)))
}

var errSealed = errors.New("it was sealed with another secret key, for another place, or is damaged")

// Open decrypts what Seal gave for the same place.
func (s *Sealer) Open(place, sealed string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || len(raw) < s.aead.NonceSize() {
		return "", errSealed
	}
	nonce, ciphertext := raw[:s.aead.NonceSize()], raw[s.aead.NonceSize():]
	secret, err := s.aead.Open(nil, nonce, ciphertext, []byte(place))
	if err != nil {
		return "", errSealed
	}
	return string(secret), nil
}

// Fingerprint tells two secrets apart without telling them (spec: breaker.md 6.3).
func (s *Sealer) Fingerprint(secret string) string {
	mac := hmac.New(sha256.New, s.printKey)
	mac.Write([]byte(secret))
	return hex.EncodeToString(mac.Sum(nil))
}
