// npm @langchain/openai
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { base, City, picture, question, weather, Weather } from './common.mjs'

// The gateway has tried what there is to try, so the library is told not to: its own tries don't heed x-should-retry.
const settings = key => ({ apiKey: key, maxRetries: 0, configuration: { baseURL: `${base}/v1` } })
const weatherTool = tool(weather.call, { name: weather.name, description: weather.description, schema: Weather })
const textOf = message => typeof message.content === 'string'
  ? message.content : message.content.filter(b => b.type === 'text').map(b => b.text).join('')
const counts = message => ({ input: message.usage_metadata?.input_tokens, output: message.usage_metadata?.output_tokens })

async function gather(stream, progress = () => {}) {
  let whole
  for await (const chunk of stream) {
    progress(textOf(chunk))
    whole = whole ? whole.concat(chunk) : chunk
  }
  return whole
}

// loop asks until the model calls no tool any more.
async function loop(ask) {
  const messages = [new HumanMessage(question)], tools = []
  for (;;) {
    const message = await ask(messages)
    if (!message.tool_calls?.length) return { text: textOf(message), tools }
    messages.push(new AIMessage({ content: message.content, tool_calls: message.tool_calls, additional_kwargs: message.additional_kwargs, response_metadata: message.response_metadata }))
    for (const call of message.tool_calls) {
      tools.push({ name: call.name, arguments: call.args })
      messages.push(new ToolMessage({ tool_call_id: call.id, content: weather.call(call.args) }))
    }
  }
}

const operations = useResponsesApi => {
  const connect = (key, model) => new ChatOpenAI({ model, useResponsesApi, ...settings(key) })
  return {
    async text({ key, model, signal }) {
      const message = await connect(key, model).invoke('Say hello.', { signal })
      return { text: textOf(message), ...counts(message) }
    },
    async stream({ key, model, signal, progress }) {
      const message = await gather(await connect(key, model).stream('Say hello.', { signal }), progress)
      return { text: textOf(message), ...counts(message), aborted: signal.aborted }
    },
    tools: ({ key, model, signal }) => {
      const asked = connect(key, model).bindTools([weatherTool])
      return loop(messages => asked.invoke(messages, { signal }))
    },
    toolsStream: ({ key, model, signal }) => {
      const asked = connect(key, model).bindTools([weatherTool])
      return loop(async messages => gather(await asked.stream(messages, { signal })))
    },
    async object({ key, model, signal }) {
      const asked = connect(key, model).withStructuredOutput(City, { name: 'city', method: 'jsonSchema' })
      return { object: await asked.invoke('Which city?', { signal }) }
    },
    async vision({ key, model, signal }) {
      const content = [{ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: picture } }]
      return { text: textOf(await connect(key, model).invoke([new HumanMessage({ content })], { signal })) }
    },
  }
}

const embeddings = {
  async embed({ key, model }) {
    return { vectors: await new OpenAIEmbeddings({ model, ...settings(key) }).embedDocuments(['one', 'two']) }
  },
}

export const endpoints = { chat: operations(false), responses: operations(true), embeddings }

// describe looks behind the errors that the library has made of its SDK's.
export const describe = error => ({ status: error.status ?? error.cause?.status, code: error.code ?? error.cause?.code })
