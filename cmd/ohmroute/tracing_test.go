package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestTracesAreDeliveredBeforeTheEnd(t *testing.T) {
	var spans atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || strings.Contains(string(body), "the-prompt") {
			t.Errorf("%v, or a prompt in\n%q", err, body)
		}
		spans.Add(int64(strings.Count(string(body), "gen_ai.operation.name")))
	}))
	defer collector.Close()
	r, err := begin(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}, "")
	if err != nil {
		t.Fatal(err)
	}
	r.chat(t)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if n := spans.Load(); n != 2 {
		t.Errorf("%d spans arrived, want the request's and its attempt's", n)
	}
}

func TestACollectorThatCanNotBeNamedStopsNobody(t *testing.T) {
	r, err := begin(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"}, "")
	if err != nil {
		t.Fatal(err)
	}
	r.chat(t)
}
