package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// HostConfig describes one upstream over HTTP.
type HostConfig struct {
	Kind                string            // a name of HostKinds; empty: openai
	BaseURL             string            // as that provider's own SDK takes it
	Preset              string            // name of a preset, empty for a plain host
	Dialects            []Endpoint        // what a host of kind openai speaks natively; nil: everything
	Strict              bool              // what can't be said in the host's dialect is refused, not dropped
	APIVersion          string            // of kind azure; empty: the kind's
	Headers             map[string]string // fixed headers of every request
	ForwardHeaders      []string          // client headers to pass on beside the common ones
	InjectUsage         bool              // ask for usage in streams and keep the extra chunk from the client
	AllowPrivateNetwork bool              // a name in BaseURL may resolve to a private, loopback or shared address
	Now                 func() time.Time  // nil: time.Now
	Dial                Dial              // nil: the network, through the gate of addresses
}

// Dial makes a connection, as net.Dialer.DialContext does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Host is a provider over HTTP. It is safe for concurrent use.
type Host struct {
	upstream
	transport *http.Transport
}

// NewHost checks the configuration, all of it at once, and prepares the provider's own transport.
func NewHost(c HostConfig) (*Host, error) {
	kind, known := hostKinds[cmp.Or(c.Kind, "openai")]
	if !known {
		return nil, fmt.Errorf("kind: there is no %q", c.Kind)
	}
	base, err := baseURL(c.BaseURL)
	fixed, headerErr := fixedHeaders(c.Headers)
	if err := errors.Join(err, headerErr); err != nil {
		return nil, err
	}
	if kind.base != nil {
		kind.base(base)
	}
	preset, _ := PresetOf(c.Preset)
	dial := c.Dial
	if dial == nil {
		dial = newGate(base.Hostname(), c.AllowPrivateNetwork).dialer()
	}
	t := newTransport(dial)
	now := c.Now
	if now == nil {
		now = time.Now
	}
	return &Host{
		transport: t,
		upstream: upstream{
			dialect: cmp.Or(c.Kind, "openai"), preset: c.Preset, kind: kind, native: NativeEndpoints(c.Kind, c.Dialects), strict: c.Strict,
			noReasoning: preset.NoReasoning,
			version:     c.APIVersion, base: base, headers: fixed, forward: canonical(c.ForwardHeaders),
			injectUsage: c.InjectUsage, transport: t, now: now,
		},
	}, nil
}

// Send implements [Provider].
func (p *Host) Send(ctx context.Context, a *Attempt) (*Answer, error) { return p.send(ctx, a) }

// Close drops idle connections; requests under way go on.
func (p *Host) Close() {
	p.drains.wait()
	p.transport.CloseIdleConnections()
}

// baseURL takes an absolute HTTP address without credentials, query or fragment.
func baseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("base_url: not a URL") // what url.Parse says repeats it, with any credentials in it
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("base_url: the scheme must be http or https, not %q", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("base_url: it names no host")
	case u.User != nil:
		return nil, errors.New("base_url: credentials belong into keys")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("base_url: it must end with its path")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// newTransport makes a transport that does what it is told and nothing else: no redirects (it never follows any), no
// proxy from the environment, no compression, no cookies.
func newTransport(dial Dial) *http.Transport {
	return &http.Transport{
		DialContext:            dial,
		TLSHandshakeTimeout:    dialTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    512, // one host: as many streams as may run at once should find a connection
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		WriteBufferSize:        4 << 10, // each stream under way has both
		ReadBufferSize:         4 << 10,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: 256 << 10, // a slow client holds back no more than this
			SendPingTimeout:           30 * time.Second,
			PingTimeout:               15 * time.Second,
		},
	}
}
