package providers

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

// script is what a model of the demo does, request by request.
type script struct {
	turns  []turn
	drawn  bool // the turn is drawn by its share; else they are played in order, over and over
	length int  // requests that all turns take
}

// turn is what happens to one request, or to several in a row.
type turn struct {
	act   string // one of acts
	kind  Kind   // of fail
	times int
	share int // percent, of a drawn turn
	words int
	after int // words before it dies or stalls
	first time.Duration
	delay time.Duration
	wait  time.Duration // Retry-After of fail
}

// acts are what a turn may be, with the options that it takes.
var acts = map[string][]string{
	"ok":     {"words", "first", "delay"},
	"slow":   {"words", "first", "delay"},
	"fail":   {"retry_after", "first"},
	"hang":   {},
	"die":    {"after", "first", "delay"},
	"stall":  {"after", "first", "delay"},
	"empty":  {"first", "delay"},
	"refuse": {"first", "delay"},
	"lie":    {"first"},
}

// Bounds of what a script may ask for.
const (
	longestScript = 4096
	mostTurns     = 64
	longestReply  = 10_000
	mostTimes     = 10_000
	longestPause  = time.Hour
)

// CheckScript tells what is wrong with a script of the demo. A script is a list of turns: "ok x3, fail:overloaded".
// Each request plays the next turn, and after the last the first; "x3" plays a turn for three requests. With "|" in
// place of the commas and a share on each, "ok 20% | fail:server_error 80%", every request draws its turn, always
// the same ones for the same model.
//
//	ok                 answers; words=24, first=100ms (before the first word), delay=20ms (between words)
//	slow               an ok that takes its time: first=2s delay=300ms unless said otherwise
//	fail:<kind>        fails with a kind of failure; retry_after=3s
//	hang               never answers
//	die                breaks the connection off; after=5 words
//	stall              stops in the middle and says no more; after=5 words
//	empty              an answer without content
//	refuse             an answer that the content policy refuses
//	lie                status 200 with an error in it
func CheckScript(text string) error {
	_, err := parseScript(text)
	return err
}

func parseScript(text string) (script, error) {
	if len(text) > longestScript {
		return script{}, fmt.Errorf("longer than %d bytes", longestScript)
	}
	s := script{drawn: strings.Contains(text, "|")}
	separator := ","
	if s.drawn {
		separator = "|"
	}
	var errs []error
	shares := 0
	for i, part := range strings.Split(text, separator) {
		t, err := parseTurn(part, s.drawn)
		if err != nil {
			errs = append(errs, fmt.Errorf("turn %d: %w", i+1, err))
		}
		shares += t.share
		s.length += t.times
		s.turns = append(s.turns, t)
	}
	switch {
	case len(s.turns) > mostTurns:
		errs = append(errs, fmt.Errorf("%d turns, at most %d are allowed", len(s.turns), mostTurns))
	case len(errs) == 0 && s.drawn && shares != 100:
		errs = append(errs, fmt.Errorf("the shares sum up to %d%%, not 100%%", shares))
	}
	return s, errors.Join(errs...)
}

func parseTurn(text string, drawn bool) (turn, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return turn{}, errors.New("it is empty")
	}
	act, kind, isKind := strings.Cut(words[0], ":")
	options, known := acts[act]
	t := turn{act: act, kind: Kind(kind), times: 1, words: 24, after: 5, first: 20 * time.Millisecond, delay: 20 * time.Millisecond}
	if act == "slow" {
		t.first, t.delay = 2*time.Second, 300*time.Millisecond
	}
	switch {
	case !known:
		return t, fmt.Errorf("unknown act %q, known are %s", act, strings.Join(sortedKeys(acts), ", "))
	case isKind != (act == "fail"):
		return t, errors.New("a kind of failure stands behind fail, as in fail:overloaded, and nowhere else")
	case act == "fail" && failures[t.kind].status == 0 && failures[t.kind].err == nil:
		return t, fmt.Errorf("it can't fail with %q, but with %s", kind, strings.Join(failingKinds(), ", "))
	}
	for _, word := range words[1:] {
		if err := t.option(word, options, drawn); err != nil {
			return t, err
		}
	}
	if drawn && t.share == 0 {
		return t, errors.New("it has no share, such as 20%")
	}
	return t, nil
}

// option reads what stands behind an act.
func (t *turn) option(word string, options []string, drawn bool) error {
	if count, ok := strings.CutPrefix(word, "x"); ok && !drawn {
		return number(&t.times, word, count, 1, mostTimes)
	}
	if share, ok := strings.CutSuffix(word, "%"); ok && drawn {
		return number(&t.share, word, share, 1, 100)
	}
	name, value, _ := strings.Cut(word, "=")
	if !slices.Contains(options, name) {
		return fmt.Errorf("unknown option %q of %s, known are %s", word, t.act, strings.Join(append(slices.Clone(options), "x<times> or <share>%"), ", "))
	}
	switch name {
	case "words":
		return number(&t.words, word, value, 1, longestReply)
	case "after":
		return number(&t.after, word, value, 0, longestReply)
	case "first":
		return pause(&t.first, word, value)
	case "delay":
		return pause(&t.delay, word, value)
	default:
		return pause(&t.wait, word, value)
	}
}

func number(to *int, word, value string, least, most int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return fmt.Errorf("%q: the number must be %d to %d", word, least, most)
	}
	*to = n
	return nil
}

func pause(to *time.Duration, word, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > longestPause {
		return fmt.Errorf("%q: the time must be 0s to %s, as in 1.5s", word, longestPause)
	}
	*to = d
	return nil
}

// turn is the turn of the n-th request, counted from 0.
func (s *script) turn(model string, n int) turn {
	if s.drawn {
		lot := draw(model, n) % 100
		for _, t := range s.turns {
			if lot -= t.share; lot < 0 {
				return t
			}
		}
	}
	n %= s.length
	for _, t := range s.turns {
		if n -= t.times; n < 0 {
			return t
		}
	}
	return s.turns[0]
}

// draw is the lot of a model's n-th request, the same in every process.
func draw(model string, n int) int {
	h := fnv.New64a()
	_, _ = h.Write(strconv.AppendInt([]byte(model+"\x00"), int64(n), 10))
	x := h.Sum64()
	x ^= x >> 33 // FNV's high bits are the good ones
	return int(x & (1<<31 - 1))
}
