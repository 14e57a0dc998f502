package providers

import (
	"crypto/tls"
	"crypto/x509"
)

// Trust makes the provider trust a server's certificate.
func (p *OpenAI) Trust(c *x509.Certificate) {
	pool := x509.NewCertPool()
	pool.AddCert(c)
	p.transport.TLSClientConfig = &tls.Config{RootCAs: pool}
}

// Wait returns when what was left of answers has been read.
func (p *OpenAI) Wait() { p.drains.wait() }
