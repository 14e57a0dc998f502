// Package dashboard holds the tests of the dashboard in a real browser: the binary serves it, a Chromium shows it, and
// the test does what an operator would. They wait for what the page shows and never for a time.
//
// Without a Chromium the tests are skipped; with CI=true in the environment, which has to have one, they fail.
package dashboard
