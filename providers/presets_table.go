package providers

import "github.com/ohmroute/ohmroute/circuitbreaker"

const (
	perProvider = circuitbreaker.ScopeProvider
	perTarget   = circuitbreaker.ScopeTarget
)

var (
	chatOnly      = []Endpoint{Chat}
	chatResponses = []Endpoint{Chat, Responses}
	allDialects   = []Endpoint{Chat, Responses, Messages}
)

// presets is the table that docs/providers.md is generated from.
var presets = []Preset{
	{
		Name: "openai", Title: "OpenAI", Kind: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY",
		Scope: perProvider, Dialects: chatResponses,
		Quirks: []string{"says `insufficient_quota` under 429: taken for `billing`, its Retry-After ignored"},
	},
	{
		Name: "groq", Title: "Groq", Kind: "openai", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY",
		NoReasoning: true, Scope: perTarget, Dialects: chatResponses,
		Quirks: []string{"stream usage in `x_groq.usage`", "reasoning in `reasoning`", "400 for the reasoning of earlier turns", "`tool_use_failed` is a `model_fault`", "413 for a request over the tokens per minute"},
	},
	{
		Name: "together", Aliases: []string{"together-ai"}, Title: "Together AI", Kind: "openai", BaseURL: "https://api.together.xyz/v1",
		KeyEnv: "TOGETHER_API_KEY", Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"403 for an input over the context length"},
	},
	{
		Name: "fireworks", Aliases: []string{"fireworks-ai"}, Title: "Fireworks AI", Kind: "openai",
		BaseURL: "https://api.fireworks.ai/inference/v1", KeyEnv: "FIREWORKS_API_KEY", Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"models are named `accounts/fireworks/models/...`"},
	},
	{
		Name: "deepseek", Title: "DeepSeek", Kind: "openai", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY",
		Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"blank lines or `: keep-alive` while a request waits", "reasoning in `reasoning_content`", "finish `insufficient_system_resource` is `overloaded`", "usage on the finish chunk"},
	},
	{
		Name: "mistral", Aliases: []string{"mistral-ai"}, Title: "Mistral AI", Kind: "openai", BaseURL: "https://api.mistral.ai/v1",
		KeyEnv: "MISTRAL_API_KEY", NoReasoning: true, Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"flat error objects", "`content` may be a list with `thinking` parts", "422 for the reasoning of earlier turns", "no reset header beside `x-ratelimit-remaining-*`", "usage on the finish chunk"},
	},
	{
		Name: "xai", Aliases: []string{"grok"}, Title: "xAI", Kind: "openai", BaseURL: "https://api.x.ai/v1", KeyEnv: "XAI_API_KEY",
		Scope: perProvider, Dialects: chatResponses,
		Quirks: []string{"`error` is a string", "400 for a bad key", "a tool call comes whole in one chunk", "reasoning in `reasoning_content`"},
	},
	{
		Name: "openrouter", Title: "OpenRouter", Kind: "openai", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY",
		Scope: perTarget, Dialects: chatResponses,
		Quirks: []string{"`: OPENROUTER PROCESSING` comments", "errors within chunks, with `[DONE]` after them", "403 may be a moderation", "reset header in epoch ms"},
	},
	{
		Name: "cerebras", Title: "Cerebras", Kind: "openai", BaseURL: "https://api.cerebras.ai/v1", KeyEnv: "CEREBRAS_API_KEY",
		Scope: perTarget, Dialects: chatOnly,
	},
	{
		Name: "perplexity", Title: "Perplexity", Kind: "openai", BaseURL: "https://api.perplexity.ai", KeyEnv: "PERPLEXITY_API_KEY",
		Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"no `/v1` in the base URL", "the error's `type` says what its `code` says elsewhere"},
	},
	{
		Name: "moonshot", Aliases: []string{"kimi", "moonshot-ai"}, Title: "Moonshot (Kimi)", Kind: "openai",
		BaseURL: "https://api.moonshot.ai/v1", KeyEnv: "MOONSHOT_API_KEY", Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"429 for an overloaded engine and for a used-up plan, told apart by wording", "reasoning in `reasoning_content`"},
	},
	{
		Name: "zai", Aliases: []string{"glm", "zhipu"}, Title: "Z.ai (GLM)", Kind: "openai", BaseURL: "https://api.z.ai/api/paas/v4",
		KeyEnv: "ZAI_API_KEY", Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"numeric error codes", "reset time in the message", "reasoning in `reasoning_content`", "usage on the finish chunk"},
	},
	{
		Name: "dashscope", Aliases: []string{"qwen", "alibaba"}, Title: "Qwen (DashScope)", Kind: "openai",
		BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", KeyEnv: "DASHSCOPE_API_KEY", Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"another base URL for keys of mainland China", "reasoning in `reasoning_content`"},
	},
	{
		Name: "nvidia", Aliases: []string{"nim", "nvidia-nim"}, Title: "NVIDIA NIM", Kind: "openai",
		BaseURL: "https://integrate.api.nvidia.com/v1", KeyEnv: "NVIDIA_API_KEY", Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"529 when overloaded"},
	},
	{
		Name: "huggingface", Aliases: []string{"hf", "hf-router"}, Title: "Hugging Face router", Kind: "openai",
		BaseURL: "https://router.huggingface.co/v1", KeyEnv: "HF_TOKEN", Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"402 when the monthly credits are used up", "503 while a model loads", "an odd `text` and large integer seeds", "usage on the finish chunk"},
	},
	{
		Name: "ollama", Title: "Ollama", Kind: "openai", BaseURL: "http://localhost:11434/v1",
		Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"`error` may be a string", "the cloud is `https://ollama.com/v1` with OLLAMA_API_KEY"},
	},
	{
		Name: "vllm", Title: "vLLM", Kind: "openai", BaseURL: "http://localhost:8000/v1",
		Scope: perProvider, Dialects: chatResponses,
		Quirks: []string{"reasoning in `reasoning_content`"},
	},
	{
		Name: "lmstudio", Title: "LM Studio", Kind: "openai", BaseURL: "http://localhost:1234/v1",
		Scope: perTarget, Dialects: chatResponses,
	},
	{
		Name: "llamacpp", Aliases: []string{"llama-server"}, Title: "llama.cpp", Kind: "openai", BaseURL: "http://localhost:8080/v1",
		Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"503 while the model loads"},
	},
	{
		Name: "litellm", Title: "LiteLLM", Kind: "openai", BaseURL: "http://localhost:4000/v1", KeyEnv: "LITELLM_API_KEY",
		Scope: perTarget, Dialects: allDialects,
	},
	{
		Name: "cohere", Title: "Cohere", Kind: "openai", BaseURL: "https://api.cohere.ai/compatibility/v1", KeyEnv: "COHERE_API_KEY",
		Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"errors are `{id, message}`", "498 is a `server_error`"},
	},
	{
		Name: "minimax", Title: "MiniMax", Kind: "openai", BaseURL: "https://api.minimax.io/v1", KeyEnv: "MINIMAX_API_KEY",
		Scope: perProvider, Dialects: chatOnly,
		Quirks: []string{"errors come under 200, in `base_resp.status_code`"},
	},
	{
		Name: "bedrock", Aliases: []string{"aws-bedrock"}, Title: "Amazon Bedrock", Kind: "openai",
		BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", KeyEnv: "AWS_BEARER_TOKEN_BEDROCK",
		Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"the region is part of the base URL", "errors are named in `x-amzn-errortype`", "429 and 503 of one model say nothing about another"},
	},
	{
		Name: "gemini", Aliases: []string{"gemini-openai"}, Title: "Gemini in OpenAI's dialect", Kind: "openai",
		BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: "GEMINI_API_KEY", Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"errors may be a list", "quotas are per model; the day's end is midnight Pacific time"},
	},
	{
		Name: "new-api", Aliases: []string{"one-api"}, Title: "one-api, new-api", Kind: "openai",
		Scope: perTarget, Dialects: chatOnly,
		Quirks: []string{"wraps the errors of others under 200 and 5xx, with type `new_api_error` or `one_api_error`"},
	},
}
