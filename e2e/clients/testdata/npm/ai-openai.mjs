// npm ai with @ai-sdk/openai, which speaks Responses unless told otherwise
import { createOpenAI } from '@ai-sdk/openai'
import { embeddings, operations } from './ai.mjs'
import { base } from './common.mjs'

const connect = key => createOpenAI({ baseURL: `${base}/v1`, apiKey: key })

export { describe } from './ai.mjs'
export const endpoints = {
  responses: operations((key, model) => connect(key)(model)),
  chat: operations((key, model) => connect(key).chat(model)),
  embeddings: embeddings((key, model) => connect(key).embedding(model)),
}
