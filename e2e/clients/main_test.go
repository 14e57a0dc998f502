package clients

import (
	"os"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/process"
)

func TestMain(m *testing.M) { os.Exit(process.Main(m)) }
