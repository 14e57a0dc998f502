package config

import (
	"reflect"
	"slices"
	"time"
)

// File is the YAML configuration file (spec: api.md, configuration file). It stands on its own: what its combos name
// is in it.
type File struct {
	Server    Server
	Database  string
	Defaults  Defaults
	Providers []Provider
	Combos    []Combo
	Keys      []ClientKey
}

func (f *File) members(m members) {
	m.object("server", f.Server.members)
	text(m, "database", &f.Database, optional(databaseRule))
	m.object("defaults", f.Defaults.members)
	objects(m, "providers", &f.Providers, (*Provider).members)
	objects(m, "combos", &f.Combos, (*Combo).members)
	objects(m, "keys", &f.Keys, (*ClientKey).fileMembers)
}

// ParseFile reads a configuration file. Every problem is reported, warnings too; with a problem that isn't a warning
// the file is nil. env looks up `${NAME}`.
func ParseFile(text []byte, env func(string) (string, bool)) (*File, []Problem) {
	root, problems := parseYAML(text, env)
	if len(problems) > 0 && root.form == formNull {
		return nil, problems
	}
	var f File
	r := reading{problems: problems}
	r.read("", &root, f.members)
	problems = firstPerPath(append(r.problems, f.check()...))
	for i := range f.Providers {
		path := at("providers", i)
		if !slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning && lies(p.Path, path) }) {
			problems = append(problems, f.Providers[i].checkClient(path)...)
		}
	}
	if Errors(problems) {
		return nil, problems
	}
	return &f, problems
}

// Errors tells whether some problem is more than a warning.
func Errors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning })
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
	RequestLog     RequestLog    // what is kept for /api/v1/requests
}

// RequestLog says how much of the log of finished requests is kept: whatever is over one of the limits goes, the
// oldest first. Zero values are the defaults of the server package.
type RequestLog struct {
	MaxRows int           // 100,000
	MaxAge  time.Duration // since a request began, 168 h
	MaxSize int64         // bytes on disk, about, 256 MiB
}

const (
	leastBody = 1 << 10
	mostBody  = 1 << 30

	leastLogSize = 1 << 20
	mostLogSize  = 1 << 30
)

func (s *Server) members(m members) {
	text(m, "listen", &s.Listen, optional(addressRule))
	text(m, "admin_listen", &s.AdminListen, optional(addressRule))
	duration(m, "drain_timeout", &s.DrainTimeout, aboveZero)
	size(m, "max_body", &s.MaxBody, span{least: leastBody, most: mostBody})
	text(m, "metrics_token", &s.MetricsToken, optional(secretRule))
	flag(m, "allow_anonymous", &s.AllowAnonymous)
	m.texts("allowed_hosts", &s.AllowedHosts, hostRule)
	m.texts("allowed_origins", &s.AllowedOrigins, originRule)
	s.RequestLog.members(m)
}

// members are those of request_log, which may also be the number of rows alone.
func (l *RequestLog) members(m members) {
	rows := span{least: 1, most: mostCounts}
	plain(&l.MaxRows, func(v **int) {
		m.countOr("request_log", v, rows, func(m members) {
			m.count("max_rows", v, rows)
			duration(m, "max_age", &l.MaxAge, aboveZero)
			size(m, "max_size", &l.MaxSize, span{least: leastLogSize, most: mostLogSize})
		})
	})
}

// Defaults are the values that providers and combos take where they set none.
type Defaults struct {
	Model     string // the combo or provider/model of a request that names none
	Breaker   BreakerPatch
	Retry     Retry
	Timeouts  ComboTimeouts
	Keepalive *time.Duration
	Exhausted Exhausted
	Registry  Registry
}

func (d *Defaults) members(m members) {
	text(m, "model", &d.Model, optional(nameRule))
	m.object("breaker", func(m members) { d.Breaker.members(m, true) })
	m.object("retry", d.Retry.members)
	m.object("timeouts", d.Timeouts.members)
	m.duration("keepalive", &d.Keepalive, orZero)
	m.object("when_exhausted", d.Exhausted.members)
	m.object("registry", d.Registry.members)
}

// Registry are the settings of the breakers' registry (spec: breaker.md 6, 7). Zero values are its defaults.
type Registry struct {
	FlushInterval, SweepInterval, IdleAfter time.Duration
	MaxBreakers                             int
}

func (r *Registry) members(m members) {
	duration(m, "flush_interval", &r.FlushInterval, aboveZero)
	duration(m, "sweep_interval", &r.SweepInterval, aboveZero)
	duration(m, "idle_after", &r.IdleAfter, aboveZero)
	count(m, "max_breakers", &r.MaxBreakers, span{least: 1, most: mostCounts})
}

// SameProcess tells whether two files agree on what is read at the start of the process only.
func (f *File) SameProcess(other *File) bool {
	return reflect.DeepEqual(f.Server, other.Server) && f.Database == other.Database && f.Defaults.Registry == other.Defaults.Registry
}
