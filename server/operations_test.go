package server

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	adminCall = regexp.MustCompile(`curl [^\n]*?"?\$API(/[A-Za-z0-9_/-]+)`)
	parameter = regexp.MustCompile(`:[a-z]+`)
)

func TestTheManualAsksOnlyForWhatIsServed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	calls := adminCall.FindAllStringSubmatch(string(text), -1)
	if len(calls) < 10 {
		t.Fatalf("only %d calls were found", len(calls))
	}
	for _, call := range calls {
		method := http.MethodGet
		if strings.Contains(call[0], "-X POST") {
			method = http.MethodPost
		}
		served := false
		for _, rt := range routes {
			pattern := "^" + parameter.ReplaceAllString(rt.path, "[A-Z_]+") + "$"
			served = served || rt.method == method && regexp.MustCompile(pattern).MatchString("/api/v1"+call[1])
		}
		if !served {
			t.Errorf("%s %s is not served", method, call[1])
		}
	}
}
