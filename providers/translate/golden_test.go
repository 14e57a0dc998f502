package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ohmroute/ohmroute/sse"
)

var update = flag.Bool("update", false, "write the golden files anew")

// named are the dialects by the names that folders of golden files are made of.
var named = map[string]Dialect{"chat": Chat, "responses": Responses, "messages": Messages, "gemini": Gemini}

// checks say what a stream for a client of a dialect has to look like.
var checks = map[Dialect]func([]byte) error{
	Chat: checkChatStream, Responses: checkResponsesStream, Messages: checkMessagesStream,
}

// reply is what the golden files were written with.
func reply(request []byte) Reply {
	return Reply{ID: "req_golden", Model: "target-model", Created: 1764547200, IncludeUsage: true, Request: request}
}

// A golden file is testdata/<client>_<target>/<case>.txtar. Its comment says what it is for. Its parts are what goes in
// (options, request, answer, stream) and what comes out (request.want and dropped, or refused; answer.want;
// stream.want); a part without its want is an error, so that nothing is forgotten.
func TestGoldenFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*_*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		client, target, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "_")
		t.Run(client+" "+target+" "+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			g := openGolden(t, file)
			g.client, g.target = named[client], named[target]
			if g.client == 0 || g.target == 0 {
				t.Fatalf("%s is in no folder of two dialects", file)
			}
			g.request(t)
			g.answer(t)
			g.stream(t)
			g.close(t)
		})
	}
}

type golden struct {
	file           string
	client, target Dialect
	archive        *txtar.Archive
	out            []txtar.File
}

func openGolden(t *testing.T, file string) *golden {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(a.Comment)) == 0 {
		t.Error("the file doesn't say what it is for")
	}
	return &golden{file: file, archive: a}
}

// part is what goes in; it is kept as it stands.
func (g *golden) part(name string) []byte {
	for _, f := range g.archive.Files {
		if f.Name == name {
			g.out = append(g.out, f)
			return f.Data
		}
	}
	return nil
}

// want compares what came out.
func (g *golden) want(t *testing.T, name string, got []byte) {
	t.Helper()
	if len(got) > 0 && got[len(got)-1] != '\n' {
		got = append(got, '\n')
	}
	g.out = append(g.out, txtar.File{Name: name, Data: got})
	if *update {
		return
	}
	for _, f := range g.archive.Files {
		if f.Name == name {
			if !bytes.Equal(f.Data, got) {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, f.Data)
			}
			return
		}
	}
	t.Errorf("there is no %s; got\n%s", name, got)
}

func (g *golden) request(t *testing.T) {
	t.Helper()
	var o Options
	if options := g.part("options"); options != nil {
		if err := json.Unmarshal(options, &o); err != nil {
			t.Fatal(err)
		}
	}
	o.Model = "target-model"
	body := g.part("request")
	if body == nil {
		return
	}
	tr, err := Request(g.client, g.target, body, o)
	if refused, ok := errors.AsType[*Refused](err); ok {
		g.want(t, "refused", []byte(refused.Param+": "+refused.Message))
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	g.want(t, "request.want", indented(t, tr.Body))
	if len(tr.Dropped) > 0 {
		g.want(t, "dropped", []byte(strings.Join(tr.Dropped, "\n")))
	}
}

func (g *golden) answer(t *testing.T) {
	t.Helper()
	if body := g.part("answer"); body != nil {
		tr := Answer(g.target, g.client, body, reply(g.find("request")))
		g.want(t, "answer.want", indented(t, tr.Body))
	}
}

func (g *golden) find(name string) []byte {
	for _, f := range g.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func (g *golden) stream(t *testing.T) {
	t.Helper()
	stream := g.part("stream")
	if stream == nil {
		return
	}
	got := streamed(g.target, g.client, reply(g.find("request")), slices.Values([][]byte{stream}))
	g.want(t, "stream.want", got)
	if err := checks[g.client](got); err != nil {
		t.Errorf("the client can't read this: %v", err)
	}
	var single [][]byte
	for ev := range sse.Events(stream) {
		single = append(single, ev.Raw)
	}
	if apart := streamed(g.target, g.client, reply(g.find("request")), slices.Values(single)); !bytes.Equal(got, apart) {
		t.Errorf("one event at a time it is\n%s", apart)
	}
}

// close finds parts that nothing was done with, and writes the file when asked to.
func (g *golden) close(t *testing.T) {
	t.Helper()
	if *update {
		if err := os.WriteFile(g.file, txtar.Format(&txtar.Archive{Comment: g.archive.Comment, Files: g.out}), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range g.archive.Files {
		if !slices.ContainsFunc(g.out, func(used txtar.File) bool { return used.Name == f.Name }) {
			t.Errorf("nothing was done with %s", f.Name)
		}
	}
}

func indented(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, body)
	}
	return append(b.Bytes(), '\n')
}
