package server

import (
	"bytes"
	"io"
	"net/http/httptest"
	"testing"
	"testing/iotest"
)

func TestRoomIsMadeForABodyAsItComes(t *testing.T) {
	for name, test := range map[string]struct {
		sent, announced, most int
	}{
		"one byte of 30 MiB":  {1, 30 << 20, trustedBody},
		"a tenth of 30 MiB":   {3 << 20, 30 << 20, 6 << 20},
		"all of 100 KiB":      {100 << 10, 100 << 10, 100<<10 + 1},
		"all of 3 MiB":        {3 << 20, 3 << 20, 3<<20 + 1},
		"of unknown length":   {3 << 20, -1, 8 << 20},
		"less than a buffer":  {10, 10, firstBody},
		"of no length at all": {20 << 10, 0, 64 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			p := &bodies{max: 64 << 20}
			body := bytes.Repeat([]byte("x"), test.sent)
			src := io.Reader(bytes.NewReader(body))
			if test.sent < test.announced {
				src = io.MultiReader(src, iotest.ErrReader(io.ErrUnexpectedEOF))
			}
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/", src)
			r.ContentLength = int64(test.announced)
			b := p.get()
			err := p.fill(b, httptest.NewRecorder(), r)
			if (err != nil) != (test.sent < test.announced) || !bytes.Equal(b.b, body) {
				t.Errorf("%v, %d bytes", err, len(b.b))
			}
			if cap(b.b) > test.most {
				t.Errorf("room for %d, at most %d is due", cap(b.b), test.most)
			}
		})
	}
}
