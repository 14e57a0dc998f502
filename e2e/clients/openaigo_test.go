package clients

import (
	"context"
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// openaiGo is OpenAI's own client for Go.
func openaiGo(_ *testing.T, gateway string) client {
	o := openaiGoOperations{gateway}
	return goClient{
		operations: map[string]map[string]operation{
			"chat":       {"text": o.text, "stream": o.stream, "tools": o.tools, "toolsStream": o.tools, "object": o.object, "vision": o.vision},
			"responses":  openaiGoResponses(o),
			"models":     {"list": o.list, "get": o.get},
			"embeddings": {"embed": o.embed},
		},
		describe: func(err error) clientError {
			told := clientError{Class: "error", Message: err.Error()}
			if api, ok := errors.AsType[*openai.Error](err); ok {
				told = clientError{Class: "*openai.Error", Status: api.StatusCode, Code: api.Code, Message: api.Message}
			}
			return told
		},
	}
}

type openaiGoOperations struct{ gateway string }

func (o openaiGoOperations) connect(key string) openai.Client {
	return openai.NewClient(option.WithBaseURL(o.gateway+"/v1"), option.WithAPIKey(key))
}

func completed(c *openai.ChatCompletion) result {
	return result{
		Text: c.Choices[0].Message.Content, Finish: c.Choices[0].FinishReason,
		Input: int(c.Usage.PromptTokens), Output: int(c.Usage.CompletionTokens),
	}
}

func (o openaiGoOperations) ask(ctx context.Context, r request, body openai.ChatCompletionNewParams) (result, error) {
	body.Model = r.Model
	client := o.connect(r.Key)
	done, err := client.Chat.Completions.New(ctx, body)
	if err != nil {
		return result{}, err
	}
	return completed(done), nil
}

func (o openaiGoOperations) text(ctx context.Context, r request, _ func(string)) (result, error) {
	return o.ask(ctx, r, openai.ChatCompletionNewParams{Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")}})
}

func (o openaiGoOperations) vision(ctx context.Context, r request, _ func(string)) (result, error) {
	return o.ask(ctx, r, openai.ChatCompletionNewParams{Messages: []openai.ChatCompletionMessageParamUnion{
		openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("What is this?"),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: picture}),
		}),
	}})
}

func (o openaiGoOperations) object(ctx context.Context, r request, _ func(string)) (result, error) {
	done, err := o.ask(ctx, r, openai.ChatCompletionNewParams{
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Which city?")},
		ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "city", Schema: citySchema, Strict: openai.Bool(true)},
		}},
	})
	if err != nil {
		return done, err
	}
	return readCity(done.Text)
}

// gather reads a stream as the client's users do, with its accumulator.
func (o openaiGoOperations) gather(ctx context.Context, r request, body openai.ChatCompletionNewParams, progress func(string)) (*openai.ChatCompletion, error) {
	body.Model = r.Model
	body.StreamOptions.IncludeUsage = openai.Bool(true)
	client := o.connect(r.Key)
	stream := client.Chat.Completions.NewStreaming(ctx, body)
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !whole.AddChunk(chunk) {
			return nil, errors.New("a chunk doesn't belong to the stream")
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != "" {
				progress(choice.Delta.Content)
			}
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	return &whole.ChatCompletion, nil
}

func (o openaiGoOperations) stream(ctx context.Context, r request, progress func(string)) (result, error) {
	body := openai.ChatCompletionNewParams{Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")}}
	done, err := o.gather(ctx, r, body, progress)
	if err != nil {
		return result{}, err
	}
	return completed(done), nil
}

// tools asks until the model calls no tool any more.
func (o openaiGoOperations) tools(ctx context.Context, r request, progress func(string)) (result, error) {
	body := openai.ChatCompletionNewParams{
		Model:    r.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "get_weather", Parameters: weatherSchema, Strict: openai.Bool(true),
		})},
	}
	client := o.connect(r.Key)
	var all result
	for {
		var done *openai.ChatCompletion
		var err error
		if r.Op == "toolsStream" {
			done, err = o.gather(ctx, r, body, progress)
		} else {
			done, err = client.Chat.Completions.New(ctx, body)
		}
		if err != nil {
			return all, err
		}
		message := done.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			all.Text = message.Content
			return all, nil
		}
		body.Messages = append(body.Messages, message.ToParam())
		for _, asked := range message.ToolCalls {
			called, answer, err := weather(asked.Function.Name, asked.Function.Arguments)
			if err != nil {
				return all, err
			}
			all.Tools = append(all.Tools, called)
			body.Messages = append(body.Messages, openai.ToolMessage(answer, asked.ID))
		}
	}
}

func (o openaiGoOperations) list(ctx context.Context, r request, _ func(string)) (result, error) {
	client := o.connect(r.Key)
	var all result
	pager := client.Models.ListAutoPaging(ctx)
	for pager.Next() {
		all.IDs = append(all.IDs, pager.Current().ID)
	}
	return all, pager.Err()
}

func (o openaiGoOperations) get(ctx context.Context, r request, _ func(string)) (result, error) {
	client := o.connect(r.Key)
	model, err := client.Models.Get(ctx, r.Model)
	if err != nil {
		return result{}, err
	}
	return result{IDs: []string{model.ID}}, nil
}

func (o openaiGoOperations) embed(ctx context.Context, r request, _ func(string)) (result, error) {
	client := o.connect(r.Key)
	done, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
		Model: r.Model, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"one", "two"}},
	})
	if err != nil {
		return result{}, err
	}
	var all result
	for _, one := range done.Data {
		all.Vectors = append(all.Vectors, one.Embedding)
	}
	return all, nil
}
