package simulate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/combo"
	"github.com/ohmroute/ohmroute/providers"
)

// Log is the request log of a gateway: when requests came, and what each attempt did.
type Log struct {
	requests []logged // the oldest first
}

// logged is one request of a log; at is counted from the oldest.
type logged struct {
	at       time.Duration
	combo    string
	endpoint string
	streamed bool
	attempts []observation
}

// observation is one call of a target, as a log has it.
type observation struct {
	target   string
	at       time.Duration // when it was sent; about, in logs without start_ms
	kind     providers.Kind
	status   int
	streamed bool
	first    time.Duration // to the first token; 0: there was none
	lasted   time.Duration
}

// ReadLog reads answers of GET /api/v1/requests, any number of them one behind the other, or requests one by one.
func ReadLog(r io.Reader) (*Log, error) {
	var all []gjson.Result
	for dec := json.NewDecoder(r); ; {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the request log is not JSON: %w", err)
		}
		next := gjson.ParseBytes(raw)
		if page := next.Get("requests"); page.IsArray() {
			all = append(all, page.Array()...)
		} else {
			all = append(all, next)
		}
		if len(all) > maxRequests {
			return nil, fmt.Errorf("the request log has over %d requests: a part of it has to do", maxRequests)
		}
	}
	l := &Log{}
	starts := make([]time.Time, len(all))
	first := time.Time{}
	for i := range all {
		at, err := time.Parse(time.RFC3339, all[i].Get("at").String())
		if err != nil || !all[i].Get("attempts").IsArray() {
			return nil, fmt.Errorf("value %d of the request log is no request of GET /api/v1/requests", i+1)
		}
		if starts[i] = at; first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for i := range all {
		if all[i].Get("outcome").String() != combo.OutcomeRejected { // no walk was begun for it
			l.requests = append(l.requests, readLogged(&all[i], starts[i].Sub(first).Truncate(time.Millisecond)))
		}
	}
	slices.SortStableFunc(l.requests, func(a, b logged) int { return cmp.Compare(a.at, b.at) })
	return l, nil
}

func readLogged(r *gjson.Result, at time.Duration) logged {
	one := logged{
		at: at, combo: r.Get("combo").String(), streamed: r.Get("stream").Bool(),
		endpoint: cmp.Or(r.Get("endpoint").String(), string(providers.Chat)),
	}
	sent := at
	for _, a := range r.Get("attempts").Array() {
		if a.Get("outcome").String() == string(combo.Skipped) {
			continue
		}
		if start := a.Get("start_ms"); start.Exists() { // older logs don't say it
			sent = at + milliseconds(start)
		}
		o := observation{
			target: a.Get("provider").String() + "/" + a.Get("model").String(), at: sent, streamed: one.streamed,
			kind: providers.Kind(a.Get("kind").String()), status: int(a.Get("status").Int()),
			first: milliseconds(a.Get("first_token_ms")), lasted: milliseconds(a.Get("ms")),
		}
		sent += o.lasted
		one.attempts = append(one.attempts, o)
	}
	return one
}

// milliseconds bounds what a log says to what a simulation lasts.
func milliseconds(r gjson.Result) time.Duration {
	return time.Duration(min(max(r.Int(), 0), longest.Milliseconds())) * time.Millisecond
}

// end is when the last request came, and a bit.
func (l *Log) end() time.Duration {
	if len(l.requests) == 0 {
		return 0
	}
	return l.requests[len(l.requests)-1].at + time.Millisecond
}

// arrivals are the requests of a combo.
func (l *Log) arrivals(name string) []arrival {
	var all []arrival
	for i := range l.requests {
		if r := &l.requests[i]; r.combo == name {
			all = append(all, arrival{at: r.at, streamed: r.streamed, session: uint64(len(all)), endpoint: r.endpoint})
		}
	}
	return apart(all)
}

// observations are all calls of each target in the order in which they were sent, whatever combo they were for. What
// ended because of the client or of the gateway says nothing about the target.
func (l *Log) observations() map[string][]observation {
	seen := map[string][]observation{}
	for i := range l.requests {
		for _, o := range l.requests[i].attempts {
			if o.kind != providers.Canceled && o.kind != providers.Local {
				seen[o.target] = append(seen[o.target], o)
			}
		}
	}
	for _, of := range seen {
		slices.SortStableFunc(of, func(a, b observation) int { return cmp.Compare(a.at, b.at) })
	}
	return seen
}
