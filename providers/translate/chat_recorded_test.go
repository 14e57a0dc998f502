package translate

import (
	"slices"
	"testing"
)

// What a host's stream says is what its client would have read, whatever the host's way of saying it.
func TestRecordedChatStreamsAreReadWhole(t *testing.T) {
	for _, r := range recordings(t) {
		if r.dialect != Chat {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			got := streamed(Chat, Chat, reply(nil), slices.Values(r.events))
			if err := checkChatStream(got); err != nil {
				t.Error(err)
			}
			want, have := chatSaid(t, slices.Values(r.events)), chatSaid(t, slices.Values([][]byte{got}))
			if have != want {
				t.Errorf("got\n%+v\nwant\n%+v", have, want)
			}
		})
	}
}
