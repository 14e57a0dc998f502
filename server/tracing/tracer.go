// Package tracing turns finished requests into OpenTelemetry spans and delivers them to a collector: one span for the
// request, continuing the client's trace, and below it one for each attempt. It is told of requests after their end,
// so nothing of it stands in a request's way, and it is told no text of prompt or answer.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer makes spans and keeps them until they are delivered. It is for one goroutine at a time.
type Tracer struct {
	tracer   trace.Tracer
	exporter sdk.SpanExporter
	ended    collector
}

// ErrUnreached is the error of a delivery that the collector knows nothing of; it may be tried again.
var ErrUnreached = errors.New("the collector was not reached")

// New makes a tracer that delivers to an exporter, which it takes over. OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES and
// OTEL_TRACES_SAMPLER act on it.
func New(ctx context.Context, exporter sdk.SpanExporter, version string) (*Tracer, error) {
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "ohmroute"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Tracer{exporter: exporter}
	t.tracer = sdk.NewTracerProvider(sdk.WithResource(described), sdk.WithSpanProcessor(&t.ended)).
		Tracer("github.com/ohmroute/ohmroute", trace.WithInstrumentationVersion(version))
	return t, nil
}

// Deliver sends what was added. After [ErrUnreached] it is kept for the next call; after any other error it is given up.
func (t *Tracer) Deliver(ctx context.Context) error {
	if len(t.ended.spans) == 0 {
		return nil
	}
	err := t.exporter.ExportSpans(ctx, t.ended.spans)
	if err = reason(err); !errors.Is(err, ErrUnreached) {
		clear(t.ended.spans)
		t.ended.spans = t.ended.spans[:0]
	}
	return err
}

// Close ends the exporter.
func (t *Tracer) Close(ctx context.Context) error { return t.exporter.Shutdown(ctx) }

// reason is an exporter's error without the collector's address, which may hold a key.
func reason(err error) error {
	if err == nil {
		return nil
	}
	if unsent, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%w: %w", ErrUnreached, unsent.Err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return ErrUnreached
	}
	return err
}

// collector keeps the spans that ended.
type collector struct{ spans []sdk.ReadOnlySpan }

func (c *collector) OnStart(context.Context, sdk.ReadWriteSpan) {}

func (c *collector) OnEnd(s sdk.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.spans = append(c.spans, s)
	}
}

func (c *collector) Shutdown(context.Context) error   { return nil }
func (c *collector) ForceFlush(context.Context) error { return nil }
