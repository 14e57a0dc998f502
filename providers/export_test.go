package providers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
)

// Trust makes the provider trust a server's certificate.
func (p *Host) Trust(c *x509.Certificate) {
	pool := x509.NewCertPool()
	pool.AddCert(c)
	p.transport.TLSClientConfig = &tls.Config{RootCAs: pool}
}

// Dial makes the provider connect in another way.
func (p *Host) Dial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	p.transport.DialContext = dial
}

// Wait returns when what was left of answers has been read.
func (p *Host) Wait() { p.drains.wait() }
