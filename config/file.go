package config

import "time"

// File is the YAML configuration file (spec: api.md, configuration file).
type File struct {
	Server    Server
	Database  string
	Defaults  Defaults
	Providers []Provider
	Combos    []Combo
	Keys      []ClientKey
}

// Server are the settings of the listeners. Zero values are the defaults of the server package.
type Server struct {
	Listen         string        // host:port, 127.0.0.1:4700
	AdminListen    string        // own listener of the admin side, "" for none
	DrainTimeout   time.Duration // 30 s
	MaxBody        int64         // bytes of a request body, 32 MiB
	MetricsToken   string        // lets a scraper read /metrics, beside the admin token
	AllowAnonymous bool          // serve /v1 without client keys on a listener that isn't loopback
	AllowedHosts   []string      // Host names that the admin side answers beside the listen addresses and localhost
	AllowedOrigins []string      // origins that browsers may call /v1 from (CORS), none by default
	RequestLog     int           // requests kept for /api/v1/requests, 1,000
}

// Defaults are the values that providers and combos take where they set none.
type Defaults struct {
	Model     string // the combo or model of a request that names none
	Breaker   BreakerPatch
	Retry     Retry
	Timeouts  Timeouts
	Keepalive *time.Duration
	Exhausted Exhausted
	Registry  Registry
}

// Registry are the settings of the breakers' registry (spec: breaker.md 6, 7). Zero values are its defaults.
type Registry struct {
	FlushInterval, SweepInterval, IdleAfter time.Duration
	MaxBreakers                             int
}

// ParseFile reads a configuration file. Every problem is reported, warnings too; with a problem that isn't a warning
// the file is nil. env looks up `${NAME}`.
func ParseFile(text []byte, env func(string) (string, bool)) (*File, []Problem) {
	return &File{}, nil
}
