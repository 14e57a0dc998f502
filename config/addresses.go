package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// databaseName is the database's file in the data directory.
const databaseName = "ohmroute.db"

// DatabasePath gives the file that a DSN names; an empty DSN is the one in the data directory.
func DatabasePath(dsn, dataDir string) (string, error) {
	if dsn == "" {
		return filepath.Join(dataDir, databaseName), nil
	}
	if wrong := databaseRule(dsn); wrong != "" {
		return "", fmt.Errorf("database %s", wrong)
	}
	return strings.TrimPrefix(strings.TrimPrefix(dsn, "sqlite:"), "//"), nil
}

// databaseRule doesn't quote a DSN, which may hold a password.
func databaseRule(dsn string) string {
	scheme, rest, _ := strings.Cut(dsn, ":")
	switch scheme {
	case "sqlite":
		if path := strings.TrimPrefix(rest, "//"); path == "" || strings.ContainsAny(path, "?#\x00") {
			return "must name a file, as in sqlite:/var/lib/ohmroute/ohmroute.db, without options"
		}
		return ""
	case "postgres", "postgresql":
		return "can't be PostgreSQL yet: this version keeps its state in SQLite, as in sqlite:/var/lib/ohmroute/ohmroute.db"
	default:
		return "must begin with sqlite:, as in sqlite:/var/lib/ohmroute/ohmroute.db"
	}
}

// addressRule is the rule of a listen address.
func addressRule(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "must be host:port, such as 127.0.0.1:4700, not " + quote(address)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "must have a port from 0 to 65,535, and has " + quote(port)
	}
	if strings.ContainsAny(host, " /") {
		return "must be host:port, such as 127.0.0.1:4700, not " + quote(address)
	}
	return ""
}

// IsLoopback tells whether only this machine reaches a listen address.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

func hostRule(host string) string {
	if host == "" || strings.ContainsAny(host, "/ \t\r\n@?#") {
		return "must be the name of a host, such as gateway.example.com, not " + quote(host)
	}
	return ""
}

func originRule(origin string) string {
	if origin == "*" {
		return ""
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Path != "" || u.RawQuery != "" {
		return "must be an origin, such as https://app.example.com, not " + quote(origin)
	}
	return ""
}

// baseURLRule is the rule of an upstream's URL. It doesn't quote one that holds a password.
func baseURLRule(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "must be a URL such as https://api.example.com/v1"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must begin with http:// or https://, as in https://api.example.com/v1"
	case u.User != nil:
		return "must not hold a user or a password; credentials belong in keys"
	case u.Hostname() == "":
		return "must name a host, as in https://api.example.com/v1"
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "must not hold a query or a fragment"
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && neverReached(ip.Unmap()) {
		return "must not point to a link-local, multicast or metadata address, as " + u.Hostname() + " is"
	}
	return ""
}

// neverReached are the addresses that no provider may have (spec: api.md, where a provider may point).
func neverReached(ip netip.Addr) bool {
	return ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() ||
		ip == netip.MustParseAddr("fd00:ec2::254") || ip == netip.MustParseAddr("100.100.100.200")
}
