package clients

import (
	"context"
	"errors"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// anthropicGo is Anthropic's own client for Go.
func anthropicGo(_ *testing.T, gateway string) client {
	o := anthropicGoOperations{gateway}
	return goClient{
		operations: map[string]map[string]operation{
			"messages": {
				"text": o.text, "stream": o.text, "tools": o.tools, "toolsStream": o.tools, "object": o.object, "vision": o.vision,
				"count": o.count,
			},
			"models": {"list": o.list, "get": o.get},
		},
		describe: func(err error) clientError {
			told := clientError{Class: "error", Message: err.Error()}
			if api, ok := errors.AsType[*anthropic.Error](err); ok {
				told = clientError{Class: "*anthropic.Error", Status: api.StatusCode, Code: string(api.Type()), Message: api.Message}
			}
			return told
		},
	}
}

type anthropicGoOperations struct{ gateway string }

func (o anthropicGoOperations) connect(key string) anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(o.gateway), option.WithAPIKey(key))
}

func userSays(blocks ...anthropic.ContentBlockParamUnion) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{MaxTokens: 500, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(blocks...)}}
}

// message asks once, streamed if the operation is.
func (o anthropicGoOperations) message(ctx context.Context, r request, body anthropic.MessageNewParams, progress func(string)) (*anthropic.Message, error) {
	body.Model = r.Model
	client := o.connect(r.Key)
	if r.Op != "stream" && r.Op != "toolsStream" {
		return client.Messages.New(ctx, body)
	}
	stream := client.Messages.NewStreaming(ctx, body)
	defer stream.Close()
	var whole anthropic.Message
	ended := false
	for stream.Next() {
		event := stream.Current()
		if err := whole.Accumulate(event); err != nil {
			return nil, err
		}
		switch event := event.AsAny().(type) {
		case anthropic.ContentBlockDeltaEvent:
			if event.Delta.Text != "" {
				progress(event.Delta.Text)
			}
		case anthropic.MessageStopEvent:
			ended = true
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if !ended {
		return nil, errors.New("the stream ended without message_stop")
	}
	return &whole, nil
}

func (o anthropicGoOperations) answer(ctx context.Context, r request, body anthropic.MessageNewParams, progress func(string)) (result, error) {
	message, err := o.message(ctx, r, body, progress)
	if err != nil {
		return result{}, err
	}
	done := result{Finish: string(message.StopReason), Input: int(message.Usage.InputTokens), Output: int(message.Usage.OutputTokens)}
	for _, block := range message.Content {
		done.Text += block.Text
	}
	return done, nil
}

func (o anthropicGoOperations) text(ctx context.Context, r request, progress func(string)) (result, error) {
	return o.answer(ctx, r, userSays(anthropic.NewTextBlock("Say hello.")), progress)
}

func (o anthropicGoOperations) vision(ctx context.Context, r request, progress func(string)) (result, error) {
	return o.answer(ctx, r, userSays(anthropic.NewImageBlockBase64("image/png", pixel), anthropic.NewTextBlock("What is this?")), progress)
}

func (o anthropicGoOperations) object(ctx context.Context, r request, progress func(string)) (result, error) {
	body := userSays(anthropic.NewTextBlock("Which city?"))
	body.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: citySchema}
	done, err := o.answer(ctx, r, body, progress)
	if err != nil {
		return done, err
	}
	return readCity(done.Text)
}

// tools asks until the model calls no tool any more.
func (o anthropicGoOperations) tools(ctx context.Context, r request, progress func(string)) (result, error) {
	body := userSays(anthropic.NewTextBlock(question))
	body.Tools = []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(
		anthropic.ToolInputSchemaParam{Properties: weatherSchema["properties"], Required: []string{"city"}}, "get_weather")}
	var all result
	for {
		message, err := o.message(ctx, r, body, progress)
		if err != nil {
			return all, err
		}
		body.Messages = append(body.Messages, message.ToParam())
		var answers []anthropic.ContentBlockParamUnion
		for _, block := range message.Content {
			switch block.Type {
			case "text":
				all.Text += block.Text
			case "tool_use":
				called, answer, err := weather(block.Name, string(block.Input))
				if err != nil {
					return all, err
				}
				all.Tools = append(all.Tools, called)
				answers = append(answers, anthropic.NewToolResultBlock(block.ID, answer, false))
			}
		}
		if len(answers) == 0 {
			return all, nil
		}
		body.Messages = append(body.Messages, anthropic.NewUserMessage(answers...))
	}
}

func (o anthropicGoOperations) count(ctx context.Context, r request, _ func(string)) (result, error) {
	client := o.connect(r.Key)
	counted, err := client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{
		Model: r.Model, Messages: userSays(anthropic.NewTextBlock("Say hello.")).Messages,
	})
	if err != nil {
		return result{}, err
	}
	return result{Input: int(counted.InputTokens)}, nil
}

func (o anthropicGoOperations) list(ctx context.Context, r request, _ func(string)) (result, error) {
	client := o.connect(r.Key)
	var all result
	pager := client.Models.ListAutoPaging(ctx, anthropic.ModelListParams{})
	for pager.Next() {
		all.IDs = append(all.IDs, pager.Current().ID)
	}
	return all, pager.Err()
}

func (o anthropicGoOperations) get(ctx context.Context, r request, _ func(string)) (result, error) {
	client := o.connect(r.Key)
	model, err := client.Models.Get(ctx, r.Model, anthropic.ModelGetParams{})
	if err != nil {
		return result{}, err
	}
	return result{IDs: []string{model.ID}}, nil
}
