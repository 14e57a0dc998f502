package main

import (
	"math"
	"net/http"
	"time"
)

// script is how long what lasts, before it is scaled.
const (
	healthyFor  = 20 * time.Second // before the fault
	faultFor    = 45 * time.Second
	recoverFor  = 60 * time.Second // at most: a run ends when every target was asked again
	limitOf     = 2 * time.Second  // first token, response and silence, of the target that fails
	flapEach    = 2 * time.Second
	retryAfter  = 5 * time.Second
	answersIn   = 20 * time.Millisecond // a target, healthy or not; not scaled
	wordsApart  = 5 * time.Millisecond  // not scaled
	wordsStream = 3
)

// moment is what a fault may depend on.
type moment struct {
	since time.Duration // since the fault began, as if the script were not scaled
	call  int64         // the number of this call among those of the target
	scale float64
}

// incident is a way to fail: what the target does with a call while the fault lasts.
type incident struct {
	name     string
	says     string
	refused  bool // nothing listens
	streamed bool // shows in streams only
	act      func(moment) act
}

// act answers one call.
type act func(w http.ResponseWriter, r *http.Request, streamed bool)

func always(a act) func(moment) act { return func(moment) act { return a } }

var incidents = []incident{
	{name: "dead", says: "connections are refused", refused: true},
	{name: "refusing", says: "every answer is a 503", act: always(refuse)},
	{name: "hanging", says: "nothing comes, no headers either", act: always(hang)},
	{name: "hanging-mid-stream", says: "a word comes, then nothing", streamed: true, act: always(hangInStream)},
	{name: "limited-hint", says: "429 with Retry-After: 5", act: func(m moment) act { return limited(m.scale) }},
	{name: "limited", says: "429 without Retry-After", act: always(limited(0))},
	{name: "lying", says: "200 with an error", act: always(lie)},
	{name: "flapping", says: "503 and well, two seconds each", act: flap},
	{name: "slow-death", says: "slower and slower, past the limit", act: slowDeath},
	{name: "slow-recovery", says: "503, then well more and more often", act: slowRecovery},
}

func flap(m moment) act {
	if m.since/flapEach%2 == 0 {
		return refuse
	}
	return answerWell
}

// slowDeath reaches the limit in the middle of the fault.
func slowDeath(m moment) act {
	late := time.Duration(float64(m.since) / float64(faultFor) * 2 * float64(limitOf) * m.scale)
	return func(w http.ResponseWriter, r *http.Request, streamed bool) {
		if wait(r, late) {
			answerWell(w, r, streamed)
		}
	}
}

// slowRecovery fails all calls in the first half, and then a share that falls to none.
func slowRecovery(m moment) act {
	bad := math.Min(1, 2-2*float64(m.since)/float64(faultFor))
	const turn = 10
	if float64(m.call%turn) < bad*turn {
		return refuse
	}
	return answerWell
}
