// npm @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { base, City, pixel, question, weather, weatherSchema } from './common.mjs'

const connect = key => new Anthropic({ baseURL: base, apiKey: key })
const user = content => [{ role: 'user', content }]
const textOf = message => message.content.filter(b => b.type === 'text').map(b => b.text).join('')
const counts = message => ({ input: message.usage.input_tokens, output: message.usage.output_tokens })

const tools = [{ name: weather.name, description: weather.description, input_schema: weatherSchema }]

// loop asks until the model calls no tool any more.
async function loop(model, ask) {
  const messages = user(question), called = []
  for (;;) {
    const message = await ask({ model, max_tokens: 500, messages, tools })
    const uses = message.content.filter(b => b.type === 'tool_use')
    if (!uses.length) return { text: textOf(message), tools: called, finish: message.stop_reason }
    called.push(...uses.map(u => ({ name: u.name, arguments: u.input })))
    messages.push({ role: 'assistant', content: message.content })
    messages.push({ role: 'user', content: uses.map(u => ({ type: 'tool_result', tool_use_id: u.id, content: weather.call(u.input) })) })
  }
}

const operations = api => ({
  async text({ key, model, signal }) {
    const message = await api(key).create({ model, max_tokens: 500, messages: user('Say hello.') }, { signal })
    return { text: textOf(message), ...counts(message) }
  },
  async stream({ key, model, signal, progress }) {
    const stream = api(key).stream({ model, max_tokens: 500, messages: user('Say hello.') }, { signal })
    stream.on('text', progress)
    const message = await stream.finalMessage()
    return { text: textOf(message), finish: message.stop_reason, ...counts(message), aborted: signal.aborted }
  },
  tools: ({ key, model, signal }) => loop(model, body => api(key).create(body, { signal })),
  toolsStream: ({ key, model, signal }) => loop(model, body => api(key).stream(body, { signal }).finalMessage()),
  async object({ key, model, signal }) {
    const message = await api(key).parse(
      { model, max_tokens: 500, messages: user('Which city?'), output_config: { format: zodOutputFormat(City) } }, { signal })
    return { object: message.parsed_output }
  },
  async vision({ key, model, signal }) {
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
      { type: 'text', text: 'What is this?' },
    ]
    return { text: textOf(await api(key).create({ model, max_tokens: 500, messages: user(content) }, { signal })) }
  },
  async count({ key, model }) {
    return { input: (await api(key).countTokens({ model, messages: user('Say hello.') })).input_tokens }
  },
})

const models = {
  async list({ key }) {
    const ids = []
    for await (const model of connect(key).models.list()) ids.push(model.id)
    return { ids }
  },
  async get({ key, model }) { return { ids: [(await connect(key).models.retrieve(model)).id] } },
}

export const endpoints = {
  messages: operations(key => connect(key).messages),
  beta: operations(key => connect(key).beta.messages),
  models,
}
export const describe = error => ({ code: error?.error?.error?.type })
