// npm ai with @ai-sdk/openai-compatible
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embeddings, operations } from './ai.mjs'
import { base } from './common.mjs'

const connect = key => createOpenAICompatible({
  name: 'ohmroute', baseURL: `${base}/v1`, apiKey: key, includeUsage: true, supportsStructuredOutputs: true,
})

export { describe } from './ai.mjs'
export const endpoints = {
  chat: operations((key, model) => connect(key)(model)),
  embeddings: embeddings((key, model) => connect(key).embeddingModel(model)),
}
