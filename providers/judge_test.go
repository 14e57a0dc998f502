package providers

import (
	"net/http"
	"strings"
	"testing"
)

// chatAnswer is a chat completion of about 1 KB, as OpenAI sends it.
var chatAnswer = []byte(`{"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion","created":1741570283,` +
	`"model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":"` +
	strings.Repeat(`The image shows a \"wooden\" boardwalk path.\n`, 8) +
	`","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1117,` +
	`"completion_tokens":46,"total_tokens":1163,"prompt_tokens_details":{"cached_tokens":12,"audio_tokens":0},` +
	`"completion_tokens_details":{"reasoning_tokens":7,"audio_tokens":0,"accepted_prediction_tokens":0,` +
	`"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":"fp_fc9f1d7035"}`)

type judgeCase struct {
	dialect, preset string
	endpoint        Endpoint
	status          int // 0: 200
	header          string
	body            string
	want            Kind // empty: a success
	finish          string
	stream          bool
	passedOn        bool // the failure carries the answer
}

func choice(message, finish string) string {
	return `{"object":"chat.completion","choices":[{"index":0,"message":` + message + `,"finish_reason":` + finish + `}]}`
}

var judgeCases = map[string]judgeCase{
	"chat: a good answer":                     {body: string(chatAnswer), finish: "stop"},
	"chat: 201":                               {status: 201, body: string(chatAnswer), finish: "stop"},
	"chat: blank lines before it":             {body: "\n\n \r\n" + string(chatAnswer), finish: "stop"},
	"chat: a byte-order mark before it":       {body: "\xEF\xBB\xBF" + string(chatAnswer), finish: "stop"},
	"chat: JSON as text/plain":                {header: "Content-Type: text/plain", body: string(chatAnswer), finish: "stop"},
	"chat: JSON as text/html":                 {header: "Content-Type: text/html", body: string(chatAnswer), finish: "stop"},
	"chat: a tool call":                       {body: choice(`{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":\"\\\"\"}"}}]}`, `"tool_calls"`), finish: "tool_calls"},
	"chat: a tool call without arguments":     {body: choice(`{"tool_calls":[{"function":{"name":"f","arguments":""}}]}`, `"tool_calls"`), finish: "tool_calls"},
	"chat: a custom tool's call":              {body: choice(`{"tool_calls":[{"type":"custom","custom":{"name":"f","input":"not json"}}]}`, `"tool_calls"`), finish: "tool_calls"},
	"chat: a tool call with blank arguments":  {body: choice(`{"tool_calls":[{"function":{"name":"f","arguments":" \n"}},{"function":{"name":"f","arguments":" "}}]}`, `"tool_calls"`), finish: "tool_calls"},
	"chat: a function call":                   {body: choice(`{"function_call":{"name":"f","arguments":"{}"}}`, `"function_call"`), finish: "function_call"},
	"chat: a broken tool call":                {body: choice(`{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":"}}]}`, `"tool_calls"`), want: ModelFault, finish: "tool_calls"},
	"chat: a broken call, unescaped":          {body: choice(`{"tool_calls":[{"function":{"name":"f","arguments":"f(x)"}}]}`, `"stop"`), want: ModelFault, finish: "stop"},
	"chat: a tool call cut by the limit":      {body: choice(`{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":"}}]}`, `"length"`), finish: "length"},
	"chat: empty, cut by the limit":           {body: choice(`{"content":""}`, `"length"`), finish: "length"},
	"chat: empty, stop":                       {body: choice(`{"role":"assistant","content":""}`, `"stop"`), want: ModelFault, finish: "stop", passedOn: true},
	"chat: null, stop":                        {body: choice(`{"content":null,"tool_calls":[]}`, `"stop"`), want: ModelFault, finish: "stop", passedOn: true},
	"chat: no finish and no content":          {body: choice(`{"content":""}`, `null`), want: Malformed},
	"chat: content and no finish":             {body: choice(`{"content":"hi"}`, `null`)},
	"chat: reasoning alone":                   {body: choice(`{"content":"","reasoning_content":"hm"}`, `"stop"`), finish: "stop"},
	"chat: Groq's reasoning alone":            {body: choice(`{"content":null,"reasoning":"hm"}`, `"stop"`), finish: "stop"},
	"chat: a list of parts":                   {body: choice(`{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"hi"}]}`, `"stop"`), finish: "stop"},
	"chat: a list of empty parts":             {body: choice(`{"content":[{"text":"","type":"text"}]}`, `"stop"`), want: ModelFault, finish: "stop", passedOn: true},
	"chat: audio":                             {body: choice(`{"content":null,"audio":{"id":"a","data":"x"}}`, `"stop"`), finish: "stop"},
	"chat: text and an image":                 {body: choice(`{"content":"a","images":[{"type":"image_url","image_url":{"url":"u"}}]}`, `"stop"`), finish: "stop"},
	"chat: text and no images":                {body: choice(`{"content":"a","images":[]}`, `"stop"`), finish: "stop"},
	"chat: reasoning, text and audio":         {body: choice(`{"reasoning_content":"r","content":"a","audio":{"id":"a","data":"x"}}`, `"stop"`), finish: "stop"},
	"chat: no images":                         {body: choice(`{"content":null,"images":[]}`, `"stop"`), want: ModelFault, finish: "stop", passedOn: true},
	"chat: a refusal":                         {body: choice(`{"content":null,"refusal":"I can't"}`, `"stop"`), want: ContentPolicy, finish: "stop", passedOn: true},
	"chat: content_filter":                    {body: choice(`{"content":"half"}`, `"content_filter"`), want: ContentPolicy, finish: "content_filter", passedOn: true},
	"chat: a filter that was down":            {dialect: "azure", body: `{"choices":[{"content_filter_result":{"error":{"code":"content_filter_error"}},"message":{"content":"hi"},"finish_reason":"stop"}]}`, finish: "stop"},
	"chat: out of resources":                  {preset: "deepseek", body: choice(`{"content":"half"}`, `"insufficient_system_resource"`), want: Overloaded, finish: "insufficient_system_resource"},
	"chat: the same word of another provider": {preset: "groq", body: choice(`{"content":"x"}`, `"insufficient_system_resource"`), finish: "insufficient_system_resource"},
	"chat: finish error":                      {preset: "openrouter", body: choice(`{"content":"half"}`, `"error"`), want: Malformed, finish: "error"},
	"chat: finish error with a code":          {preset: "openrouter", body: `{"choices":[{"error":{"code":502,"message":"x"},"message":{"content":"half"},"finish_reason":"error"}]}`, want: ServerError, finish: "error"},
	"chat: an unknown finish":                 {body: choice(`{"content":"hi"}`, `"eos"`), finish: "eos"},
	"chat: choices empty":                     {body: `{"object":"chat.completion","choices":[]}`, want: Malformed},
	"chat: choices null":                      {body: `{"choices":null}`, want: Malformed},
	"chat: no choices":                        {body: `{"ok":true}`, want: Malformed},
	"chat: choices of another sort":           {body: `{"choices":[1,"x",null]}`, want: Malformed},
	"chat: two choices":                       {body: `{"choices":[{"message":{"content":""},"finish_reason":"stop"},{"message":{"content":"hi"},"finish_reason":"stop"}]}`, finish: "stop"},
	"chat: an error":                          {body: `{"error":{"message":"x","code":"insufficient_quota"}}`, want: Billing},
	"chat: an error of a status":              {body: `{"error":{"message":"x","code":429}}`, want: RateLimit},
	"chat: an error unknown":                  {body: `{"error":{"message":"x"}}`, want: Malformed},
	"chat: an error string":                   {body: `{"error":"x"}`, want: Malformed},
	"chat: an error and no choices":           {body: `{"choices":[],"error":{"code":503}}`, want: Overloaded},
	"chat: an error null":                     {body: `{"error":null,"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, finish: "stop"},
	"chat: an error beside a whole answer":    {body: `{"error":{"code":400},"choices":[{"message":{"content":"hi"},"finish_reason":"length"}]}`, finish: "length"},
	"chat: an error beside an empty answer":   {body: `{"error":{"code":429},"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`, want: RateLimit, finish: "stop"},
	"chat: an error beside half an answer":    {body: `{"error":{"code":429},"choices":[{"message":{"content":"hi"},"finish_reason":null}]}`, want: RateLimit},
	"chat: a flat error":                      {preset: "mistral", body: `{"object":"error","message":"x","type":"service_tier_capacity_exceeded"}`, want: Overloaded},
	"chat: MiniMax's error":                   {preset: "minimax", body: `{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, want: Billing},
	"chat: MiniMax's success":                 {preset: "minimax", body: `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"base_resp":{"status_code":0}}`, finish: "stop"},
	"chat: MiniMax's refusal":                 {preset: "minimax", body: `{"choices":null,"base_resp":{"status_code":1026,"status_msg":"input new_sensitive"}}`, want: ContentPolicy},
	"chat: MiniMax's refusal, empty":          {preset: "minimax", body: `{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"base_resp":{"status_code":1027}}`, want: ContentPolicy, finish: "stop"},
	"chat: MiniMax's refusal beside text":     {preset: "minimax", body: `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"base_resp":{"status_code":1027}}`, finish: "stop"},
	"chat: DashScope's flat error":            {preset: "dashscope", body: `{"code":"Throttling.RateQuota","message":"x","request_id":"r"}`, want: RateLimit},
	"chat: DashScope's flat error, arrears":   {preset: "dashscope", body: `{"request_id":"r","code":"Arrearage","message":"x"}`, want: Billing},
	"chat: a flat error unknown":              {preset: "dashscope", body: `{"code":"Strange","message":"x"}`, want: Malformed},
	"chat: a code that is none of an error":   {preset: "dashscope", body: `{"code":"Throttling.RateQuota","message":"","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, finish: "stop"},
	"chat: Z.ai's sensitive":                  {preset: "zai", body: choice(`{"content":""}`, `"sensitive"`), want: ContentPolicy, finish: "sensitive", passedOn: true},
	"chat: Z.ai's network error":              {preset: "zai", body: choice(`{"content":""}`, `"network_error"`), want: ServerError, finish: "network_error"},
	"chat: Z.ai's network error behind text":  {preset: "zai", body: choice(`{"content":"half"}`, `"network_error"`), want: ServerError, finish: "network_error"},
	"chat: sensitive of another provider":     {preset: "groq", body: choice(`{"content":"x"}`, `"sensitive"`), finish: "sensitive"},
	"chat: a list with an error":              {preset: "gemini", body: `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]`, want: RateLimit},
	"chat: a list":                            {body: `[1]`, want: Malformed},
	"chat: a broken list":                     {body: `[1`, want: Malformed},
	"chat: empty":                             {body: "", want: Malformed},
	"chat: blank":                             {body: " \n\n", want: Malformed},
	"chat: 204":                               {status: 204, body: "", want: Malformed},
	"chat: 302":                               {status: 302, body: string(chatAnswer), want: Malformed},
	"chat: 500":                               {status: 500, body: string(chatAnswer), want: ServerError},
	"chat: a page":                            {header: "Content-Type: text/html", body: "<!doctype html><title>Just a moment</title>", want: Malformed},
	"chat: a page as JSON":                    {header: "Content-Type: application/json", body: "<html>", want: Malformed},
	"chat: text":                              {body: "OK", want: Malformed},
	"chat: null":                              {body: "null", want: Malformed},
	"chat: JSON cut off":                      {body: string(chatAnswer[:len(chatAnswer)-1]), want: Malformed},
	"chat: JSON with a tail":                  {body: string(chatAnswer) + "}", want: Malformed},
	"chat: two answers":                       {body: string(chatAnswer) + string(chatAnswer), want: Malformed},
	"chat: a stream":                          {header: "Content-Type: text/plain", body: "data: {\"choices\":[]}\n\n", stream: true},
	"chat: a stream of typed events":          {body: "event: message_start\ndata: {}\n\n", stream: true},
	"chat: a stream with a comment":           {body: ": OPENROUTER PROCESSING\n\ndata: {}\n\n", stream: true},

	"completions: text":    {endpoint: Completions, body: `{"choices":[{"text":"hi","finish_reason":"stop"}]}`, finish: "stop"},
	"completions: no text": {endpoint: Completions, body: `{"choices":[{"text":"","finish_reason":"stop"}]}`, want: ModelFault, finish: "stop", passedOn: true},

	"responses: a message":        {endpoint: Responses, body: `{"object":"response","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]}]}`, finish: "completed"},
	"responses: a call":           {endpoint: Responses, body: `{"status":"completed","output":[{"type":"function_call","name":"f","arguments":"{}"}]}`, finish: "completed"},
	"responses: a broken call":    {endpoint: Responses, body: `{"status":"completed","output":[{"type":"function_call","arguments":"{"}]}`, want: ModelFault, finish: "completed"},
	"responses: another item":     {endpoint: Responses, body: `{"status":"completed","output":[{"type":"image_generation_call","result":"x"}]}`, finish: "completed"},
	"responses: nothing":          {endpoint: Responses, body: `{"status":"completed","output":[]}`, want: ModelFault, finish: "completed", passedOn: true},
	"responses: an empty message": {endpoint: Responses, body: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":""}]}]}`, want: ModelFault, finish: "completed", passedOn: true},
	"responses: a refusal":        {endpoint: Responses, body: `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}`, want: ContentPolicy, finish: "completed", passedOn: true},
	"responses: cut by the limit": {endpoint: Responses, body: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, finish: "max_output_tokens"},
	"responses: filtered":         {endpoint: Responses, body: `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`, want: ContentPolicy, finish: "content_filter", passedOn: true},
	"responses: failed":           {endpoint: Responses, body: `{"status":"failed","error":{"code":"rate_limit_exceeded","message":"x"},"output":[]}`, want: RateLimit},
	"responses: failed, unknown":  {endpoint: Responses, body: `{"status":"failed","error":null,"output":[]}`, want: Malformed},
	"responses: in background":    {endpoint: Responses, body: `{"status":"queued","output":[],"error":null}`},
	"responses: not a response":   {endpoint: Responses, body: `{"hello":1}`, want: Malformed},

	"messages: text":              {endpoint: Messages, body: `{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}`, finish: "end_turn"},
	"messages: a tool":            {endpoint: Messages, body: `{"type":"message","content":[{"type":"tool_use","input":{}}],"stop_reason":"tool_use"}`, finish: "tool_use"},
	"messages: nothing":           {dialect: "anthropic", endpoint: Messages, body: `{"type":"message","content":[],"stop_reason":"end_turn"}`, want: ModelFault, finish: "end_turn", passedOn: true},
	"messages: cut by the limit":  {dialect: "anthropic", endpoint: Messages, body: `{"type":"message","content":[],"stop_reason":"max_tokens"}`, finish: "max_tokens"},
	"messages: a refusal":         {dialect: "anthropic", endpoint: Messages, body: `{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"refusal"}`, want: ContentPolicy, finish: "refusal", passedOn: true},
	"messages: the window":        {dialect: "anthropic", endpoint: Messages, body: `{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"model_context_window_exceeded"}`, want: ContextLength, finish: "model_context_window_exceeded"},
	"messages: an error":          {dialect: "anthropic", endpoint: Messages, body: `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, want: Overloaded},
	"messages: no finish":         {dialect: "anthropic", endpoint: Messages, body: `{"type":"message","content":[{"type":"text","text":""}],"stop_reason":null}`, want: Malformed},
	"messages: nothing of a kind": {dialect: "anthropic", endpoint: Messages, body: `{}`, want: Malformed},
	"count_tokens":                {dialect: "anthropic", endpoint: CountTokens, body: `{"input_tokens":12}`},

	"gemini: text":                {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}`, finish: "STOP"},
	"gemini: a call":              {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}`, finish: "STOP"},
	"gemini: an image":            {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"content":{"parts":[{"inlineData":{}}]},"finishReason":"STOP"}]}`, finish: "STOP"},
	"gemini: nothing":             {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"content":{},"finishReason":"STOP"}]}`, want: ModelFault, finish: "STOP", passedOn: true},
	"gemini: cut by the limit":    {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"finishReason":"MAX_TOKENS"}]}`, finish: "MAX_TOKENS"},
	"gemini: blocked prompt":      {dialect: "gemini", endpoint: GenerateContent, body: `{"promptFeedback":{"blockReason":"SAFETY","safetyRatings":[]}}`, want: ContentPolicy, passedOn: true},
	"gemini: a broken call":       {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, want: Malformed, finish: "MALFORMED_FUNCTION_CALL"},
	"gemini: an unexpected call":  {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"finishReason":"UNEXPECTED_TOOL_CALL"}]}`, want: Malformed, finish: "UNEXPECTED_TOOL_CALL"},
	"gemini: other":               {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"finishReason":"OTHER"}]}`, want: Malformed, finish: "OTHER"},
	"gemini: other, with content": {dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"OTHER"}]}`, finish: "OTHER"},
	"gemini: no candidates":       {dialect: "gemini", endpoint: GenerateContent, body: `{"usageMetadata":{}}`, want: Malformed},
	"gemini: an error":            {dialect: "gemini", endpoint: GenerateContent, body: `{"error":{"code":503,"status":"UNAVAILABLE"}}`, want: Overloaded},

	"embeddings":                                   {endpoint: Embeddings, body: `{"object":"list","data":[{"embedding":"AAAA"}],"usage":{"prompt_tokens":3}}`},
	"embeddings: none":                             {endpoint: Embeddings, body: `{"object":"list","data":[]}`, want: Malformed},
	"embeddings: an error":                         {endpoint: Embeddings, body: `{"error":{"code":"invalid_api_key"}}`, want: Auth},
	"embeddings: a bare list":                      {endpoint: Embeddings, body: `[[0.1,0.2]]`},
	"embeddings: Gemini's":                         {dialect: "gemini", endpoint: Embeddings, body: `{"embedding":{"values":[1]}}`},
	"moderations":                                  {endpoint: Moderations, body: `{"results":[{"flagged":false}]}`},
	"images":                                       {endpoint: Images, body: `{"data":[{"b64_json":"x"}]}`},
	"rerank":                                       {endpoint: Rerank, body: `{"results":[{"index":0}]}`},
	"speech: audio":                                {endpoint: Speech, header: "Content-Type: audio/mpeg", body: "{\xff\xfb\x90"},
	"speech: audio of no type":                     {endpoint: Speech, body: "\xff\xfb\x90"},
	"speech: nothing":                              {endpoint: Speech, header: "Content-Type: audio/mpeg", want: Malformed},
	"speech: an error":                             {endpoint: Speech, header: "Content-Type: application/json", body: `{"error":{"code":429}}`, want: RateLimit},
	"transcriptions: JSON":                         {endpoint: Transcriptions, body: `{"text":""}`},
	"transcriptions: text":                         {endpoint: Transcriptions, header: "Content-Type: text/plain", body: "1\n00:00 --> 00:01\nhi"},
	"transcriptions: a sound":                      {endpoint: Transcriptions, header: "Content-Type: text/plain; charset=utf-8", body: "[Music] hello"},
	"transcriptions: a brace":                      {endpoint: Transcriptions, header: "Content-Type: text/plain", body: "{laughs} hello"},
	"transcriptions: a label":                      {endpoint: Transcriptions, header: "Content-Type: text/plain", body: "data: the new gold"},
	"transcriptions: subtitles":                    {endpoint: Transcriptions, header: "Content-Type: text/vtt", body: ": x"},
	"transcriptions: a text that is an error":      {endpoint: Transcriptions, header: "Content-Type: text/plain", body: `{"error":{"message":"x","code":"server_is_overloaded"}}`, want: Overloaded},
	"transcriptions: a page":                       {endpoint: Transcriptions, header: "Content-Type: text/html", body: "<html>", want: Malformed},
	"speech: what is wrong, in a host's own words": {endpoint: Speech, header: "Content-Type: application/json", body: `{"detail":"Not here"}`, want: Malformed},
	"speech: a status of MiniMax":                  {preset: "minimax", endpoint: Speech, header: "Content-Type: application/json", body: `{"data":null,"base_resp":{"status_code":1004,"status_msg":"x"}}`, want: Auth},
	"speech: an empty object":                      {endpoint: Speech, body: `{}`, want: Malformed},
	"speech: a name that is empty":                 {endpoint: Speech, body: `{"":1}`, want: Malformed},
	"speech: null":                                 {endpoint: Speech, header: "Content-Type: application/json", body: `null`, want: Malformed},
	"speech: null of no type":                      {endpoint: Speech, body: ` null`, want: Malformed},
	"speech: a list":                               {endpoint: Speech, body: `[]`, want: Malformed},
	"transcriptions: with words":                   {endpoint: Transcriptions, body: `{"task":"transcribe","duration":1.5,"text":"a","segments":[],"words":[]}`},
	"transcriptions: by speakers":                  {endpoint: Transcriptions, body: `{"text":"a","segments":[{"speaker":"A","text":"a"}],"usage":{"type":"duration","seconds":1}}`},
	"transcriptions: what is wrong, in a host's own words": {endpoint: Transcriptions, body: `{"detail":"Not here"}`, want: Malformed},
	"transcriptions: a status of MiniMax":                  {preset: "minimax", endpoint: Transcriptions, body: `{"text":"","base_resp":{"status_code":1004,"status_msg":"x"}}`, want: Auth},
	"transcriptions: a good status of MiniMax":             {endpoint: Transcriptions, body: `{"text":"a","base_resp":{"status_code":0,"status_msg":"success"}}`},
	"transcriptions: an empty object":                      {endpoint: Transcriptions, body: `{}`, want: Malformed},
	"transcriptions: a text that is null":                  {endpoint: Transcriptions, body: `{"text":null}`, want: Malformed},
	"transcriptions: null":                                 {endpoint: Transcriptions, header: "Content-Type: application/json; charset=utf-8", body: `null`, want: Malformed},
	"transcriptions: the word null":                        {endpoint: Transcriptions, header: "Content-Type: text/plain", body: `null`},
	"transcriptions: a list":                               {endpoint: Transcriptions, body: `[{"text":"a"}]`, want: Malformed},
	"count_tokens: what is wrong, in a host's own words":   {dialect: "anthropic", endpoint: CountTokens, body: `{"detail":"Not here"}`, want: Malformed},
	"count_tokens: an empty object":                        {dialect: "anthropic", endpoint: CountTokens, body: `{}`, want: Malformed},
	"embeddings: a status of MiniMax":                      {preset: "minimax", endpoint: Embeddings, body: `{"data":[{"embedding":[]}],"base_resp":{"status_code":1004,"status_msg":"x"}}`, want: Auth},
	"transcriptions: an error":                             {endpoint: Transcriptions, body: `{"error":{"message":"x"}}`, want: Malformed},
	"anything else":                                        {endpoint: "new", body: `{"whatever":1}`},
	"anything else: an error":                              {endpoint: "new", body: `{"error":{"code":503}}`, want: Overloaded},
	"anything else: not JSON":                              {endpoint: "new", body: `{"whatever":}`, want: Malformed},
	"anything else: deeply nested":                         {endpoint: "new", body: strings.Repeat(`{"a":`, 100_000), want: Malformed},
}

func (c judgeCase) judge() (Verdict, *Failure) {
	if c.dialect == "" {
		c.dialect = "openai"
	}
	if c.endpoint == "" {
		c.endpoint = Chat
	}
	if c.status == 0 {
		c.status = http.StatusOK
	}
	return JudgePlain(c.dialect, c.preset, c.endpoint, c.status, headerOf(c.header), []byte(c.body), testNow)
}

func TestWholeAnswersAreJudged(t *testing.T) {
	for name, c := range judgeCases {
		t.Run(name, func(t *testing.T) {
			v, f := c.judge()
			var got Kind
			if f != nil {
				got = f.Kind
				if f.Message == "" {
					t.Error("a failure without a message")
				}
				if passedOn := f.Body != nil && f.Status < 300; passedOn != c.passedOn {
					t.Errorf("passed on: %t, want %t", passedOn, c.passedOn)
				} else if passedOn && string(f.Body) != c.body {
					t.Errorf("body changed to %q", f.Body)
				}
			}
			if got != c.want || v.FinishReason != c.finish || v.Stream != c.stream {
				t.Errorf("got %q, finish %q, stream %t (%v); want %q, %q, %t", got, v.FinishReason, v.Stream, f, c.want, c.finish, c.stream)
			}
		})
	}
}

func TestUsageIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		judgeCase
		want Usage
	}{
		"OpenAI":    {judgeCase{body: string(chatAnswer)}, Usage{1117, 46, 12, 7}},
		"xAI":       {judgeCase{body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":10,"completion_tokens_details":{"reasoning_tokens":3}}}`}, Usage{5, 5, 0, 3}},
		"Responses": {judgeCase{endpoint: Responses, body: `{"status":"completed","output":[{"type":"reasoning"}],"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":2},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}}`}, Usage{5, 9, 2, 4}},
		"Anthropic": {judgeCase{endpoint: Messages, body: `{"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":5,"cache_creation_input_tokens":100,"cache_read_input_tokens":20,"output_tokens":9}}`}, Usage{125, 9, 20, 0}},
		"Gemini":    {judgeCase{dialect: "gemini", endpoint: GenerateContent, body: `{"candidates":[{"content":{"parts":[{"text":"x"}]}}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":6,"thoughtsTokenCount":3,"cachedContentTokenCount":1,"toolUsePromptTokenCount":4}}`}, Usage{9, 9, 1, 3}},
		"DeepSeek":  {judgeCase{body: `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":5,"completion_tokens":1,"prompt_cache_hit_tokens":4}}`}, Usage{5, 1, 4, 0}},
		"Groq":      {judgeCase{body: `{"choices":[{"message":{"content":"x"}}],"x_groq":{"id":"y","usage":{"prompt_tokens":5,"completion_tokens":1}}}`}, Usage{5, 1, 0, 0}},
		"absurd":    {judgeCase{body: `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-5,"completion_tokens":1e400,"prompt_tokens_details":7}}`}, Usage{}},
		"refused":   {judgeCase{body: `{"choices":[{"message":{"refusal":"no"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`}, Usage{5, 1, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			v, f := c.judge()
			if v.Usage == nil || *v.Usage != c.want {
				t.Errorf("got %+v, want %+v", v.Usage, c.want)
			}
			if f != nil && f.Usage != v.Usage {
				t.Error("the failure lost the usage")
			}
		})
	}
	v, _ := judgeCase{body: `{"choices":[{"message":{"content":"x"}}],"usage":null}`}.judge()
	if v.Usage != nil {
		t.Errorf("usage null was read as %+v", v.Usage)
	}
}

func BenchmarkJudgePlainSuccess(b *testing.B) {
	h := http.Header{"Content-Type": {"application/json"}}
	b.ReportAllocs()
	b.SetBytes(int64(len(chatAnswer)))
	for b.Loop() {
		if _, f := JudgePlain("openai", "openai", Chat, 200, h, chatAnswer, testNow); f != nil {
			b.Fatal(f)
		}
	}
}

func BenchmarkClassifyRateLimit(b *testing.B) {
	s := namedCases["openai: rate_limit_exceeded"].signal()
	b.ReportAllocs()
	for b.Loop() {
		if Classify(s) == nil {
			b.Fatal("no failure")
		}
	}
}

func TestARefusalOfOneLetterIsOne(t *testing.T) {
	for text, want := range map[string]Kind{"I": ContentPolicy, "": ModelFault} {
		body := `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"` + text + `"},"finish_reason":"stop"}]}`
		if _, f := JudgePlain("openai", "", Chat, 200, headerOf("content-type: application/json"), []byte(body), testNow); f == nil || f.Kind != want {
			t.Errorf("%q: %v, want %s", text, f, want)
		}
	}
}
