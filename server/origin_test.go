package server

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOwnHost(t *testing.T) {
	o, err := newOrigins([]string{"127.0.0.1:4700", "gw.example:4700"}, []string{"Proxy.Example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	loopback, lan := net.ParseIP("127.0.0.1"), net.ParseIP("192.0.2.7")
	tests := map[string]struct {
		host string
		over net.IP
		want bool
	}{
		"localhost":                                  {"localhost:4700", loopback, true},
		"localhost in capitals with a dot":           {"LOCALHOST.", loopback, true},
		"the loopback address":                       {"127.0.0.1:4700", loopback, true},
		"the IPv6 loopback address":                  {"[::1]:4700", loopback, true},
		"the listener's name":                        {"gw.example", loopback, true},
		"a configured name":                          {"proxy.example:443", loopback, true},
		"a foreign name over loopback":               {"evil.example:4700", loopback, false},
		"a name that begins like ours":               {"localhost.evil.example", loopback, false},
		"a foreign address over loopback":            {"192.0.2.7:4700", loopback, false},
		"an address over the network":                {"192.0.2.9:4700", lan, true},
		"a foreign name over the network":            {"evil.example", lan, false},
		"no host":                                    {"", loopback, false},
		"a name that is an address to some parsers":  {"2130706433", loopback, false},
		"an address with something behind it":        {"127.0.0.1.evil.example", loopback, false},
		"credentials before a host are no host name": {"localhost@evil.example", loopback, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = tt.host
			r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: tt.over, Port: 4700}))
			if got := o.ownHost(r); got != tt.want {
				t.Errorf("ownHost(%q) = %v, want %v", tt.host, got, tt.want)
			}
		})
	}
}

func TestSameOrigin(t *testing.T) {
	o, err := newOrigins(nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		header map[string]string
		want   bool
	}{
		"a program sends neither header":       {nil, true},
		"the gateway's own page":               {map[string]string{"Sec-Fetch-Site": "same-origin"}, true},
		"a typed address":                      {map[string]string{"Sec-Fetch-Site": "none"}, true},
		"a foreign page":                       {map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		"a page of a sibling domain":           {map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		"the own origin in an old browser":     {map[string]string{"Origin": "http://localhost:4700"}, true},
		"a foreign origin in an old browser":   {map[string]string{"Origin": "https://evil.example"}, false},
		"an opaque origin":                     {map[string]string{"Origin": "null"}, false},
		"node's fetch, which claims only cors": {map[string]string{"Sec-Fetch-Mode": "cors"}, true},
	}
	for name, tt := range tests {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			t.Run(name+" with "+method, func(t *testing.T) {
				r := httptest.NewRequest(method, "http://localhost:4700/", nil)
				for k, v := range tt.header {
					r.Header.Set(k, v)
				}
				if got := o.sameOrigin(r); got != tt.want {
					t.Errorf("sameOrigin = %v, want %v", got, tt.want)
				}
			})
		}
	}
}

func TestScrapesFromThisMachine(t *testing.T) {
	tests := map[string]struct {
		remote, forwarded string
		want              bool
	}{
		"loopback":                            {"127.0.0.1:55", "", true},
		"IPv6 loopback":                       {"[::1]:55", "", true},
		"IPv4 loopback in IPv6":               {"[::ffff:127.0.0.1]:55", "", true},
		"another machine":                     {"192.0.2.1:55", "", false},
		"a proxy here that asks for a client": {"127.0.0.1:55", "192.0.2.1", false},
		"no address":                          {"@", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.RemoteAddr = tt.remote
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-For", tt.forwarded)
			}
			if got := fromLoopback(r); got != tt.want {
				t.Errorf("fromLoopback = %v, want %v", got, tt.want)
			}
		})
	}
}
