// npm ai, as the files ai-*.mjs configure it
import { embed, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { City, pixel, question, weather, Weather } from './common.mjs'

const tools = () => {
  const called = []
  const execute = async input => {
    called.push({ name: weather.name, arguments: input })
    return weather.call(input)
  }
  return { called, set: { [weather.name]: tool({ description: weather.description, inputSchema: Weather, execute }) } }
}

// The gateway has tried what there is to try, so the SDK is told not to: it doesn't heed x-should-retry.
const settings = { maxRetries: 0 }

// drain reads a stream to its end; the SDK tells of errors as parts of it.
async function drain(result, progress) {
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') progress(part.text ?? part.delta)
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw Object.assign(new Error('aborted'), { name: 'AbortError' })
  }
  const usage = await result.usage
  return { text: await result.text, finish: await result.finishReason, input: usage.inputTokens, output: usage.outputTokens }
}

export const operations = (languageModel, providerOptions) => ({
  async text({ key, model, signal: abortSignal }) {
    const done = await generateText({ ...settings, model: languageModel(key, model), prompt: 'Say hello.', abortSignal })
    return { text: done.text, finish: done.finishReason, input: done.usage.inputTokens, output: done.usage.outputTokens }
  },
  stream: ({ key, model, signal: abortSignal, progress }) =>
    drain(streamText({ ...settings, model: languageModel(key, model), prompt: 'Say hello.', abortSignal, onError() {} }), progress),
  async tools({ key, model, signal: abortSignal }) {
    const { called, set } = tools()
    const done = await generateText({
      ...settings, model: languageModel(key, model), prompt: question, tools: set, stopWhen: isStepCount(3), abortSignal,
    })
    return { text: done.text, tools: called }
  },
  async toolsStream({ key, model, signal: abortSignal }) {
    const { called, set } = tools()
    const done = await drain(streamText({
      ...settings, model: languageModel(key, model), prompt: question, tools: set, stopWhen: isStepCount(3), abortSignal, onError() {},
    }), () => {})
    return { ...done, tools: called }
  },
  async object({ key, model, signal: abortSignal }) {
    const done = await generateText({
      ...settings, model: languageModel(key, model), prompt: 'Which city?', output: Output.object({ schema: City }), providerOptions, abortSignal,
    })
    return { object: done.output }
  },
  async vision({ key, model, signal: abortSignal }) {
    const content = [{ type: 'text', text: 'What is this?' }, { type: 'file', data: pixel, mediaType: 'image/png' }]
    const done = await generateText({ ...settings, model: languageModel(key, model), messages: [{ role: 'user', content }], abortSignal })
    return { text: done.text }
  },
})

export const embeddings = embeddingModel => ({
  async embed({ key, model }) {
    const one = await embed({ ...settings, model: embeddingModel(key, model), value: 'one' })
    return { vectors: [one.embedding] }
  },
})

// describe finds what the gateway said in what the SDK throws.
export const describe = error => {
  const said = error?.data?.error ?? error?.error
  return { class: error?.name ?? error?.constructor?.name, code: said?.code ?? said?.type ?? error?.code }
}
