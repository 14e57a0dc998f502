package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// origins decides from where a browser may reach the admin side, and the client side while that is open: only from a
// page of this host itself, and only under a host name that a foreign DNS server can't have pointed here (DNS
// rebinding).
type origins struct {
	hosts   []string // lower case, without port
	allowed []string // CORS, for the client side only; "*" is any
	same    http.CrossOriginProtection
	client  http.CrossOriginProtection
}

func newOrigins(listen []string, hosts, allowed []string) (*origins, error) {
	o := &origins{allowed: allowed}
	for _, h := range slices.Concat(listen, hosts) {
		if name := hostName(h); name != "" {
			o.hosts = append(o.hosts, name)
		}
	}
	for _, origin := range allowed {
		if origin == "*" {
			continue
		}
		if err := o.client.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// hostName is the host of "host:port" or "host", in lower case and without brackets or a last dot.
func hostName(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// ownHost tells whether the request names this gateway: localhost, a configured name, or an address. On a loopback
// connection only loopback addresses count; elsewhere any does, since ports may be mapped on the way.
func (o *origins) ownHost(r *http.Request) bool {
	host := hostName(r.Host)
	if host == "localhost" || slices.Contains(o.hosts, host) {
		return true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return addr.Unmap().IsLoopback() || !onLoopback(r)
}

// onLoopback tells whether the request came in over a loopback connection.
func onLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true
	}
	ap, err := netip.ParseAddrPort(local.String())
	return err != nil || ap.Addr().Unmap().IsLoopback()
}

// sameOrigin tells whether no foreign page sent the request, whatever its method.
func (o *origins) sameOrigin(r *http.Request) bool {
	return o.same.Check(asUnsafe(r)) == nil
}

// mayCall tells whether no page, or one of an allowed origin, sent a request that costs something.
func (o *origins) mayCall(r *http.Request) bool {
	return slices.Contains(o.allowed, "*") || o.client.Check(r) == nil
}

// rebound tells whether a page may have sent the request from a host name that isn't this gateway's: its origin looks
// like ours then. Pages of origins that were allowed are not asked under which name they found us.
func (o *origins) rebound(r *http.Request) bool {
	fromPage := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
	return fromPage && o.allowedOrigin(r) == "" && !o.ownHost(r)
}

// asUnsafe is r as [http.CrossOriginProtection] sees a method that it checks.
func asUnsafe(r *http.Request) *http.Request {
	return &http.Request{Method: http.MethodPost, Host: r.Host, Header: r.Header, URL: r.URL}
}

// allowedOrigin is the request's Origin if CORS is configured for it, else empty.
func (o *origins) allowedOrigin(r *http.Request) string {
	if len(o.allowed) == 0 {
		return ""
	}
	origin := r.Header.Get("Origin")
	if origin != "" && (slices.Contains(o.allowed, "*") || slices.Contains(o.allowed, origin)) {
		return origin
	}
	return ""
}

const (
	corsMethods = "GET, HEAD, POST, OPTIONS"
	corsExposed = "x-request-id, request-id, x-ohmroute-combo, x-ohmroute-target, x-ohmroute-attempts, x-ohmroute-dropped, " +
		"x-ohmroute-estimated, x-upstream-request-id, retry-after, x-should-retry"
)

// cors adds what lets a page of an allowed origin read the answer. It is true if that was all there is to answer.
func (o *origins) cors(w http.ResponseWriter, r *http.Request, path string) bool {
	origin := o.allowedOrigin(r)
	if origin == "" || strings.HasPrefix(path, adminPrefix) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", corsExposed)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// clientAddress is the address of the connection's other end; headers that a client can write are not asked.
func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// fromLoopback tells whether a program on this machine asks, and asks for itself: a proxy here that forwards for
// others says so in its headers.
func fromLoopback(r *http.Request) bool {
	if r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
		return false
	}
	addr, err := netip.ParseAddr(clientAddress(r))
	return err == nil && addr.Unmap().IsLoopback()
}
