package providertest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// script is what the upstream does for a request.
type script struct {
	times int
	steps []step
}

// step is one command with its arguments read.
type step struct {
	name     string
	text     string
	number   int
	other    int
	duration time.Duration
}

// arguments says how the rest of a command's line is read.
type arguments uint8

const (
	none arguments = iota
	text
	word
	number
	twoNumbers
	duration
	quoted
	file
	numberAndText
)

var commands = map[string]arguments{
	"times": number, "status": number, "header": text, "delay": duration, "wait": word, "hang": none,
	"chat": text, "whole": text, "error": numberAndText, "body": text, "json": text, "role": none, "chunk": text, "reason": text,
	"tool": text, "finish": word, "usage": twoNumbers, "done": none, "event": text, "typed": text, "comment": text,
	"raw": quoted, "events": file, "upto": number, "split": number, "echo": none, "cut": none, "end": none,
	"garbage": none, "wire": quoted, "flood": word,
}

var floods = map[string]bool{"headers": true, "body": true, "events": true, "line": true}

// parse reads a script. Its error names the command.
func parse(text string) (script, error) {
	s := script{times: 1}
	separator := "; "
	if strings.Contains(text, "\n") {
		separator = "\n"
	}
	for line := range strings.SplitSeq(text, separator) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		st, err := parseStep(line)
		if err != nil {
			return script{}, fmt.Errorf("%q: %w", line, err)
		}
		if st.name == "times" {
			s.times = st.number
			continue
		}
		s.steps = append(s.steps, st)
	}
	return s, nil
}

func parseStep(line string) (step, error) {
	name, rest, _ := strings.Cut(line, " ")
	kind, ok := commands[name]
	if !ok {
		return step{}, fmt.Errorf("unknown command %s", name)
	}
	st := step{name: name, text: rest}
	var err error
	switch kind {
	case none:
		if rest != "" {
			err = fmt.Errorf("%s takes nothing", name)
		}
	case word:
		if rest == "" || strings.Contains(rest, " ") || name == "flood" && !floods[rest] {
			err = fmt.Errorf("%s takes one word", name)
		}
	case number:
		st.number, err = strconv.Atoi(rest)
	case twoNumbers:
		in, out, _ := strings.Cut(rest, " ")
		if st.number, err = strconv.Atoi(in); err == nil {
			st.other, err = strconv.Atoi(out)
		}
	case numberAndText:
		status, more, _ := strings.Cut(rest, " ")
		st.text = more
		st.number, err = strconv.Atoi(status)
	case duration:
		st.duration, err = time.ParseDuration(rest)
	case quoted:
		st.text, err = strconv.Unquote(rest)
	case file:
		var content []byte
		content, err = os.ReadFile(rest)
		st.text = string(content)
	case text:
	}
	return st, err
}
