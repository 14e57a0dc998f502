package e2e

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// official is OpenAI's own Go client, pointed at the gateway as its users would point it.
func official(g *gateway) openai.Client {
	return openai.NewClient(option.WithBaseURL(g.URL+"/v1"), option.WithAPIKey("unused"))
}

func hello(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")},
	}
}

func TestTheOfficialClientFailsOverUnseen(t *testing.T) {
	g, broken := pair(t, t.TempDir(), nil, down)
	client := official(g)
	done, err := client.Chat.Completions.New(t.Context(), hello("fast"))
	if err != nil {
		t.Fatal(err)
	}
	if text := done.Choices[0].Message.Content; text != "Hello there." {
		t.Fatalf("the client got %q", text)
	}
	if n := broken.Count("m"); n != 1 {
		t.Fatalf("the broken target was asked %d times", n)
	}
}

func TestTheOfficialClientStreamsAndFailsOverUnseen(t *testing.T) {
	g, _ := pair(t, t.TempDir(), nil, eventStream+"role; cut")
	client := official(g)
	stream := client.Chat.Completions.NewStreaming(t.Context(), hello("fast"))
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatal("a chunk doesn't belong to the stream")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if text := acc.Choices[0].Message.Content; text != "Hello there." {
		t.Fatalf("the client got %q", text)
	}
}

func TestTheOfficialClientSeesABreakInTheMiddle(t *testing.T) {
	g, _ := pair(t, t.TempDir(), nil, eventStream+"role; chunk Hello; cut")
	client := official(g)
	stream := client.Chat.Completions.NewStreaming(t.Context(), hello("fast"))
	var text strings.Builder
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			text.WriteString(choice.Delta.Content)
		}
	}
	if stream.Err() == nil {
		t.Fatal("the client took a broken stream for a whole one")
	}
	if text.String() != "Hello" {
		t.Fatalf("before the break it got %q", text.String())
	}
}

func TestTheOfficialClientGetsATypedErrorOnceWhenEveryTargetFails(t *testing.T) {
	g, broken := pair(t, t.TempDir(), nil, down)
	client := official(g)
	_, err := client.Chat.Completions.New(t.Context(), hello("down/m"))
	api, ok := errors.AsType[*openai.Error](err)
	if !ok || api.StatusCode != http.StatusServiceUnavailable || api.Code != "server_error" {
		t.Fatalf("the client got %v", err)
	}
	if n := broken.Count("m"); n != 1 {
		t.Fatalf("the client sent its request %d times: x-should-retry was not heeded", n)
	}
}

func TestTheOfficialClientListsCombosAndModels(t *testing.T) {
	g, _ := pair(t, t.TempDir(), nil, up)
	client := official(g)
	var ids []string
	pager := client.Models.ListAutoPaging(t.Context())
	for pager.Next() {
		ids = append(ids, pager.Current().ID)
	}
	if err := pager.Err(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ids, " "); got != "down/m fast up/m" {
		t.Fatalf("listed %q", got)
	}
	model, err := client.Models.Get(t.Context(), "down/m")
	if err != nil || model.ID != "down/m" {
		t.Fatalf("asked for one: %v, %v", model, err)
	}
}
