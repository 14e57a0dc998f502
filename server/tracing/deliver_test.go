package tracing

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector: it keeps what it is sent, and answers with a status.
type receiver struct {
	*httptest.Server
	status   int
	path     string
	header   http.Header
	received otlp.TracesData
}

func newReceiver(t *testing.T, status int) *receiver {
	t.Helper()
	r := &receiver{status: status}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var err error
		sent := io.Reader(req.Body)
		if req.Header.Get("Content-Encoding") == "gzip" {
			if sent, err = gzip.NewReader(req.Body); err != nil {
				t.Error(err)
				return
			}
		}
		body, err := io.ReadAll(sent)
		if err == nil {
			err = proto.Unmarshal(body, &r.received)
		}
		if err != nil {
			t.Error(err)
		}
		r.path, r.header = req.URL.Path, req.Header
		w.WriteHeader(r.status)
		_, _ = io.WriteString(w, "you sent the key "+req.Header.Get("X-Api-Key"))
	}))
	t.Cleanup(r.Close)
	return r
}

func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestSpansGoToTheCollectorThatTheEnvironmentNames(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "gateway-west")
	r := newReceiver(t, http.StatusOK)
	tracer, err := FromEnvironment(t.Context(), environment(
		"OTEL_EXPORTER_OTLP_ENDPOINT", r.URL, "OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=sk-collector, x-team = a%20b",
		"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	tracer.Add(failover(), nil, nil)
	if err := tracer.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.path != "/v1/traces" || r.header.Get("X-Api-Key") != "sk-collector" || r.header.Get("X-Team") != "a b" {
		t.Errorf("sent to %s with %v", r.path, r.header)
	}
	sent := r.received.GetResourceSpans()[0]
	if text := sent.GetResource().String(); !strings.Contains(text, "gateway-west") || !strings.Contains(text, "1.2.3") {
		t.Errorf("resource %s", text)
	}
	if n := len(sent.GetScopeSpans()[0].GetSpans()); n != 3 {
		t.Errorf("%d spans, want 3", n)
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestACollectorThatRefusesIsNotQuoted(t *testing.T) {
	r := newReceiver(t, http.StatusUnauthorized)
	tracer, err := FromEnvironment(t.Context(), environment(
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", r.URL+"/own", "OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=sk-collector"), "1")
	if err != nil {
		t.Fatal(err)
	}
	tracer.Add(failover(), nil, nil)
	err = tracer.Deliver(t.Context())
	if err == nil || errors.Is(err, ErrUnreached) || strings.Contains(err.Error(), "sk-collector") || !strings.Contains(err.Error(), "401") {
		t.Errorf("got %v", err)
	}
	if r.path != "/own" {
		t.Errorf("sent to %s", r.path)
	}
	if err := tracer.Deliver(t.Context()); err != nil {
		t.Errorf("what was refused is sent again: %v", err)
	}
}

func TestACollectorThatIsBusyIsAskedAgain(t *testing.T) {
	r := newReceiver(t, http.StatusServiceUnavailable)
	tracer, err := FromEnvironment(t.Context(), environment(endpointEnv, r.URL), "1")
	if err != nil {
		t.Fatal(err)
	}
	tracer.Add(failover(), nil, nil)
	if err := tracer.Deliver(t.Context()); !errors.Is(err, ErrUnreached) || !strings.Contains(err.Error(), "503") {
		t.Errorf("got %v", err)
	}
	r.status = http.StatusOK
	r.received.ResourceSpans = nil
	if err := tracer.Deliver(t.Context()); err != nil || len(r.received.GetResourceSpans()) != 1 {
		t.Errorf("then %v and %d", err, len(r.received.GetResourceSpans()))
	}
}

// TestACollectorThatPointsElsewhereGetsNoKeySentThere: the headers of the exporter are for the named collector.
func TestACollectorThatPointsElsewhereGetsNoKeySentThere(t *testing.T) {
	other := newReceiver(t, http.StatusOK)
	r := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer r.Close()
	tracer, err := FromEnvironment(t.Context(), environment(endpointEnv, r.URL, "OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=k"), "1")
	if err != nil {
		t.Fatal(err)
	}
	tracer.Add(failover(), nil, nil)
	if err := tracer.Deliver(t.Context()); err == nil || !strings.Contains(err.Error(), "307") || other.path != "" {
		t.Errorf("%v; the other place was asked for %q", err, other.path)
	}
}

// TestSettingsOfTheExporterAreChecked: an error names the variable and never quotes it.
func TestSettingsOfTheExporterAreChecked(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS": "x y=key-9", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "key-9%zz=%zz",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "key-9", "OTEL_EXPORTER_OTLP_TIMEOUT": "key-9", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "-1",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_CERTIFICATE": empty,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := FromEnvironment(t.Context(), environment(endpointEnv, "http://c", name, value), "1")
			if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "key-9") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestACollectorProvesItselfWithTheNamedCertificate: over TLS, and not without it.
func TestACollectorProvesItselfWithTheNamedCertificate(t *testing.T) {
	got := make(chan string, 1)
	r := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { got <- req.URL.Path }))
	defer r.Close()
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, named := range []bool{false, true} {
		env := []string{endpointEnv, r.URL}
		if named {
			env = append(env, "OTEL_EXPORTER_OTLP_CERTIFICATE", roots)
		}
		tracer, err := FromEnvironment(t.Context(), environment(env...), "1")
		if err != nil {
			t.Fatal(err)
		}
		tracer.Add(failover(), nil, nil)
		if err := tracer.Deliver(t.Context()); (err == nil) != named {
			t.Errorf("named %t: %v", named, err)
		}
		if err := tracer.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if path := <-got; path != "/v1/traces" {
		t.Errorf("posted to %s", path)
	}
}

func TestWhatDidNotReachTheCollectorIsKept(t *testing.T) {
	for name, failure := range map[string]error{
		"refused":  &url.Error{Op: "Post", URL: "http://key@c/", Err: errors.New("connection refused")},
		"canceled": context.Canceled,
	} {
		t.Run(name, func(t *testing.T) {
			exporter := &stubExporter{failure: failure}
			tracer, err := New(t.Context(), exporter, "1")
			if err != nil {
				t.Fatal(err)
			}
			tracer.Add(failover(), nil, nil)
			if err := tracer.Deliver(t.Context()); !errors.Is(err, ErrUnreached) || strings.Contains(err.Error(), "key@") {
				t.Errorf("got %v", err)
			}
			exporter.failure = nil
			if err := tracer.Deliver(t.Context()); err != nil || exporter.delivered != 3 {
				t.Errorf("then %d spans, %v", exporter.delivered, err)
			}
		})
	}
}

func TestTracesAreOffUnlessACollectorIsNamed(t *testing.T) {
	for name, test := range map[string]struct {
		env  []string
		want string
		err  string
	}{
		"nothing":            {nil, "", ""},
		"an endpoint":        {[]string{endpointEnv, "http://c:4318"}, "http://c:4318/v1/traces", ""},
		"with a path":        {[]string{endpointEnv, "https://c/otlp/"}, "https://c/otlp/v1/traces", ""},
		"one of traces":      {[]string{endpointEnv, "http://c:4318", tracesEndpointEnv, "http://t/x"}, "http://t/x", ""},
		"empty":              {[]string{endpointEnv, ""}, "", ""},
		"disabled":           {[]string{endpointEnv, "http://c", disabledEnv, "TRUE"}, "", ""},
		"no exporter":        {[]string{endpointEnv, "http://c", exporterEnv, "none"}, "", ""},
		"no URL":             {[]string{endpointEnv, "c:4318"}, "", endpointEnv + " must be"},
		"no URL, with a key": {[]string{tracesEndpointEnv, "key-9 http://c"}, "", tracesEndpointEnv + " must be"},
		"without a host":     {[]string{endpointEnv, "http://"}, "", endpointEnv + " must be"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := endpointFrom(environment(test.env...))
			if got != test.want || (err == nil) != (test.err == "") {
				t.Fatalf("%q, %v", got, err)
			}
			if err != nil && (!strings.HasPrefix(err.Error(), test.err) || strings.Contains(err.Error(), "key-9")) {
				t.Errorf("error %v", err)
			}
			if tracer, err := FromEnvironment(t.Context(), environment(test.env...), "1"); test.want == "" && tracer != nil {
				t.Errorf("there is a tracer (%v)", err)
			}
		})
	}
}
