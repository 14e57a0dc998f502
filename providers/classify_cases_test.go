package providers

import (
	"net/http"
	"time"
)

// classifyCase is one answer as a provider sends it, and what has to be made of it.
type classifyCase struct {
	dialect, preset string
	endpoint        Endpoint // empty: it makes no difference
	status          int
	header          string // "name: value" lines
	body            string
	want            Kind
	hint            time.Duration
	next            bool
	// stream is the kind that the same body has as an event of a stream; empty: it never comes as one.
	stream Kind
}

func (c classifyCase) signal() Signal {
	return Signal{
		Dialect: c.dialect, Preset: c.preset, Endpoint: c.endpoint, Status: c.status, Header: headerOf(c.header), Body: []byte(c.body), Now: testNow,
	}
}

func (c classifyCase) event() Signal {
	s := c.signal()
	s.Status, s.Header, s.Event = http.StatusOK, http.Header{"Content-Type": {"text/event-stream"}}, true
	return s
}

var testNow = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// anyCases are the rows of spec: failures.md 3 that hold for any provider.
var anyCases = map[string]classifyCase{
	"any: 400":                           {dialect: "openai", status: 400, body: `{"error":{"message":"Invalid 'temperature'","type":"invalid_request_error","param":"temperature","code":"decimal_above_max_value"}}`, want: ClientError, stream: Malformed},
	"any: 422":                           {dialect: "openai", status: 422, body: `{"detail":[{"loc":["body"],"msg":"field required","input":"maximum context"}]}`, want: ClientError},
	"any: 401":                           {dialect: "openai", status: 401, body: `{"error":{"message":"Unauthorized","type":"api_error","param":null,"code":null}}`, want: Auth},
	"any: 402":                           {dialect: "openai", status: 402, header: "Retry-After: 60", body: `{"error":"payment required"}`, want: Billing, hint: time.Minute},
	"any: 403":                           {dialect: "openai", status: 403, body: `{"error":{"message":"not in your region"}}`, want: Permission},
	"any: 404":                           {dialect: "openai", status: 404, body: `{"error":{"message":"not found"}}`, want: ModelNotFound},
	"any: 404 with a page":               {dialect: "openai", status: 404, body: "<html>nginx</html>", want: ModelNotFound},
	"any: code model_not_found":          {dialect: "openai", status: 400, body: `{"error":{"message":"The requested model 'x' does not exist.","type":"invalid_request_error","param":"model","code":"model_not_found"}}`, want: ModelNotFound, stream: ModelNotFound},
	"any: 404 for a file of the request": {dialect: "openai", status: 404, body: `{"error":{"message":"No such File object: file-abc","type":"invalid_request_error","param":"id","code":null}}`, want: ClientError},
	"any: 404 for a vector store of the request":     {dialect: "openai", status: 404, body: `{"error":{"message":"Vector store with id 'vs_1' not found.","type":"invalid_request_error","param":null,"code":null}}`, want: ClientError},
	"any: 404 for a response of the request":         {dialect: "openai", status: 404, body: `{"error":{"message":"gone","code":"previous_response_not_found"}}`, want: ClientError},
	"any: 404 with a param and the code of a model":  {dialect: "openai", status: 404, body: `{"error":{"message":"gone","param":"messages","code":"model_not_found"}}`, want: ModelNotFound, stream: ModelNotFound},
	"any: 404 for a file, with the code of a model":  {dialect: "openai", status: 404, body: `{"error":{"message":"File x is no model","code":"model_not_found"}}`, want: ModelNotFound, stream: ModelNotFound},
	"any: 404 with a param and a generic code":       {dialect: "openai", status: 404, body: `{"error":{"message":"gone","param":"input[0].file_id","code":"invalid_value","type":"invalid_request_error"}}`, want: ClientError},
	"any: 404 of an endpoint beside chat":            {dialect: "openai", endpoint: Embeddings, status: 404, body: `{"detail":"Not Found"}`, want: Unsupported},
	"any: 404 of another endpoint beside chat":       {dialect: "openai", endpoint: Rerank, status: 404, body: "<html>nginx</html>", want: Unsupported},
	"any: 405 of an endpoint beside chat":            {dialect: "openai", endpoint: Images, status: 405, want: Unsupported},
	"any: 404 of an endpoint beside chat, by code":   {dialect: "openai", endpoint: Embeddings, status: 404, body: `{"error":{"message":"x","code":"model_not_found"}}`, want: ModelNotFound, stream: ModelNotFound},
	"any: 404 of chat":                               {dialect: "openai", endpoint: Chat, status: 404, body: `{"detail":"Not Found"}`, want: ModelNotFound},
	"any: 404 of Responses":                          {dialect: "openai", endpoint: Responses, status: 404, body: `{"detail":"Not Found"}`, want: ModelNotFound},
	"any: 404 of counting":                           {dialect: "openai", endpoint: CountTokens, status: 404, want: Unsupported},
	"any: 408":                                       {dialect: "openai", status: 408, header: "Retry-After: 2", want: Timeout, hint: 2 * time.Second},
	"any: 409":                                       {dialect: "openai", status: 409, header: "Retry-After: 2", want: ServerError, hint: 2 * time.Second},
	"any: 425":                                       {dialect: "openai", status: 425, want: ServerError},
	"any: 413":                                       {dialect: "openai", status: 413, body: `{"error":{"message":"Request body too large"}}`, want: ClientError},
	"any: 413 that speaks of tokens":                 {dialect: "openai", status: 413, body: `{"error":{"message":"The request has 9000 tokens, which is more than this server takes"}}`, want: ContextLength},
	"any: 413 in the wording":                        {dialect: "anthropic", status: 413, body: `{"error":{"message":"prompt too long"}}`, want: ContextLength},
	"any: 429":                                       {dialect: "openai", status: 429, header: "Retry-After: 7", body: `slow down please`, want: RateLimit, hint: 7 * time.Second},
	"any: 429 with a reset header":                   {dialect: "openai", status: 429, header: "x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 6m0s", want: RateLimit, hint: 6 * time.Minute},
	"any: 499":                                       {dialect: "openai", status: 499, want: ServerError},
	"any: 500":                                       {dialect: "openai", status: 500, header: "Retry-After: 3", body: `{"error":{"message":"oops"}}`, want: ServerError, hint: 3 * time.Second},
	"any: 502":                                       {dialect: "openai", status: 502, body: "<html><h1>Bad Gateway</h1></html>", want: ServerError},
	"any: 503":                                       {dialect: "openai", status: 503, header: "Retry-After: 20", want: Overloaded, hint: 20 * time.Second},
	"any: 504":                                       {dialect: "openai", status: 504, want: Timeout},
	"any: 529":                                       {dialect: "openai", preset: "nvidia", status: 529, header: "Retry-After: 4", want: Overloaded, hint: 4 * time.Second},
	"any: another 4xx":                               {dialect: "openai", status: 418, want: ClientError},
	"any: another 5xx":                               {dialect: "openai", status: 599, want: ServerError},
	"any: a status that isn't one":                   {dialect: "openai", status: 999, want: ServerError},
	"any: a redirect":                                {dialect: "openai", status: 302, want: Malformed},
	"any: another protocol":                          {dialect: "openai", status: 101, want: Malformed},
	"any: a status below all":                        {dialect: "openai", status: 42, want: Malformed},
	"any: 500 that speaks of context length":         {dialect: "openai", status: 500, body: `{"error":{"message":"maximum context length is 4096 tokens"}}`, want: ServerError},
	"any: 500 with the code of context length":       {dialect: "openai", status: 500, body: `{"error":{"message":"maximum context","code":"context_length_exceeded"}}`, want: ServerError, stream: ContextLength},
	"any: 400 that quotes the prompt about credit":   {dialect: "anthropic", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0: \"Your credit balance is too low\" is no content block"}}`, want: ClientError},
	"any: 400 that repeats the prompt about credit":  {dialect: "anthropic", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"unexpected input: my credit balance is too low"}}`, want: ClientError},
	"any: 400 that quotes the prompt about context":  {dialect: "openai", status: 400, body: `{"error":{"message":"Invalid value: 'what is your context window?'. Expected an object.","type":"invalid_request_error"}}`, want: ClientError},
	"any: generic type under another status":         {dialect: "openai", status: 500, body: `{"error":{"message":"x","type":"invalid_request_error","code":"500"}}`, want: ServerError},
	"any: generic api_error under 400":               {dialect: "openai", status: 400, body: `{"error":{"message":"x","type":"api_error","code":400}}`, want: ClientError, stream: ClientError},
	"any: error object under 200 with a known code":  {dialect: "openai", status: 200, body: `{"error":{"message":"x","code":"rate_limit_exceeded"}}`, want: RateLimit, stream: RateLimit},
	"any: error object under 200 with a status":      {dialect: "openai", status: 200, body: `{"error":{"message":"x","code":503}}`, want: Overloaded, stream: Overloaded},
	"any: error object under 200 with nothing known": {dialect: "openai", status: 200, body: `{"error":{"message":"x","type":"invalid_request_error"}}`, want: Malformed, stream: Malformed},
	"any: error string under 200":                    {dialect: "openai", status: 200, body: `{"error":"model runner has unexpectedly stopped"}`, want: Malformed, stream: Malformed},
	"any: the code of another provider":              {dialect: "anthropic", status: 400, body: `{"type":"error","error":{"type":"insufficient_quota","message":"x"}}`, want: ClientError},
	"any: a code in another place than an error":     {dialect: "openai", status: 500, body: `{"id":"x","choices":[],"code":"insufficient_quota"}`, want: Billing},

	"cloudflare: 520":                              {dialect: "openai", status: 520, body: "<html></html>", want: ServerError},
	"cloudflare: 525":                              {dialect: "openai", status: 525, want: ServerError},
	"cloudflare: 526":                              {dialect: "openai", status: 526, want: ServerError},
	"cloudflare: 521":                              {dialect: "openai", status: 521, want: Connection},
	"cloudflare: 522":                              {dialect: "openai", status: 522, header: "Retry-After: 9", want: Connection},
	"cloudflare: 523":                              {dialect: "openai", status: 523, want: Connection},
	"cloudflare: 524":                              {dialect: "openai", status: 524, want: Timeout},
	"cloudflare: 530":                              {dialect: "openai", status: 530, want: Connection},
	"cloudflare: 403 with a challenge":             {dialect: "openai", status: 403, header: "cf-mitigated: challenge", body: "<html></html>", want: Connection},
	"cloudflare: 503 with a challenge":             {dialect: "openai", status: 503, header: "cf-mitigated: challenge", body: "<html></html>", want: Connection},
	"cloudflare: a code beats the header":          {dialect: "openai", status: 403, header: "cf-mitigated: challenge", body: `{"error":{"code":"invalid_api_key"}}`, want: Auth, stream: Auth},
	"cloudflare: 403 with the header and JSON":     {dialect: "openai", status: 403, header: "cf-mitigated: challenge", body: `{"error":{"message":"x"}}`, want: Permission},
	"cloudflare: 503 with the header and JSON":     {dialect: "openai", status: 503, header: "cf-mitigated: challenge", body: `{"error":{"message":"x"}}`, want: Overloaded},
	"cloudflare: 403 with the header and nothing":  {dialect: "openai", status: 403, header: "cf-mitigated: challenge", want: Permission},
	"cloudflare: 403 with a page that wasn't read": {dialect: "openai", status: 403, header: "cf-mitigated: challenge\nContent-Type: text/html; charset=UTF-8\nContent-Encoding: br", want: Connection},
	"cloudflare: 403 with a page alone":            {dialect: "openai", status: 403, body: "<html></html>", want: Permission},
	"cloudflare: 500 with the header":              {dialect: "openai", status: 500, header: "cf-mitigated: challenge", want: ServerError},
	"one-api: 500 with its own type":               {dialect: "openai", preset: "new-api", status: 500, body: `{"error":{"message":"上游负载已饱和","type":"new_api_error","code":"x"}}`, want: ServerError, stream: ServerError},
	"one-api: no available channel":                {dialect: "openai", preset: "one-api", status: 503, body: `{"error":{"message":"no available channel for model x","type":"one_api_error"}}`, want: ServerError, stream: ServerError},
	"one-api: under 200":                           {dialect: "openai", status: 200, body: `{"error":{"message":"bad","type":"new_api_error"}}`, want: ServerError, stream: ServerError},
	"one-api: a known code":                        {dialect: "openai", status: 503, body: `{"error":{"message":"no channel","type":"new_api_error","code":"model_not_found"}}`, want: ModelNotFound, stream: ModelNotFound},
	"one-api: 429 by its status":                   {dialect: "openai", preset: "new-api", status: 429, body: `{"error":{"message":"x","type":"new_api_error"}}`, want: RateLimit},
	"local servers: 503 loading the model":         {dialect: "openai", preset: "llamacpp", status: 503, body: `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, want: Overloaded, stream: Overloaded},
	"local servers: 400 maximum context":           {dialect: "openai", preset: "vllm", status: 400, body: `{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.","type":"BadRequestError","param":null,"code":400}`, want: ContextLength, stream: ContextLength},
	"local servers: 500":                           {dialect: "openai", preset: "lmstudio", status: 500, body: `{"error":"Model crashed"}`, want: ServerError},
}
