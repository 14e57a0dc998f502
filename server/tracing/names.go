package tracing

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/ohmroute/ohmroute/providers"
)

// The attributes of OpenTelemetry's conventions for generative AI, HTTP and errors that spans have.
const (
	operationName   = attribute.Key("gen_ai.operation.name")
	providerName    = attribute.Key("gen_ai.provider.name")
	requestModel    = attribute.Key("gen_ai.request.model")
	finishReasons   = attribute.Key("gen_ai.response.finish_reasons")
	inputTokens     = attribute.Key("gen_ai.usage.input_tokens")
	outputTokens    = attribute.Key("gen_ai.usage.output_tokens")
	cachedTokens    = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	reasoningTokens = attribute.Key("gen_ai.usage.reasoning.output_tokens")

	errorType     = attribute.Key("error.type")
	httpStatus    = attribute.Key("http.response.status_code")
	serverAddress = attribute.Key("server.address")
	serverPort    = attribute.Key("server.port")
)

// What no convention has a name for.
const (
	requestID   = attribute.Key("ohmroute.request.id")
	comboName   = attribute.Key("ohmroute.combo")
	targetName  = attribute.Key("ohmroute.target")
	outcome     = attribute.Key("ohmroute.outcome")
	attempts    = attribute.Key("ohmroute.attempts")
	streamed    = attribute.Key("ohmroute.stream")
	queueMS     = attribute.Key("ohmroute.queue_ms")
	gatewayMS   = attribute.Key("ohmroute.overhead_ms")
	providerID  = attribute.Key("ohmroute.provider")
	modelName   = attribute.Key("ohmroute.model")
	skipReason  = attribute.Key("ohmroute.skip_reason")
	forced      = attribute.Key("ohmroute.forced")
	probe       = attribute.Key("ohmroute.probe")
	upstreamID  = attribute.Key("ohmroute.upstream_request_id")
	eventSkip   = "ohmroute.skip"
	eventTokens = "ohmroute.first_token"
)

// operations are the convention's names of what endpoints do; an endpoint that isn't here goes by its own.
var operations = map[providers.Endpoint]string{
	providers.Chat:        "chat",
	providers.Responses:   "chat",
	providers.Messages:    "chat",
	providers.Completions: "text_completion",
}

func operationOf(endpoint string) string {
	if name, ok := operations[providers.Endpoint(endpoint)]; ok {
		return name
	}
	return endpoint
}

// wellKnown are the convention's names of providers, by kind or preset of ours.
var wellKnown = map[string]string{
	"anthropic":  "anthropic",
	"azure":      "azure.ai.openai",
	"bedrock":    "aws.bedrock",
	"cohere":     "cohere",
	"deepseek":   "deepseek",
	"gemini":     "gcp.gemini",
	"groq":       "groq",
	"mistral":    "mistral_ai",
	"openai":     "openai",
	"perplexity": "perplexity",
	"xai":        "x_ai",
}

// ProviderName is gen_ai.provider.name of a provider: the convention's, else that of the preset, else its id.
func ProviderName(id, kind, preset string) string {
	if preset != "" {
		if p, ok := providers.PresetOf(preset); ok {
			preset = p.Name
		}
		if name, ok := wellKnown[preset]; ok {
			return name
		}
		return preset
	}
	if name, ok := wellKnown[kind]; ok && kind != "openai" { // of which anybody may speak the dialect
		return name
	}
	return id
}
