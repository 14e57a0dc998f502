// npm ai with @ai-sdk/anthropic
import { createAnthropic } from '@ai-sdk/anthropic'
import { operations } from './ai.mjs'
import { base } from './common.mjs'

const connect = key => createAnthropic({ baseURL: `${base}/v1`, apiKey: key })

export { describe } from './ai.mjs'
export const endpoints = {
  // A model that the SDK doesn't know by name is asked through a tool, unless it is told that the model can do better.
  messages: operations((key, model) => connect(key)(model), { anthropic: { structuredOutputMode: 'outputFormat' } }),
}
