package config

// Secrets are the two secrets of a data directory (spec: api.md, files and secrets).
type Secrets struct {
	AdminToken string
	Sealer     *Sealer
	TokenPath  string // where the token stands; "" if it came from the environment or lives in memory
	Created    bool   // the token was made just now: it is shown once
	InMemory   bool   // the directory can't be written: both die with the process
}

// LoadSecrets reads admin.token and secret.key of a data directory, or makes them, both 0600. The variables
// OHMROUTE_ADMIN_TOKEN and OHMROUTE_SECRET_KEY override. A directory that can't be written is no error, see InMemory;
// a file that is there and can't be used is.
func LoadSecrets(dir string, env func(string) (string, bool)) (Secrets, error) {
	return Secrets{}, nil
}

// Sealer encrypts the provider keys that are stored, with AES-256-GCM.
type Sealer struct{}
