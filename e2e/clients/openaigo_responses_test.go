package clients

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// openaiGoResponses are the operations of the same client on Responses.
func openaiGoResponses(o openaiGoOperations) map[string]operation {
	text := func(ctx context.Context, r request, progress func(string)) (result, error) {
		return o.respond(ctx, r, sentence("Say hello."), progress)
	}
	return map[string]operation{
		"text": text, "stream": text, "tools": o.respondWithTools, "toolsStream": o.respondWithTools,
		"object": func(ctx context.Context, r request, progress func(string)) (result, error) {
			body := sentence("Which city?")
			body.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("city", citySchema)
			done, err := o.respond(ctx, r, body, progress)
			if err != nil {
				return done, err
			}
			return readCity(done.Text)
		},
		"vision": func(ctx context.Context, r request, progress func(string)) (result, error) {
			content := responses.ResponseInputMessageContentListParam{
				responses.ResponseInputContentParamOfInputText("What is this?"),
				{OfInputImage: &responses.ResponseInputImageParam{Detail: "auto", ImageURL: openai.String(picture)}},
			}
			return o.respond(ctx, r, listed(responses.ResponseInputItemParamOfMessage(content, "user")), progress)
		},
	}
}

func sentence(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
}

func listed(items ...responses.ResponseInputItemUnionParam) responses.ResponseNewParams {
	return responses.ResponseNewParams{Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items}}
}

// response asks once, streamed if the operation is.
func (o openaiGoOperations) response(ctx context.Context, r request, body responses.ResponseNewParams, progress func(string)) (*responses.Response, error) {
	body.Model = r.Model
	client := o.connect(r.Key)
	if r.Op != "stream" && r.Op != "toolsStream" {
		return client.Responses.New(ctx, body)
	}
	stream := client.Responses.NewStreaming(ctx, body)
	defer stream.Close()
	var whole *responses.Response
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			progress(event.Delta)
		case responses.ResponseCompletedEvent:
			whole = &event.Response
		case responses.ResponseFailedEvent:
			return nil, errors.New(string(event.Response.Error.Code) + ": " + event.Response.Error.Message)
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if whole == nil {
		return nil, errors.New("the stream ended without response.completed")
	}
	return whole, nil
}

func (o openaiGoOperations) respond(ctx context.Context, r request, body responses.ResponseNewParams, progress func(string)) (result, error) {
	done, err := o.response(ctx, r, body, progress)
	if err != nil {
		return result{}, err
	}
	return result{
		Text: done.OutputText(), Finish: string(done.Status),
		Input: int(done.Usage.InputTokens), Output: int(done.Usage.OutputTokens),
	}, nil
}

func (o openaiGoOperations) respondWithTools(ctx context.Context, r request, progress func(string)) (result, error) {
	body := listed(responses.ResponseInputItemParamOfMessage(question, "user"))
	body.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", weatherSchema, true)}
	var all result
	for {
		done, err := o.response(ctx, r, body, progress)
		if err != nil {
			return all, err
		}
		items := body.Input.OfInputItemList
		before := len(items)
		for _, item := range done.Output {
			if item.Type != "function_call" {
				continue
			}
			asked := item.AsFunctionCall()
			called, answer, err := weather(asked.Name, asked.Arguments)
			if err != nil {
				return all, err
			}
			all.Tools = append(all.Tools, called)
			told := responses.ResponseInputItemParamOfFunctionCallOutput(answer)
			told.OfFunctionCallOutput.CallID = openai.String(asked.CallID)
			items = append(items, responses.ResponseInputItemParamOfFunctionCall(asked.Arguments, asked.CallID, asked.Name), told)
		}
		if len(items) == before {
			all.Text = done.OutputText()
			return all, nil
		}
		body.Input.OfInputItemList = items
	}
}
