package providers_test

import (
	"testing"

	"github.com/ohmroute/ohmroute/providers"
	"github.com/ohmroute/ohmroute/providers/providertest"
)

func TestOpenAI(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Open: func(baseURL string) (providers.Provider, error) {
			return providers.NewHost(providers.HostConfig{BaseURL: baseURL})
		},
	})
}
