package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"golang.org/x/net/http/httpguts"
	"google.golang.org/protobuf/proto"
)

// uploader posts spans to a collector, in OTLP's binary form over HTTP. It is OpenTelemetry's exporter without its
// client, which links gRPC into the binary (see ADR 0009).
type uploader struct {
	endpoint string
	header   http.Header
	gzip     bool
	client   *http.Client
}

var _ otlptrace.Client = (*uploader)(nil)

// uploadTimeout is how long a delivery may take if nothing else is said, as the specification of the exporter has it.
const uploadTimeout = 10 * time.Second

// newUploader reads the variables of the exporter that are not about where traces go. Its errors name variables and
// quote none: a key may stand there.
func newUploader(endpoint string, env func(string) (string, bool)) (*uploader, error) {
	setting := func(name string) (variable, value string) { return ofTraces(env, name) }
	u := &uploader{endpoint: endpoint, client: &http.Client{
		Timeout: uploadTimeout,
		// A key is sent to nobody but who was named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	var problems []error

	variable, value := setting("HEADERS")
	header, ok := headerList(value)
	if !ok {
		problems = append(problems, fmt.Errorf("%s must be a list as in name=value,name=value", variable))
	}
	u.header = header

	switch variable, value = setting("COMPRESSION"); value {
	case "", "none":
	case "gzip":
		u.gzip = true
	default:
		problems = append(problems, fmt.Errorf("%s must be gzip or none", variable))
	}

	if variable, value = setting("TIMEOUT"); value != "" {
		ms, err := strconv.Atoi(value)
		if err != nil || ms <= 0 {
			problems = append(problems, fmt.Errorf("%s must be a number of milliseconds", variable))
		}
		u.client.Timeout = time.Duration(ms) * time.Millisecond
	}

	if variable, value = setting("PROTOCOL"); value != "" && value != "http/protobuf" {
		problems = append(problems, fmt.Errorf("%s: only http/protobuf is spoken", variable))
	}

	security, err := collectorTLS(setting)
	if err != nil {
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = security
	u.client.Transport = transport
	return u, nil
}

// ofTraces gives a variable of the exporter, the one for traces before the one for all signals, and its name.
func ofTraces(env func(string) (string, bool), name string) (variable, value string) {
	variable = "OTEL_EXPORTER_OTLP_TRACES_" + name
	if value, _ = env(variable); value == "" {
		variable = "OTEL_EXPORTER_OTLP_" + name
		value, _ = env(variable)
	}
	return variable, strings.TrimSpace(value)
}

// headerList reads name=value,name=value with values in percent-encoding.
func headerList(text string) (http.Header, bool) {
	header := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		name = strings.TrimSpace(name)
		if err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(decoded) {
			return nil, false
		}
		header.Set(name, decoded)
	}
	return header, true
}

// collectorTLS is what the collector has to prove and what is proved to it; nil: as everywhere.
func collectorTLS(setting func(string) (variable, value string)) (*tls.Config, error) {
	variable, roots := setting("CERTIFICATE")
	_, certificate := setting("CLIENT_CERTIFICATE")
	keyVariable, key := setting("CLIENT_KEY")
	if roots == "" && certificate == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if roots != "" {
		pem, err := os.ReadFile(roots)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", variable, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: the file holds no certificate", variable)
		}
	}
	if certificate != "" {
		own, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keyVariable, err)
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}

// Start implements [otlptrace.Client].
func (u *uploader) Start(context.Context) error { return nil }

// Stop implements [otlptrace.Client].
func (u *uploader) Stop(context.Context) error {
	u.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements [otlptrace.Client]. Spans that the collector did not take now and may take later are
// [ErrUnreached]. Its answers are not read: they may quote the key that it was sent.
func (u *uploader) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	// On the wire this is the request of the collector's service, whose own type comes with gRPC.
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if u.gzip {
		body = zipped(body)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = u.header.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	if u.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := u.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxUploadAnswer) // so that the connection can be used again
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Errorf("%w: it answered %s", ErrUnreached, resp.Status)
	}
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the collector answered %s", resp.Status)
	}
	return nil
}

// maxUploadAnswer bounds what is read of a collector's answer, in bytes.
const maxUploadAnswer = 64 << 10

func zipped(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}
