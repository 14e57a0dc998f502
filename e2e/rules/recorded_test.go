package rules

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ohmroute/ohmroute/e2e/recorded"
)

// Every prefix of every recorded stream is tried where streams are judged (providers, TestPrefixesOfRecordedStreams);
// here a sample of them goes through the whole gateway.

// recording is one recorded stream of the chat dialect.
type recording struct {
	path, name string
	stream     []byte
	failed     bool // it holds an error
}

func recordedChats(t *testing.T) []recording {
	t.Helper()
	folder := recorded.Folder(t, "fixtures", "sse")
	index, err := os.ReadFile(filepath.Join(folder, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []recording
	for lines := bufio.NewScanner(bytes.NewReader(index)); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 5 || !strings.HasSuffix(fields[2], "/chat/completions") {
			continue
		}
		r := recording{name: fields[0], path: filepath.Join(folder, fields[0]), failed: strings.Contains(fields[4], "error")}
		if r.stream, err = os.ReadFile(r.path); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if len(all) < 50 {
		t.Fatalf("only %d recorded streams", len(all))
	}
	return all
}

var finished = regexp.MustCompile(`"finish_reason": ?"`)

func TestAPrefixOfARecordedStreamIsNeverASuccessAndNeverAnInvalidEvent(t *testing.T) {
	chats := recordedChats(t)
	random := rand.New(rand.NewPCG(3, 7))
	virtual(t, func(w *world) {
		one := w.provider("one", calm)
		for i, rec := range chats {
			if (raced || testing.Short()) && i%5 != 0 {
				continue
			}
			for _, n := range placesToCut(random, rec.stream) {
				for _, ending := range []string{"cut", "end"} {
					lines := []string{fmt.Sprint("upto ", n), "events " + rec.path, ending}
					one.Script("", script(lines...), script(append([]string{fmt.Sprint("split ", 1+random.IntN(3000))}, lines...)...))
					at := fmt.Sprintf("%s, %s at %d of %d", rec.name, ending, n, len(rec.stream))
					r := w.ask("one/m", true)
					rec.check(t, at, rec.stream[:n], ending == "end", r)
					if split := w.ask("one/m", true); split.body != r.body || split.status != r.status || split.whole != r.whole {
						t.Errorf("%s: split otherwise it is %d, whole %v\n%q\nwas %d, whole %v\n%q", at, split.status, split.whole, tail(split.body), r.status, r.whole, tail(r.body))
					}
				}
			}
		}
	})
}

// placesToCut are an end of an event and three places within events.
func placesToCut(random *rand.Rand, stream []byte) []int {
	all := []int{random.IntN(len(stream)), random.IntN(len(stream)), len(stream) - 1 - random.IntN(min(60, len(stream)))}
	if i := bytes.Index(stream[all[0]:], []byte("\n\n")); i >= 0 {
		all = append(all, all[0]+i+2)
	}
	return all
}

// check holds what a client may get of a prefix.
func (rec *recording) check(t *testing.T, at string, prefix []byte, orderly bool, r *reply) {
	t.Helper()
	ended := bytes.Contains(prefix, []byte("[DONE]"))
	if r.status == http.StatusOK && r.whole {
		if !ended && (!orderly || !finished.Match(prefix)) {
			t.Errorf("%s: a success: %q", at, tail(r.body))
		}
		if !strings.Contains(r.body, "data: [DONE]") && !strings.Contains(r.body, "data:[DONE]") {
			t.Errorf("%s: a success without its end: %q", at, tail(r.body))
		}
	}
	if !r.streamed() {
		if f := r.fault(); r.status < 400 || f.Code == "" {
			t.Errorf("%s: status %d: %s", at, r.status, tail(r.body))
		}
		return
	}
	rest, _ := strings.CutSuffix(r.body, "\n\n")
	for event := range strings.SplitSeq(strings.ReplaceAll(rest, "\r\n", "\n"), "\n\n") {
		data := dataOf(event)
		if data != "" && data != "[DONE]" && !json.Valid([]byte(data)) {
			t.Errorf("%s: an invalid event %q", at, event)
		}
	}
	told := r.body
	if !r.whole {
		if f := r.fault(); f.Code != "truncated" || strings.Contains(r.body, "[DONE]") {
			t.Errorf("%s: code %q: %q", at, f.Code, tail(r.body))
		}
		told = r.body[:strings.LastIndex(r.body, `data: {"error":`)]
	}
	told = strings.TrimSuffix(told, "data: [DONE]\n\n")
	if !rec.failed && !strings.HasPrefix(string(rec.stream), told) {
		t.Errorf("%s: the client gets something else: %q", at, tail(told))
	}
}

// dataOf joins the lines of data of an event.
func dataOf(event string) string {
	var lines []string
	for line := range strings.SplitSeq(event, "\n") {
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			lines = append(lines, strings.TrimPrefix(data, " "))
		}
	}
	return strings.Join(lines, "\n")
}

func TestRecordedStreamsAreWholeUnlessTheyHoldAnError(t *testing.T) {
	chats := recordedChats(t)
	random := rand.New(rand.NewPCG(5, 7))
	virtual(t, func(w *world) {
		one := w.provider("one", calm)
		for _, rec := range chats {
			one.Script("", script(fmt.Sprint("split ", 1+random.IntN(5000)), "events "+rec.path))
			r := w.ask("one/m", true)
			if rec.failed {
				continue
			}
			if r.status != http.StatusOK || !r.whole || r.body != string(rec.stream) && r.body != string(rec.stream)+doneEvent {
				t.Errorf("%s: status %d, whole %v, %d bytes of %d: %q", rec.name, r.status, r.whole, len(r.body), len(rec.stream), tail(r.body))
			}
		}
	})
}
