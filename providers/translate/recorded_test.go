package translate

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ohmroute/ohmroute/e2e/recorded"
	"github.com/ohmroute/ohmroute/sse"
)

// streamed translates pieces of whole events.
func streamed(target, client Dialect, r Reply, pieces iter.Seq[[]byte]) []byte {
	s := NewStream(target, client, r)
	var out []byte
	for piece := range pieces {
		out = s.Append(out, piece)
	}
	return s.End(out)
}

// recording is a provider's stream as it was recorded.
type recording struct {
	name    string
	dialect Dialect
	events  [][]byte
}

func recordings(tb testing.TB) []recording {
	tb.Helper()
	folder := recorded.Folder(tb, "fixtures", "sse")
	files, err := filepath.Glob(filepath.Join(folder, "*.sse"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no recordings in %s: %v", folder, err)
	}
	var all []recording
	for _, file := range files {
		stream, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		r := recording{name: strings.TrimSuffix(filepath.Base(file), ".sse"), dialect: dialectOf(stream)}
		for ev := range sse.Events(append(stream, "\n\n"...)) {
			r.events = append(r.events, ev.Raw)
		}
		if r.dialect != 0 {
			all = append(all, r)
		}
	}
	return all
}

// dialectOf tells a stream's dialect by how its first event looks; 0: none of ours.
func dialectOf(stream []byte) Dialect {
	for ev := range sse.Events(append(bytes.Clone(stream), "\n\n"...)) {
		switch data := ev.Data; {
		case len(data) == 0:
			continue
		case bytes.Contains(data, []byte(`"message_start"`)):
			return Messages
		case bytes.Contains(data, []byte(`"response.created"`)):
			return Responses
		case bytes.Contains(data, []byte(`"chat.completion.chunk"`)):
			return Chat
		case bytes.Contains(data, []byte(`"candidates"`)):
			return Gemini
		}
		return 0
	}
	return 0
}

// clients are the dialects that clients speak.
var clients = []Dialect{Chat, Responses, Messages}

func TestEveryRecordedStreamCanBeReadByClientsOfEveryDialect(t *testing.T) {
	for _, r := range recordings(t) {
		for _, client := range clients {
			t.Run(r.name+" for "+client.String(), func(t *testing.T) {
				got := streamed(r.dialect, client, reply(nil), slices.Values(r.events))
				if err := checks[client](got); err != nil {
					t.Errorf("%v\n%s", err, got)
				}
			})
		}
	}
}

func TestSplitsOfARecordedStreamMakeNoDifference(t *testing.T) {
	all := recordings(t)
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(all).Draw(t, "recording")
		client := rapid.SampledFrom(clients).Draw(t, "client")
		want := streamed(r.dialect, client, reply(nil), slices.Values(r.events))
		var pieces [][]byte
		for rest := r.events; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "events")
			pieces = append(pieces, bytes.Join(rest[:n], nil))
			rest = rest[n:]
		}
		if got := streamed(r.dialect, client, reply(nil), slices.Values(pieces)); !bytes.Equal(got, want) {
			t.Fatalf("%s for %s in %d pieces:\n%s\nwant\n%s", r.name, client, len(pieces), got, want)
		}
	})
}

// What a client has been given never changes with what comes later: a cut stream is a prefix of the whole one.
func TestACutRecordedStreamIsAPrefix(t *testing.T) {
	for _, r := range recordings(t) {
		for _, client := range clients {
			whole := streamed(r.dialect, client, reply(nil), slices.Values(r.events))
			s := NewStream(r.dialect, client, reply(nil))
			var sofar []byte
			for i, ev := range r.events {
				sofar = s.Append(sofar, ev)
				if !bytes.HasPrefix(whole, sofar) {
					t.Fatalf("%s for %s is no prefix after %d events", r.name, client, i+1)
				}
				if len(sofar) > 0 && !bytes.HasSuffix(sofar, []byte("\n\n")) {
					t.Fatalf("%s for %s is cut within an event after %d events", r.name, client, i+1)
				}
			}
		}
	}
}
