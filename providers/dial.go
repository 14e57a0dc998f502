package providers

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// Bounds of a connection that is being made. An attempt's own connect limit is usually shorter; the connection then
// goes on being made for the next attempt, but not for ever.
const (
	dialTimeout  = 30 * time.Second
	keepAliveFor = 30 * time.Second // between the probes of a quiet connection
)

// AddressError is a connection that was not made because of where a provider's host points (spec: api.md, where a
// provider may point).
type AddressError struct {
	Address netip.Addr
	Never   bool // no setting allows it
}

func (e *AddressError) Error() string {
	if e.Never {
		return fmt.Sprintf("address %s is link-local or a cloud's metadata service and never used", e.Address)
	}
	return fmt.Sprintf("the host's name resolves to %s, which is not public: allow_private_network is off", e.Address)
}

// gate decides at dial time, when a name has been resolved, whether an address may be connected to.
type gate struct {
	private bool // private, loopback and shared addresses are allowed
}

// newGate returns the gate of a provider's host. A literal address or localhost was written by the operator and is
// used as it is; a name is not trusted to stay what it was.
func newGate(host string, allowPrivate bool) gate {
	_, err := netip.ParseAddr(host)
	local := strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
	return gate{private: allowPrivate || local || err == nil}
}

// dialer returns the function that connects through the gate.
func (g gate) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAliveFor, ControlContext: g.control}
	return d.DialContext
}

// control is called with every resolved address before it is connected to.
func (g gate) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("unexpected address: %w", err)
	}
	return g.check(at.Addr())
}

func (g gate) check(a netip.Addr) error {
	for _, b := range append(embedded(a), a.Unmap().WithZone("")) {
		if isNever(b) {
			return &AddressError{Address: a, Never: true}
		}
		if !g.private && isPrivate(b) {
			return &AddressError{Address: a}
		}
	}
	return nil
}

// isNever tells whether nothing may be sent to an address: link-local ones, with which clouds serve credentials,
// other metadata services, and addresses of no single host.
func isNever(a netip.Addr) bool {
	return a.IsUnspecified() || a.IsLinkLocalUnicast() || a.IsMulticast() || within(a, neverUsed)
}

// isPrivate tells whether an address is one of this host or of a network that is not the Internet.
func isPrivate(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || within(a, notPublic)
}

func within(a netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

var (
	notPublic = prefixes(
		"100.64.0.0/10", "64:ff9b:1::/48", // RFC 6598, RFC 8215
		"240.0.0.0/4", // reserved, and used within networks
		"fec0::/10",   // site-local, RFC 3879
	)
	neverUsed = prefixes(
		"0.0.0.0/8",
		"255.255.255.255/32",
		"100.100.100.200/32", // Alibaba's metadata service, within the shared space
		"168.63.129.16/32",   // Azure's
		"192.0.0.192/32",     // Oracle's
		"fd00:ec2::254/128",  // AWS's
		"fd20:ce::254/128",   // Google's
	)
	// prefixes96 hold an IPv4 address in their last four bytes.
	prefixes96 = prefixes("64:ff9b::/96", "::/96", "::ffff:0:0:0/96") // RFC 6052 (NAT64), RFC 4291 (compatible), RFC 2765
	localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")
	sixToFour  = netip.MustParsePrefix("2002::/16") // RFC 3056
	teredo     = netip.MustParsePrefix("2001::/32") // RFC 4380
)

func prefixes(all ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(all))
	for i, p := range all {
		parsed[i] = netip.MustParsePrefix(p)
	}
	return parsed
}

// embedded lists the IPv4 addresses that a translator or a tunnel may make of an IPv6 address.
func embedded(a netip.Addr) []netip.Addr {
	a = a.WithZone("")
	if !a.Is6() || a.Is4In6() || a == netip.IPv6Loopback() || a.IsUnspecified() {
		return nil
	}
	b := a.As16()
	last := netip.AddrFrom4([4]byte(b[12:16]))
	switch {
	case within(a, prefixes96):
		return []netip.Addr{last}
	case localNAT64.Contains(a):
		return translated(b)
	case sixToFour.Contains(a):
		return []netip.Addr{netip.AddrFrom4([4]byte(b[2:6]))}
	case teredo.Contains(a):
		return []netip.Addr{netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})}
	}
	return nil
}

// translated lists what an address of a local translator may stand for: where the IPv4 address is depends on the
// length of the operator's prefix (RFC 6052, 2.2). The rest is zero, so that what begins with zero is left out.
func translated(b [16]byte) []netip.Addr {
	var all []netip.Addr
	for _, v4 := range [][4]byte{[4]byte(b[12:16]), {b[6], b[7], b[9], b[10]}, {b[7], b[9], b[10], b[11]}, [4]byte(b[9:13])} {
		if v4[0] != 0 {
			all = append(all, netip.AddrFrom4(v4))
		}
	}
	return all
}
