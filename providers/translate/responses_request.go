package translate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// responsesReader reads one request.
type responsesReader struct {
	c *conversation
	n *notes

	choice gjson.Result // tool_choice, which is understood once the tools are known
	sign   signature    // of the call that comes
}

// responsesMember reads one member of a request; param is its path.
type responsesMember func(r *responsesReader, v gjson.Result, param string) error

// responsesMembers are the members of a request. What is not here is dropped by name.
var responsesMembers = map[string]responsesMember{
	"model":  passOver,
	"stream": (*responsesReader).stream,

	"instructions": (*responsesReader).instructions,
	"input":        (*responsesReader).input,

	"tools":               (*responsesReader).tools,
	"tool_choice":         (*responsesReader).keepChoice,
	"parallel_tool_calls": into(flagAt, func(c *conversation) *string { return &c.parallel }),

	"text":      (*responsesReader).text,
	"reasoning": (*responsesReader).reasoning,
	"include":   (*responsesReader).include,

	"max_output_tokens": into(numberAt, func(c *conversation) *string { return &c.maxTokens }),
	"temperature":       into(numberAt, func(c *conversation) *string { return &c.temperature }),
	"top_p":             into(numberAt, func(c *conversation) *string { return &c.topP }),
	"frequency_penalty": into(numberAt, func(c *conversation) *string { return &c.frequencyPenalty }),
	"presence_penalty":  into(numberAt, func(c *conversation) *string { return &c.presencePenalty }),
	"user":              into(textAt, func(c *conversation) *string { return &c.user }),

	"metadata":               (*responsesReader).other,
	"prompt_cache_key":       (*responsesReader).other,
	"prompt_cache_retention": (*responsesReader).other,
	"safety_identifier":      (*responsesReader).other,
	"service_tier":           unlessDefault("auto", (*responsesReader).other),
	"store":                  (*responsesReader).other,

	"truncation":     unlessDefault("disabled", dropWhole),
	"top_logprobs":   unlessDefault("0", dropWhole),
	"stream_options": (*responsesReader).streamOptions,

	"previous_response_id": refuseState,
	"conversation":         refuseState,
	"prompt":               refuseState,
	"background":           refuseState,
}

// responsesNames are what Responses call what chat completions have another name for.
var responsesNames = map[string]string{
	"messages":                   "input",
	"messages.content.image_url": "input.content",
	"messages.content.file":      "input.content",
	"response_format":            "text.format",
	"verbosity":                  "text.verbosity",
	"reasoning_effort":           "reasoning.effort",
	"max_tokens":                 "max_output_tokens",
}

