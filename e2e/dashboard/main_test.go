package dashboard

import (
	"os"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/process"
)

func TestMain(m *testing.M) {
	code := process.Main(m)
	closeBrowser()
	os.Exit(code)
}
