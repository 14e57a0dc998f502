package providers

// The tables are spec: failures.md 3, sorted by the rank of their evidence (section 2). Within one table the first
// row that matches decides, so rows of named providers stand before those of all.

// overCode are the wordings that beat the code which comes with them.
var overCode = ready([]row{
	{of: "openai azure", statuses: "413 429 none", wording: `request too large.*(\bTPM\b|tokens per min)`, kind: ContextLength},
	{of: "gemini", statuses: "429 none", wording: `\blimit: 0([^0-9.]|\.\D|\.?$)`, kind: Permission},
})

// byCode are an error object's own codes and types; they decide whatever the status.
var byCode = ready([]row{
	{of: "gemini", statuses: "402", words: "RESOURCE_EXHAUSTED", kind: Billing},
	{of: "gemini", words: "payment_required", kind: Billing},
	{of: "gemini", words: "*PerDay* quota_exceeded", kind: QuotaExhausted},
	{of: "gemini", words: "RESOURCE_EXHAUSTED *PerMinute*", kind: RateLimit},
	{of: "gemini", words: "API_KEY_INVALID API_KEY_EXPIRED PERMISSION_DENIED", kind: Auth},
	{of: "gemini", words: "FAILED_PRECONDITION", kind: Billing},
	{of: "gemini", words: "NOT_FOUND", kind: ModelNotFound},
	{of: "gemini", words: "UNAVAILABLE", kind: Overloaded},
	{of: "gemini", words: "INTERNAL CANCELLED", kind: ServerError},
	{of: "gemini", words: "DEADLINE_EXCEEDED", kind: Timeout},

	{of: "anthropic", words: "enforced_spend_limit_reached", kind: Billing, hint: hintNone},
	{of: "anthropic", words: "overloaded_error", kind: Overloaded},
	{of: "anthropic", words: "rate_limit_error", kind: RateLimit},
	{of: "anthropic", words: "billing_error", kind: Billing},
	{of: "anthropic", words: "request_too_large", kind: ClientError, next: true},
	{of: "anthropic", words: "authentication_error permission_error", kind: Auth},
	{of: "anthropic", words: "not_found_error", kind: ModelNotFound},
	{of: "anthropic", words: "timeout_error", kind: Timeout},
	{of: "anthropic", words: "conflict_error", kind: ServerError},
	{of: "anthropic", statuses: "none", words: "api_error", kind: ServerError},

	{of: "azure", words: "RateLimitReached", kind: RateLimit},
	{of: "azure", words: "ResponsibleAIPolicyViolation", kind: ContentPolicy},
	{of: "azure", words: "DeploymentNotFound", kind: ModelNotFound},

	{of: "bedrock", words: "Throttling", kind: RateLimit},
	{of: "bedrock", words: "ModelNotReady ServiceUnavailable", kind: Overloaded},
	{of: "bedrock", words: "ServiceQuotaExceeded", kind: QuotaExhausted},
	{of: "bedrock", words: "InternalServer ModelError ModelStreamError", kind: ServerError},
	{of: "bedrock", words: "ModelTimeout", kind: Timeout},
	{of: "bedrock", words: "AccessDenied", kind: Auth},
	{of: "bedrock", words: "ResourceNotFound FTUFormNotFilled", kind: ModelNotFound},

	{of: "openrouter", words: "openrouter_in_flight_budget", kind: RateLimit},
	{of: "openrouter", words: "weight_exceeds_budget", kind: ClientError, next: true},
	{of: "openrouter", statuses: "403", words: moderated, kind: ContentPolicy},

	{of: "mistral", words: "service_tier_capacity_exceeded 3505", kind: Overloaded},
	{of: "groq", words: "capacity_exceeded", kind: Overloaded},
	{of: "groq", words: "tool_use_failed", kind: ModelFault},
	{of: "cohere", words: "TOO_MANY_TOKENS", kind: ContextLength},
	{of: "perplexity", words: "too_many_prompt_tokens", kind: ContextLength},

	{of: "zai", words: "1302 1303 1305", kind: RateLimit},
	{of: "zai", words: "1312", kind: Overloaded},
	{of: "zai", words: "1304 1308 1310", kind: QuotaExhausted},
	{of: "zai", words: "1113 1309", kind: Billing},
	{of: "zai", words: "1000 1001 1002 1003 1004", kind: Auth},
	{of: "zai", words: "1261", kind: ContextLength},
	{of: "zai", words: "1301", kind: ContentPolicy},
	{of: "zai", words: "1211", kind: ModelNotFound},

	{of: "demo", words: "quota_exceeded", kind: QuotaExhausted},

	{of: "dashscope", words: "Throttling.RateQuota", kind: RateLimit},
	{of: "dashscope", words: "Throttling.AllocationQuota", kind: QuotaExhausted},
	{of: "dashscope", words: "Arrearage", kind: Billing},
	{of: "dashscope", words: "DataInspectionFailed data_inspection_failed", kind: ContentPolicy},

	{of: "minimax", words: "1002 1039", kind: RateLimit},
	{of: "minimax", words: "1008", kind: Billing},
	{of: "minimax", words: "1004", kind: Auth},
	{of: "minimax", words: "1026 1027", kind: ContentPolicy},

	{
		of: "openai azure", kind: Billing, hint: hintNone,
		words: "insufficient_quota credit_balance_exhausted organization_spend_limit_exceeded project_spend_limit_exceeded " +
			"organization_usage_limit_exceeded billing_not_active",
	},
	{of: "openai azure", words: "rate_limit_exceeded slow_down", kind: RateLimit},
	{of: "openai azure", words: "server_is_overloaded service_unavailable_error", kind: Overloaded},
	{of: "openai azure", words: "context_length_exceeded", kind: ContextLength},
	{of: "openai azure", words: "content_policy_violation content_filter", kind: ContentPolicy},
	{of: "openai azure", words: "unsupported_parameter unsupported_value unknown_parameter unsupported_file", kind: Unsupported},
	{of: "openai azure", words: "invalid_api_key unsupported_country*", kind: Auth},
	{words: "model_not_found", kind: ModelNotFound},
	{statuses: "404", words: "previous_response_not_found response_not_found file_not_found vector_store_not_found conversation_not_found container_not_found", kind: ClientError},
	{of: "openai azure", words: "server_error", kind: ServerError},
	{of: "openai", statuses: "none 5xx", words: "new_api_error one_api_error", kind: ServerError},
})

