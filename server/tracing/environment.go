package tracing

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
)

// The variables that say where traces go.
const (
	endpointEnv       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesEndpointEnv = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	disabledEnv       = "OTEL_SDK_DISABLED"
	exporterEnv       = "OTEL_TRACES_EXPORTER"
)

// FromEnvironment makes a tracer that delivers by OTLP over HTTP, if the environment names a collector; else it is nil.
// The other variables of the OTLP exporter, such as OTEL_EXPORTER_OTLP_HEADERS, act on it too.
func FromEnvironment(ctx context.Context, env func(string) (string, bool), version string) (*Tracer, error) {
	endpoint, err := endpointFrom(env)
	if endpoint == "" {
		return nil, err
	}
	// The library writes to the standard error stream what it can't read in its variables, and a key may stand there.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	client, err := newUploader(endpoint, env)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	return New(ctx, exporter, version)
}

// endpointFrom is the URL that spans are posted to, empty for none.
func endpointFrom(env func(string) (string, bool)) (string, error) {
	if off, _ := env(disabledEnv); strings.EqualFold(off, "true") {
		return "", nil
	}
	if to, _ := env(exporterEnv); to == "none" {
		return "", nil
	}
	name := tracesEndpointEnv
	text, _ := env(name)
	if text == "" {
		name = endpointEnv
		text, _ = env(name)
	}
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", errors.New(name + " must be the URL of a collector, as in http://localhost:4318")
	}
	if name == endpointEnv {
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}
