package providers

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

var finishReason = regexp.MustCompile(`"finish_reason": ?"`)

// TestPrefixesOfRecordedStreams: whatever is missing of a stream, what came is never taken for a whole answer, and
// the client never gets a part of an event.
func TestPrefixesOfRecordedStreams(t *testing.T) {
	reset := errors.New("reset by peer")
	for name, stream := range chatRecordings(t) {
		if endpointOf(name) != Chat {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, n := range cuts(stream, max(1, min(8, 50_000/len(stream)))) {
				prefix := stream[:n]
				for _, ending := range []error{io.EOF, reset, io.ErrUnexpectedEOF} {
					got := streamOf(t, io.MultiReader(bytes.NewReader(prefix), iotest.ErrReader(ending)), "")
					ended := bytes.Contains(prefix, []byte("data: [DONE]\n\n"))
					whole := ended || errors.Is(ending, io.EOF) && finishReason.Match(prefix) && bytes.HasSuffix(prefix, []byte("\n\n"))
					if errors.Is(ending, io.EOF) && bytes.HasSuffix(bytes.TrimRight(prefix, "\n"), []byte("data: [DONE]")) {
						whole = true
					}
					if got.whole != whole {
						t.Fatalf("%v at %d: %v", ending, n, got.failure)
					}
					client := strings.TrimSuffix(got.text, theEnd)
					if !strings.HasPrefix(withoutLateErrors(string(stream)), client) || client != "" && !strings.HasSuffix(client, "\n\n") {
						t.Fatalf("%v at %d: the client gets something else", ending, n)
					}
					if !got.whole && strings.Contains(got.text, "[DONE]") {
						t.Fatalf("%v at %d: a failed stream says [DONE]", ending, n)
					}
				}
			}
		})
	}
}

// TestEveryPrefix: the same at every byte of one stream.
func TestEveryPrefix(t *testing.T) {
	stream := ": ping\n\n" + role + wordA + wordB + stop + counted + theEnd
	finished := strings.Index(stream, stop) + len(stop)
	for n := range len(stream) {
		for ending, whole := range map[error]bool{
			io.ErrUnexpectedEOF: false,
			io.EOF:              n == finished || n == finished+len(counted) || n >= len(stream)-2,
		} {
			got := streamOf(t, io.MultiReader(strings.NewReader(stream[:n]), iotest.ErrReader(ending)), "")
			if got.whole != whole || !got.whole && kindOf(got.failure) != map[bool]Kind{true: Truncated, false: Malformed}[got.text != ""] {
				t.Errorf("%v at %d: %v", ending, n, got.failure)
			}
		}
	}
}

// cuts are places to cut a stream at: ends of events and places within them, some of each.
func cuts(stream []byte, some int) []int {
	r := rand.New(rand.NewPCG(1, uint64(len(stream))))
	var all []int
	for at := 0; ; {
		i := bytes.Index(stream[at:], []byte("\n\n"))
		if i < 0 {
			break
		}
		at += i + 2
		all = append(all, at)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(len(all), some)]
	for range some {
		all = append(all, r.IntN(len(stream)))
	}
	return append(all, 0, len(stream))
}

// FuzzStream: however the bytes are split, the client gets the same, and the verdict is the same.
func FuzzStream(f *testing.F) {
	f.Add([]byte(role+wordA+wordB+stop+counted+theEnd), byte(3), true)
	f.Add([]byte(role+wordA+overload), byte(7), false)
	f.Add([]byte(strings.ReplaceAll(wordA+stop+overload+theEnd, "\n", "\r\n")), byte(1), true)
	f.Add([]byte("event: error\rdata: {\"error\":\"x\"}\r\r"+role), byte(1), false)
	f.Add([]byte(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`), byte(5), false)
	f.Fuzz(func(t *testing.T, stream []byte, size byte, inject bool) {
		all := make([]sent, 2)
		for i, body := range []io.Reader{bytes.NewReader(stream), &pieces{stream, int(size) + 1}} {
			u := upstreamOf("text/event-stream", body)
			u.injectUsage = inject
			all[i] = receive(t, u, Chat, `,"stream":true`)
		}
		at, split := all[0], all[1]
		if kindOf(at.failure) != kindOf(split.failure) || at.whole != split.whole {
			t.Fatalf("at once %v, split %v", at.failure, split.failure)
		}
		if at.text != split.text && (!at.whole || !strings.HasPrefix(at.text, split.text)) {
			t.Fatalf("at once\n%q\nsplit\n%q", at.text, split.text)
		}
		if at.failure != nil && at.whole || at.failure == nil && !at.whole {
			t.Fatalf("%+v", at)
		}
	})
}

// BenchmarkStream is what judging costs for each event that goes to the client.
func BenchmarkStream(b *testing.B) {
	const events = 1000
	piece := func(content, more string) string {
		return `data: {"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,` +
			`"model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_06737a9306",` +
			`"choices":[{"index":0,"delta":{"content":"` + content + `"},"logprobs":null,"finish_reason":null}]` + more + "}\n\n"
	}
	for name, event := range map[string]string{
		"plain":             piece(" word", ""),
		"padded":            piece(" word", `,"usage":null,"obfuscation":"Ab3d"`),
		"quotes in content": piece(` \"word\"`, ""),
	} {
		for reads, size := range map[string]int{"an event a read": len(event), "16 KiB a read": 16 << 10} {
			b.Run(name+", "+reads, func(b *testing.B) {
				stream := []byte(role + strings.Repeat(event, events) + stop + theEnd)
				r, err := ParseRequest(Chat, []byte(`{"model":"m","stream":true}`))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					answer, err := upstreamOf("text/event-stream", &pieces{stream, size}).send(b.Context(), &Attempt{Request: r, Model: "m"})
					if err != nil {
						b.Fatal(err)
					}
					answer.Events.Commit()
					n := 0
					for {
						c, err := answer.Events.Next()
						if err != nil {
							break
						}
						n += c.Count
					}
					answer.Events.Close()
					if n != events+1 {
						b.Fatalf("%d events", n)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
			})
		}
	}
}