// byHeader is evidence that stands in headers.
var byHeader = ready([]row{
	{of: "azure", statuses: "429", header: "X-Ratelimit-Abusepenalty-Active", kind: Overloaded},
	{statuses: "403 503", header: "Cf-Mitigated", page: true, kind: Connection},
})

// byWording tells apart what has the same status. On a 400 it must stand in the first words of the message: what the
// client wrote can't stand there.
var byWording = ready([]row{
	{statuses: "404", wording: `^(no such |the )?(file|vector store|previous response|response|item|container|conversation|cached ?content)\b`, kind: ClientError},
	{of: "anthropic", statuses: "400", wording: `^you have reached your specified (\w+ )?api usage limits`, kind: Billing},
	{of: "anthropic", statuses: "400", wording: `^(your )?credit balance is too low`, kind: Billing, hint: hintNone},
	{of: "gemini", statuses: "400", wording: `^api key (not valid|expired)`, kind: Auth},
	{of: "gemini", statuses: "400", wording: sentence + `(the )?input token count.{0,40}exceeds the maximum`, kind: ContextLength},
	{of: "azure", statuses: "429", wording: `system is (currently )?experiencing high demand|temporarily unable`, kind: Overloaded},
	{of: "bedrock", statuses: "400", wording: sentence + `(input tokens exceeded|(the )?(input|prompt|request) is too long)`, kind: ContextLength},
	{of: "xai", statuses: "400", wording: `^incorrect api key`, kind: Auth},
	{of: "xai", statuses: "403 429", wording: `used all available credits|reached its monthly spending limit|doesn't have any credits`, kind: Billing},
	{of: "together", statuses: "403", wording: sentence + `input token count.{0,40}must be less than.{0,40}context`, kind: ContextLength},
	{of: "moonshot", statuses: "400", wording: `^(invalid request: )?your request exceeded model token limit`, kind: ContextLength},
	{of: "moonshot", statuses: "429", wording: `engine is currently overloaded`, kind: Overloaded},
	{of: "moonshot", statuses: "403 429", wording: `usage limit for this period`, kind: QuotaExhausted},
	{of: "moonshot", statuses: "403 429", wording: `insufficient balance|billing cycle`, kind: Billing},
	{of: "dashscope", statuses: "403 429", wording: `free allocated quota exceeded`, kind: QuotaExhausted},
	{of: "openai azure", statuses: "400", wording: `^[^:=(\[{<]{0,160}does not support image`, kind: Unsupported},
	{of: "together", statuses: "403", wording: contextWords, unless: unreadable, kind: ContextLength},
	{statuses: "400 413", wording: contextWords, unless: unreadable, kind: ContextLength},
	{statuses: "413", wording: `\btokens?\b`, kind: ContextLength},
})

// byStatus decides what nothing else did. "none" stands last: an error under 200 without anything that is known.
var byStatus = ready([]row{
	{of: "azure bedrock", statuses: "403", kind: Auth},
	{of: "bedrock groq", statuses: "424", kind: ServerError},
	{of: "groq", statuses: "498", kind: Overloaded},
	{of: "cohere", statuses: "498", kind: ServerError},
	{of: "anthropic", statuses: "413", kind: ClientError, next: true},

	{statuses: "401", kind: Auth},
	{statuses: "402", kind: Billing},
	{statuses: "403", kind: Permission},
	{statuses: "404", kind: ModelNotFound},
	{statuses: "408 504 524", kind: Timeout},
	{statuses: "409 425 499", kind: ServerError},
	{statuses: "429", kind: RateLimit},
	{statuses: "503 529", kind: Overloaded},
	{statuses: "521 522 523 530", kind: Connection},
	{statuses: "0xx 1xx 2xx 3xx", kind: Malformed}, // and none
	{statuses: "4xx", kind: ClientError},
	{kind: ServerError},
})
