package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"
)

// goOpenAI is the client of github.com/sashabaranov.
func goOpenAI(_ *testing.T, gateway string) client {
	o := goOpenAIOperations{gateway}
	return goClient{
		operations: map[string]map[string]operation{
			"chat":       {"text": o.text, "stream": o.stream, "tools": o.tools, "toolsStream": o.tools, "object": o.object, "vision": o.vision},
			"models":     {"list": o.list, "get": o.get},
			"embeddings": {"embed": o.embed},
		},
		describe: func(err error) clientError {
			told := clientError{Class: "error", Message: err.Error()}
			if api, ok := errors.AsType[*goopenai.APIError](err); ok {
				told = clientError{Class: "*openai.APIError", Status: api.HTTPStatusCode, Message: api.Message}
				if api.Code != nil {
					told.Code = fmt.Sprint(api.Code)
				}
			}
			return told
		},
	}
}

type goOpenAIOperations struct{ gateway string }

func (o goOpenAIOperations) connect(key string) *goopenai.Client {
	config := goopenai.DefaultConfig(key)
	config.BaseURL = o.gateway + "/v1"
	return goopenai.NewClientWithConfig(config)
}

func asUser(text string) []goopenai.ChatCompletionMessage {
	return []goopenai.ChatCompletionMessage{{Role: "user", Content: text}}
}

func (o goOpenAIOperations) ask(ctx context.Context, r request, body goopenai.ChatCompletionRequest) (result, error) {
	body.Model = r.Model
	done, err := o.connect(r.Key).CreateChatCompletion(ctx, body)
	if err != nil {
		return result{}, err
	}
	return result{
		Text: done.Choices[0].Message.Content, Finish: string(done.Choices[0].FinishReason),
		Input: done.Usage.PromptTokens, Output: done.Usage.CompletionTokens,
	}, nil
}

func (o goOpenAIOperations) text(ctx context.Context, r request, _ func(string)) (result, error) {
	return o.ask(ctx, r, goopenai.ChatCompletionRequest{Messages: asUser("Say hello.")})
}

func (o goOpenAIOperations) vision(ctx context.Context, r request, _ func(string)) (result, error) {
	return o.ask(ctx, r, goopenai.ChatCompletionRequest{Messages: []goopenai.ChatCompletionMessage{{
		Role: "user", MultiContent: []goopenai.ChatMessagePart{
			{Type: goopenai.ChatMessagePartTypeText, Text: "What is this?"},
			{Type: goopenai.ChatMessagePartTypeImageURL, ImageURL: &goopenai.ChatMessageImageURL{URL: picture}},
		},
	}}})
}

func (o goOpenAIOperations) object(ctx context.Context, r request, _ func(string)) (result, error) {
	done, err := o.ask(ctx, r, goopenai.ChatCompletionRequest{
		Messages: asUser("Which city?"),
		ResponseFormat: &goopenai.ChatCompletionResponseFormat{
			Type: goopenai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &goopenai.ChatCompletionResponseFormatJSONSchema{
				Name: "city", Schema: json.RawMessage(asJSON(citySchema)), Strict: true,
			},
		},
	})
	if err != nil {
		return done, err
	}
	return readCity(done.Text)
}

// gather reads a stream to its end; the calls of tools come in pieces that belong together by their index.
func (o goOpenAIOperations) gather(ctx context.Context, body goopenai.ChatCompletionRequest, key string, progress func(string)) (goopenai.ChatCompletionMessage, *goopenai.Usage, error) {
	body.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	message := goopenai.ChatCompletionMessage{Role: "assistant"}
	stream, err := o.connect(key).CreateChatCompletionStream(ctx, body)
	if err != nil {
		return message, nil, err
	}
	defer stream.Close()
	var usage *goopenai.Usage
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return message, usage, nil
		}
		if err != nil {
			return message, nil, err
		}
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != "" {
				message.Content += choice.Delta.Content
				progress(choice.Delta.Content)
			}
			for _, piece := range choice.Delta.ToolCalls {
				if *piece.Index == len(message.ToolCalls) {
					message.ToolCalls = append(message.ToolCalls, piece)
					continue
				}
				message.ToolCalls[*piece.Index].Function.Arguments += piece.Function.Arguments
			}
		}
	}
}

func (o goOpenAIOperations) stream(ctx context.Context, r request, progress func(string)) (result, error) {
	message, usage, err := o.gather(ctx, goopenai.ChatCompletionRequest{Model: r.Model, Messages: asUser("Say hello.")}, r.Key, progress)
	if err != nil {
		return result{}, err
	}
	done := result{Text: message.Content}
	if usage != nil {
		done.Input, done.Output = usage.PromptTokens, usage.CompletionTokens
	}
	return done, nil
}

// tools asks until the model calls no tool any more.
func (o goOpenAIOperations) tools(ctx context.Context, r request, progress func(string)) (result, error) {
	body := goopenai.ChatCompletionRequest{Model: r.Model, Messages: asUser(question), Tools: []goopenai.Tool{{
		Type: goopenai.ToolTypeFunction, Function: &goopenai.FunctionDefinition{Name: "get_weather", Parameters: weatherSchema},
	}}}
	var all result
	for {
		message, err := o.message(ctx, r, body, progress)
		if err != nil {
			return all, err
		}
		if len(message.ToolCalls) == 0 {
			all.Text = message.Content
			return all, nil
		}
		body.Messages = append(body.Messages, message)
		for _, asked := range message.ToolCalls {
			called, answer, err := weather(asked.Function.Name, asked.Function.Arguments)
			if err != nil {
				return all, err
			}
			all.Tools = append(all.Tools, called)
			body.Messages = append(body.Messages, goopenai.ChatCompletionMessage{Role: "tool", ToolCallID: asked.ID, Content: answer})
		}
	}
}

func (o goOpenAIOperations) message(ctx context.Context, r request, body goopenai.ChatCompletionRequest, progress func(string)) (goopenai.ChatCompletionMessage, error) {
	if r.Op == "toolsStream" {
		message, _, err := o.gather(ctx, body, r.Key, progress)
		return message, err
	}
	done, err := o.connect(r.Key).CreateChatCompletion(ctx, body)
	if err != nil {
		return goopenai.ChatCompletionMessage{}, err
	}
	return done.Choices[0].Message, nil
}

func (o goOpenAIOperations) list(ctx context.Context, r request, _ func(string)) (result, error) {
	models, err := o.connect(r.Key).ListModels(ctx)
	var all result
	for _, model := range models.Models {
		all.IDs = append(all.IDs, model.ID)
	}
	return all, err
}

func (o goOpenAIOperations) get(ctx context.Context, r request, _ func(string)) (result, error) {
	model, err := o.connect(r.Key).GetModel(ctx, r.Model)
	return result{IDs: []string{model.ID}}, err
}

func (o goOpenAIOperations) embed(ctx context.Context, r request, _ func(string)) (result, error) {
	done, err := o.connect(r.Key).CreateEmbeddings(ctx, goopenai.EmbeddingRequest{
		Model: goopenai.EmbeddingModel(r.Model), Input: []string{"one", "two"},
	})
	var all result
	for _, one := range done.Data {
		vector := make([]float64, len(one.Embedding))
		for n, value := range one.Embedding {
			vector[n] = float64(value)
		}
		all.Vectors = append(all.Vectors, vector)
	}
	return all, err
}
