package server

import (
	"net/http"
	"slices"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

const headerEstimated = "X-Ohmroute-Estimated"

// estimable tells whether the gateway answers a question for a count of tokens itself: nobody is there who counts, or
// all who do failed (spec: clients.md, Across dialects). What the client did wrong it is told, and that every target
// refuses its provider's key: the messages that it wants to count would fail as well, and an estimate would hide why.
func estimable(req *providers.Request, e *combo.Error) bool {
	if req.Endpoint != providers.CountTokens || e.Combo == "" { // nothing goes by that name
		return false
	}
	switch e.Kind {
	case providers.ClientError, providers.Unsupported:
		return e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed // a host that has no such path
	case providers.ContentPolicy, providers.ContextLength, providers.Canceled:
		return false
	}
	return !keysRefused(e.Attempts)
}

// keyFaults are failures that only the operator can end.
var keyFaults = []providers.Kind{providers.Auth, providers.Billing, providers.Permission}

// keysRefused tells whether every target was asked and refused its key. One that was skipped may well serve messages.
func keysRefused(attempts []combo.Attempt) bool {
	return len(attempts) > 0 &&
		!slices.ContainsFunc(attempts, func(a combo.Attempt) bool { return !slices.Contains(keyFaults, a.Kind) })
}

// estimate answers with a guess, and returns the report of a request that was answered.
func (s *Server) estimate(x *exchange, req *providers.Request, e *combo.Error) combo.Report {
	h := x.Header()
	describe(h, e.Combo, "", "", e.Attempts, nil)
	h[headerEstimated] = []string{"true"}
	writeJSON(x, http.StatusOK, struct {
		InputTokens int `json:"input_tokens"`
	}{max(1, req.EstimatedTokens())})
	report := e.Report()
	report.Outcome, report.Status, report.Kind, report.Code = combo.OutcomeOK, http.StatusOK, "", ""
	return report
}