// readResponsesRequest reads a request to OpenAI's Responses API.
func readResponsesRequest(body gjson.Result, n *notes) (*conversation, error) {
	if !body.IsObject() {
		return nil, broken("", "The request has to be an object.")
	}
	n.called = responsesNames
	r := &responsesReader{c: &conversation{includeUsage: true}, n: n}
	var err error
	body.ForEach(func(name, v gjson.Result) bool {
		read, known := responsesMembers[name.Str]
		if !known {
			read = dropWhole
		}
		err = read(r, v, name.Str)
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	if unset(body.Get("input")) {
		return nil, broken("input", "input is missing.")
	}
	if err := r.choose(); err != nil {
		return nil, err
	}
	return r.c, nil
}

// into reads a member into a text of the conversation.
func into(read func(v gjson.Result, param string) (string, error), to func(*conversation) *string) responsesMember {
	return func(r *responsesReader, v gjson.Result, param string) (err error) {
		*to(r.c), err = read(v, param)
		return err
	}
}

// unlessDefault leaves a member alone that says what is so anyway.
func unlessDefault(value string, read responsesMember) responsesMember {
	return func(r *responsesReader, v gjson.Result, param string) error {
		if v.String() == value {
			return nil
		}
		return read(r, v, param)
	}
}

func passOver(*responsesReader, gjson.Result, string) error { return nil }

func dropWhole(r *responsesReader, v gjson.Result, param string) error {
	if !idle(param, v) {
		r.n.drop(param)
	}
	return nil
}

// refuseState refuses what only the provider has that it was left with.
func refuseState(_ *responsesReader, v gjson.Result, param string) error {
	if unset(v) {
		return nil
	}
	return unsayable(param, "%s is about what one provider keeps; it can't be said in another dialect. "+
		"Send the whole conversation as input, with store: false.", param)
}

// other keeps a member that other dialects have under the same name.
func (r *responsesReader) other(v gjson.Result, param string) error {
	if !unset(v) {
		r.c.others = append(r.c.others, member{param, v.Raw})
	}
	return nil
}

func (r *responsesReader) stream(v gjson.Result, param string) error {
	flag, err := flagAt(v, param)
	r.c.stream = flag == "true"
	return err
}

func (r *responsesReader) instructions(v gjson.Result, param string) error {
	text, err := textAt(v, param)
	if text != "" {
		r.c.system = slices.Insert(r.c.system, 0, block{is: textBlock, text: text})
	}
	return err
}

// streamOptions has nothing that another dialect knows: padding against eavesdroppers.
func (r *responsesReader) streamOptions(v gjson.Result, param string) error {
	if _, err := objectAt(v, param); err != nil {
		return err
	}
	r.rest(v, param)
	return nil
}

// text reads the form of the answer.
func (r *responsesReader) text(v gjson.Result, param string) error {
	if _, err := objectAt(v, param); err != nil {
		return err
	}
	r.rest(v, param, "format", "verbosity")
	o := object{of: v, path: param}
	if r.c.verbosity = o.text("verbosity"); o.err != nil {
		return o.err
	}
	return r.format(v.Get("format"), param+".format")
}

func (r *responsesReader) format(v gjson.Result, param string) error {
	if _, err := objectAt(v, param); err != nil || unset(v) {
		return err
	}
	switch typ := v.Get("type"); typ.Str {
	case "text":
		r.c.format.mode = "text"
		return nil
	case "json_object":
		r.c.format.mode = "json"
		return nil
	case "json_schema":
	default:
		return broken(param+".type", "%s.type can't be %q.", param, typ.String())
	}
	r.rest(v, param, "type", "name", "description", "schema", "strict")
	o := object{of: v, path: param}
	r.c.format = format{
		mode: "schema",
		name: o.text("name"), description: o.text("description"), schema: o.json("schema"), strict: o.strict(),
	}
	return o.err
}

func (r *responsesReader) reasoning(v gjson.Result, param string) error {
	if _, err := objectAt(v, param); err != nil {
		return err
	}
	r.rest(v, param, "effort", "summary", "generate_summary")
	o := object{of: v, path: param}
	effort, summary, older := o.text("effort"), o.text("summary"), o.text("generate_summary")
	if r.c.reason.effort = effortNamed(effort); r.c.reason.effort == "" && effort != "" {
		r.n.drop(param + ".effort")
	}
	if summary == "" {
		summary = older
	}
	if summary != "" {
		r.c.reason.summary, r.c.reason.shown = summary, "true"
	}
	return o.err
}

// include names what else the answer should hold. Reasoning that can be sent back is always in it.
func (r *responsesReader) include(v gjson.Result, param string) error {
	names, err := listAt(v, param)
	for _, name := range names {
		if name.Str != "reasoning.encrypted_content" {
			r.n.drop(param + "." + strings.Trim(name.String(), "."))
		}
	}
	return err
}

// rest drops the members of an object that aren't known.
func (r *responsesReader) rest(v gjson.Result, path string, known ...string) {
	v.ForEach(func(name, value gjson.Result) bool {
		if !slices.Contains(known, name.Str) && !idle(name.Str, value) {
			r.n.drop(path + "." + name.Str)
		}
		return true
	})
}
