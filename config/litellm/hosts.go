package litellm

import "strings"

// host is what is known of a provider of theirs.
type host struct {
	kind, preset string
	baseURL      string // where no preset knows it
	keyEnv       string // the variable that they read without api_key; empty: the preset's
	suffix       string // what our base URL has behind their api_base
	refused      string // why nothing of it can be used
}

const openAI = "openai"

// hosts are their providers, by the prefix of a model.
var hosts = map[string]host{
	"openai":                 {kind: openAI, preset: "openai"},
	"text-completion-openai": {kind: openAI, preset: "openai"},
	"custom_openai":          {kind: openAI},
	"openai_like":            {kind: openAI},
	"azure":                  {kind: "azure", keyEnv: "AZURE_API_KEY"},
	"azure_text":             {kind: "azure", keyEnv: "AZURE_API_KEY"},
	"azure_ai":               {kind: openAI, keyEnv: "AZURE_AI_API_KEY"},
	"anthropic":              {kind: "anthropic", baseURL: "https://api.anthropic.com", keyEnv: "ANTHROPIC_API_KEY"},
	"gemini":                 {kind: "gemini", baseURL: "https://generativelanguage.googleapis.com", keyEnv: "GEMINI_API_KEY"},
	"groq":                   {kind: openAI, preset: "groq"},
	"together_ai":            {kind: openAI, preset: "together"},
	"fireworks_ai":           {kind: openAI, preset: "fireworks"},
	"deepseek":               {kind: openAI, preset: "deepseek"},
	"mistral":                {kind: openAI, preset: "mistral"},
	"codestral":              {kind: openAI, baseURL: "https://codestral.mistral.ai/v1", keyEnv: "CODESTRAL_API_KEY"},
	"xai":                    {kind: openAI, preset: "xai"},
	"openrouter":             {kind: openAI, preset: "openrouter"},
	"cerebras":               {kind: openAI, preset: "cerebras"},
	"perplexity":             {kind: openAI, preset: "perplexity", keyEnv: "PERPLEXITYAI_API_KEY"},
	"moonshot":               {kind: openAI, preset: "moonshot"},
	"zai":                    {kind: openAI, preset: "zai"},
	"dashscope":              {kind: openAI, preset: "dashscope"},
	"nvidia_nim":             {kind: openAI, preset: "nvidia", keyEnv: "NVIDIA_NIM_API_KEY"},
	"huggingface":            {kind: openAI, preset: "huggingface"},
	"ollama":                 {kind: openAI, preset: "ollama", suffix: "/v1"},
	"ollama_chat":            {kind: openAI, preset: "ollama", suffix: "/v1"},
	"hosted_vllm":            {kind: openAI, preset: "vllm"},
	"vllm":                   {kind: openAI, preset: "vllm"},
	"lm_studio":              {kind: openAI, preset: "lmstudio"},
	"llamafile":              {kind: openAI, preset: "llamacpp"},
	"litellm_proxy":          {kind: openAI, preset: "litellm", keyEnv: "LITELLM_PROXY_API_KEY", suffix: "/v1"},
	"cohere":                 {kind: openAI, preset: "cohere"},
	"cohere_chat":            {kind: openAI, preset: "cohere"},
	"minimax":                {kind: openAI, preset: "minimax"},
	"deepinfra":              {kind: openAI, baseURL: "https://api.deepinfra.com/v1/openai", keyEnv: "DEEPINFRA_API_KEY"},
	"sambanova":              {kind: openAI, baseURL: "https://api.sambanova.ai/v1", keyEnv: "SAMBANOVA_API_KEY"},
	"hyperbolic":             {kind: openAI, baseURL: "https://api.hyperbolic.xyz/v1", keyEnv: "HYPERBOLIC_API_KEY"},
	"novita":                 {kind: openAI, baseURL: "https://api.novita.ai/v3/openai", keyEnv: "NOVITA_API_KEY"},
	"nebius":                 {kind: openAI, baseURL: "https://api.studio.nebius.ai/v1", keyEnv: "NEBIUS_API_KEY"},
	"github":                 {kind: openAI, baseURL: "https://models.github.ai/inference", keyEnv: "GITHUB_API_KEY"},
	"xinference":             {kind: openAI, baseURL: "http://127.0.0.1:9997/v1"},
	"databricks":             {kind: openAI, keyEnv: "DATABRICKS_API_KEY"},
	"voyage":                 {kind: openAI, baseURL: "https://api.voyageai.com/v1", keyEnv: "VOYAGE_API_KEY"},
	"jina_ai":                {kind: openAI, baseURL: "https://api.jina.ai/v1", keyEnv: "JINA_AI_API_KEY"},

	"bedrock":          {refused: "wants requests signed with AWS keys; for the models of its OpenAI-compatible endpoint there is the preset bedrock"},
	"bedrock_converse": {refused: "wants requests signed with AWS keys"},
	"sagemaker":        {refused: "wants requests signed with AWS keys"},
	"sagemaker_chat":   {refused: "wants requests signed with AWS keys"},
	"vertex_ai":        {refused: "wants Google's service accounts; the kind gemini takes API keys"},
	"vertex_ai_beta":   {refused: "wants Google's service accounts; the kind gemini takes API keys"},
	"watsonx":          {refused: "wants tokens of IBM's IAM"},
	"oci":              {refused: "wants requests signed with Oracle's keys"},
	"snowflake":        {refused: "wants tokens of Snowflake"},
	"github_copilot":   {refused: "wants a sign-in"},
	"replicate":        {refused: "has an API of its own"},
	"predibase":        {refused: "has an API of its own"},
	"petals":           {refused: "has an API of its own"},
	"palm":             {refused: "no longer exists"},
}

// bareModels are the beginnings of models that need no prefix, and whose they are.
var bareModels = []struct{ begins, prefix string }{
	{"gpt-", "openai"},
	{"chatgpt-", "openai"},
	{"o1", "openai"},
	{"o3", "openai"},
	{"o4", "openai"},
	{"ft:", "openai"},
	{"text-embedding-", "openai"},
	{"dall-e-", "openai"},
	{"whisper-", "openai"},
	{"tts-", "openai"},
	{"omni-moderation-", "openai"},
	{"text-moderation-", "openai"},
	{"davinci-", "openai"},
	{"babbage-", "openai"},
	{"claude-", "anthropic"},
	{"command-", "cohere"},
	{"gemini-", "vertex_ai"},
}

// identify splits a model as they do: the provider that they were told, a prefix that is a provider, or one that the
// name alone tells.
func identify(model, told string) (prefix, name string, found bool) {
	if told != "" {
		name = strings.TrimPrefix(model, told+"/")
		_, found = hosts[told]
		return told, name, found
	}
	if before, after, ok := strings.Cut(model, "/"); ok {
		if _, known := hosts[before]; known {
			return before, after, true
		}
	}
	for _, bare := range bareModels {
		if strings.HasPrefix(model, bare.begins) {
			return bare.prefix, model, true
		}
	}
	return "", model, false
}
