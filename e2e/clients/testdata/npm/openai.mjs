// npm openai
import OpenAI, { toFile } from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { base, City, picture, question, weather, weatherSchema } from './common.mjs'

const connect = key => new OpenAI({ baseURL: `${base}/v1`, apiKey: key })
const user = content => [{ role: 'user', content }]
const calls = list => list.map(c => ({ name: c.name, arguments: JSON.parse(c.arguments) }))

const chatTools = [{
  type: 'function',
  function: { name: weather.name, description: weather.description, strict: true, parameters: weatherSchema },
}]

// chatLoop asks until the model calls no tool any more.
async function chatLoop(model, ask) {
  const messages = user(question), tools = []
  for (;;) {
    const { message } = (await ask({ model, messages, tools: chatTools, parallel_tool_calls: true })).choices[0]
    if (!message.tool_calls?.length) return { text: message.content, tools }
    messages.push(message)
    for (const call of message.tool_calls) {
      tools.push(...calls([call.function]))
      messages.push({ role: 'tool', tool_call_id: call.id, content: weather.call(JSON.parse(call.function.arguments)) })
    }
  }
}

const chat = {
  async text({ key, model, signal }) {
    const done = await connect(key).chat.completions.create({ model, messages: user('Say hello.') }, { signal })
    return { text: done.choices[0].message.content, input: done.usage?.prompt_tokens, output: done.usage?.completion_tokens }
  },
  async stream({ key, model, signal, progress }) {
    let text = '', usage, finish
    const chunks = await connect(key).chat.completions.create(
      { model, messages: user('Say hello.'), stream: true, stream_options: { include_usage: true } }, { signal })
    for await (const chunk of chunks) {
      const piece = chunk.choices[0]?.delta.content ?? ''
      finish = chunk.choices[0]?.finish_reason ?? finish
      usage = chunk.usage ?? usage
      text += piece
      progress(piece)
    }
    return { text, finish, input: usage?.prompt_tokens, output: usage?.completion_tokens, aborted: signal.aborted }
  },
  tools: ({ key, model, signal }) =>
    chatLoop(model, body => connect(key).chat.completions.create(body, { signal })),
  toolsStream: ({ key, model, signal }) =>
    chatLoop(model, body => connect(key).chat.completions.stream(body, { signal }).finalChatCompletion()),
  async object({ key, model, signal }) {
    const done = await connect(key).chat.completions.parse(
      { model, messages: user('Which city?'), response_format: zodResponseFormat(City, 'city') }, { signal })
    return { object: done.choices[0].message.parsed }
  },
  async vision({ key, model, signal }) {
    const content = [{ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: picture } }]
    const done = await connect(key).chat.completions.create({ model, messages: user(content) }, { signal })
    return { text: done.choices[0].message.content }
  },
}

const responsesTools = [{
  type: 'function', name: weather.name, description: weather.description, strict: true, parameters: weatherSchema,
}]

async function responsesLoop(model, ask) {
  const input = user(question), tools = []
  for (;;) {
    const done = await ask({ model, input, tools: responsesTools, parallel_tool_calls: true })
    const called = done.output.filter(item => item.type === 'function_call')
    if (!called.length) return { text: done.output_text, tools }
    input.push(...done.output)
    for (const call of called) {
      tools.push(...calls([call]))
      input.push({ type: 'function_call_output', call_id: call.call_id, output: weather.call(JSON.parse(call.arguments)) })
    }
  }
}

const responses = {
  async text({ key, model, signal }) {
    const done = await connect(key).responses.create({ model, input: 'Say hello.' }, { signal })
    return { text: done.output_text, input: done.usage?.input_tokens, output: done.usage?.output_tokens }
  },
  async stream({ key, model, signal, progress }) {
    const events = connect(key).responses.stream({ model, input: 'Say hello.' }, { signal })
    for await (const event of events) if (event.type === 'response.output_text.delta') progress(event.delta)
    const done = await events.finalResponse()
    if (done.status === 'failed') throw Object.assign(new Error(done.error.message), { code: done.error.code })
    return { text: done.output_text, finish: done.status, input: done.usage?.input_tokens, output: done.usage?.output_tokens, aborted: signal.aborted }
  },
  tools: ({ key, model, signal }) => responsesLoop(model, body => connect(key).responses.create(body, { signal })),
  toolsStream: ({ key, model, signal }) =>
    responsesLoop(model, body => connect(key).responses.stream(body, { signal }).finalResponse()),
  async object({ key, model, signal }) {
    const done = await connect(key).responses.parse(
      { model, input: 'Which city?', text: { format: zodTextFormat(City, 'city') } }, { signal })
    return { object: done.output_parsed }
  },
  async vision({ key, model, signal }) {
    const content = [{ type: 'input_text', text: 'What is this?' }, { type: 'input_image', image_url: picture, detail: 'auto' }]
    const done = await connect(key).responses.create({ model, input: user(content) }, { signal })
    return { text: done.output_text }
  },
}

const models = {
  async list({ key }) {
    const ids = []
    for await (const model of connect(key).models.list()) ids.push(model.id)
    return { ids }
  },
  async get({ key, model }) { return { ids: [(await connect(key).models.retrieve(model)).id] } },
}

const embeddings = {
  async embed({ key, model }) {
    const done = await connect(key).embeddings.create({ model, input: ['one', 'two'] })
    return { vectors: done.data.map(d => d.embedding) }
  },
}

const others = {
  async completions({ key, model }) {
    return { text: (await connect(key).completions.create({ model, prompt: 'Say hello.' })).choices[0].text }
  },
  async moderations({ key, model }) {
    return { text: String((await connect(key).moderations.create({ model, input: 'hello' })).results[0].flagged) }
  },
  async images({ key, model }) {
    return { text: (await connect(key).images.generate({ model, prompt: 'a dot' })).data[0].b64_json }
  },
  async speech({ key, model }) {
    return { text: await (await connect(key).audio.speech.create({ model, voice: 'alloy', input: 'hello' })).text() }
  },
  async transcription({ key, model }) {
    const file = await toFile(Buffer.from('RIFF'), 'hello.wav', { type: 'audio/wav' })
    return { text: (await connect(key).audio.transcriptions.create({ model, file })).text }
  },
}

export const endpoints = { chat, responses, models, embeddings, others }
