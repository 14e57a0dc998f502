package sse

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	gosse "github.com/tmaxmax/go-sse"

	"github.com/ohmroute/ohmroute/e2e/recorded"
)

// recordings returns the recorded provider streams by file name.
func recordings(tb testing.TB) map[string][]byte {
	tb.Helper()
	return readAll(tb, recorded.Folder(tb, "fixtures", "sse"))
}

func readAll(tb testing.TB, folder string) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.sse"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no recordings in %s: %v", folder, err)
	}
	streams := make(map[string][]byte, len(files))
	for _, file := range files {
		if streams[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			tb.Fatal(err)
		}
	}
	return streams
}

func TestRecordedStreams(t *testing.T) {
	for name, stream := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			events, rest := reference(stream)
			for _, sizes := range [][]byte{nil, {1}, {2, 3, 5, 7, 11, 13}, {255}} {
				if len(sizes) > 0 && len(stream) > 1000*int(sizes[0]) {
					continue // short reads of long streams take long and show nothing new
				}
				got := relay(&splitReader{stream: stream, sizes: sizes}, large)
				if !bytes.Equal(append(got.Bytes, got.Rest...), stream) || !bytes.Equal(got.Rest, rest) {
					t.Errorf("reads of %v: not byte for byte", sizes)
				}
				if !reflect.DeepEqual(got.Events, events) {
					t.Errorf("reads of %v: other events than the reference", sizes)
				}
			}
		})
	}
}

func TestRecordedStreamsReadLikeGoSSE(t *testing.T) {
	for name, stream := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			var want []parsed
			for ev, err := range gosse.Read(bytes.NewReader(stream), &gosse.ReadConfig{MaxEventSize: large}) {
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, parsed{ev.Type, ev.Data, true})
			}
			got := relay(bytes.NewReader(stream), large)
			withData := got.Events[:0]
			for _, ev := range got.Events {
				if ev.HasData {
					withData = append(withData, ev)
				}
			}
			if len(got.Rest) == 0 && !reflect.DeepEqual(withData, want) {
				t.Errorf("%d events, go-sse reads %d", len(withData), len(want))
			}
		})
	}
}

// chatStream is a stream as OpenAI sends it, of n content events.
func chatStream(n int) []byte {
	var b bytes.Buffer
	for range n {
		b.WriteString(`data: {"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,` +
			`"model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_06737a9306",` +
			`"choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}` + "\n\n")
	}
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

type reread struct {
	stream []byte
	at     int
	chunk  int
}

func (s *reread) Read(p []byte) (int, error) {
	if s.at == len(s.stream) {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.chunk)], s.stream[s.at:])
	s.at += n
	return n, nil
}

func benchmarkReader(b *testing.B, chunk int) {
	b.Helper()
	const events = 1000
	stream := chatStream(events - 1)
	src := &reread{stream: stream, chunk: chunk}
	r := NewReader(src, large)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	seen := 0
	for b.Loop() {
		src.at = 0
		r.Reset(src)
		for {
			block, err := r.Next()
			if err != nil {
				break
			}
			for ev := range Events(block) {
				seen += min(len(ev.Data), 1)
			}
		}
	}
	if seen != b.N*events {
		b.Fatalf("saw %d events in %d rounds", seen, b.N)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}

func BenchmarkReader(b *testing.B) {
	b.Run("an event a read", func(b *testing.B) { benchmarkReader(b, len(chatStream(1))-len(chatStream(0))) })
	b.Run("4 KiB a read", func(b *testing.B) { benchmarkReader(b, 4<<10) })
	b.Run("16 KiB a read", func(b *testing.B) { benchmarkReader(b, 16<<10) })
}
