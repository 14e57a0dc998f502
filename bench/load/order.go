package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// order is what a request wants of the upstream. It stands in the first words of the user's message, the one part of a
// request that every gateway passes on as it is.
type order struct {
	events int           // so many are streamed; 0: a plain JSON answer
	pace   time.Duration // before each
	hold   bool          // one event now, and the end of the stream when it is released
}

const (
	orderBegin = "bench:"
	orderEnd   = ";"
)

func (o order) String() string {
	return fmt.Sprintf("%sevents=%d,pace=%s,hold=%t%s", orderBegin, o.events, o.pace, o.hold, orderEnd)
}

// orderIn reads the order in a request's body; without one a plain answer is wanted.
func orderIn(body []byte) order {
	_, rest, _ := bytes.Cut(body, []byte(orderBegin))
	text, _, _ := bytes.Cut(rest, []byte(orderEnd))
	var o order
	for member := range strings.SplitSeq(string(text), ",") {
		name, value, _ := strings.Cut(member, "=")
		switch name {
		case "events":
			o.events, _ = strconv.Atoi(value)
		case "pace":
			o.pace, _ = time.ParseDuration(value)
		case "hold":
			o.hold, _ = strconv.ParseBool(value)
		}
	}
	return o
}
