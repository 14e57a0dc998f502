package translate

import (
	"github.com/tidwall/gjson"

	"github.com/ohmroute/ohmroute/sse"
)

// Streamed makes a stream for the client of a target's whole answer, which was judged good.
func Streamed(from, to Dialect, body []byte, r Reply) []byte {
	var n notes
	a := speakers[from].readAnswer(gjson.ParseBytes(body), &n)
	a.complete(r)
	s := NewStream(from, to, r)
	var out []byte
	for _, ev := range a.played() {
		out = s.say(out, &ev)
	}
	return out
}

// played are the events of a stream that comes to the answer.
func (a *answer) played() []event {
	events := []event{{is: began, id: a.id, model: a.model, created: a.created, usage: a.usage}}
	for i, b := range a.blocks {
		text, sign := b.text, b.signature
		if b.text = ""; b.is != callBlock {
			b.signature = signature{}
		}
		events = append(events, event{is: opened, at: i, block: b})
		if text != "" {
			events = append(events, event{is: more, at: i, text: text})
		}
		if sign.text != "" && b.is != callBlock {
			events = append(events, event{is: signed, at: i, signature: sign})
		}
		events = append(events, event{is: closed, at: i})
	}
	return append(events, event{is: finished, finish: a.finish, stop: a.stop, usage: a.usage})
}

// Joined makes one answer for the client of a target's stream that has come to its end and was judged good.
func Joined(from, to Dialect, stream []byte, r Reply) []byte {
	reader := speakers[from].readStream()
	var j joining
	var said []event
	for ev := range sse.Events(stream) {
		said = reader.read(ev, said[:0])
		for i := range said {
			j.take(&said[i])
		}
	}
	if e, ok := reader.(ender); ok {
		for _, ev := range e.end(nil) {
			j.take(&ev)
		}
	}
	j.complete(r)
	var n notes
	return speakers[to].writeAnswer(&j.answer, r, &n)
}

// joining is an answer that is put together of events.
type joining struct {
	answer
	at map[int]int // which block of the answer an event's block is
}

func (j *joining) take(ev *event) {
	switch ev.is {
	case began:
		j.id, j.model, j.created, j.usage = ev.id, ev.model, ev.created, ev.usage
	case opened:
		if j.at == nil {
			j.at = map[int]int{}
		}
		j.at[ev.at] = len(j.blocks)
		j.blocks = append(j.blocks, ev.block)
	case more:
		if i, known := j.at[ev.at]; known {
			j.blocks[i].text += ev.text
		}
	case signed:
		if i, known := j.at[ev.at]; known {
			j.blocks[i].signature = ev.signature
		}
	case closed:
	case finished:
		j.finish, j.stop = ev.finish, ev.stop
		if ev.usage != nil {
			j.usage = ev.usage
		}
	}
}
