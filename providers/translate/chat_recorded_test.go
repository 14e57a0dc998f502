package translate

import (
	"fmt"
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
			have, want := chatSaid(slices.Values([][]byte{got})), chatSaid(slices.Values(r.events))
			have.details, want.details = nil, nil
			if want.finish == "" {
				want.finish = "stop"
			}
			if fmt.Sprintf("%+v", have) != fmt.Sprintf("%+v", want) {
				t.Errorf("got\n%+v\nwant\n%+v", have, want)
			}
		})
	}
}
