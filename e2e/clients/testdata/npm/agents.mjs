// npm @openai/agents
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { base, City, picture, question, weather, Weather } from './common.mjs'

setTracingDisabled(true)

const operations = useResponses => {
  const runner = key => new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: new OpenAI({ baseURL: `${base}/v1`, apiKey: key }), useResponses }),
    tracingDisabled: true,
  })
  const agent = (model, more) => new Agent({ name: 'Weather', instructions: 'Be brief.', model, ...more })
  const armed = () => {
    const called = []
    const execute = async input => {
      called.push({ name: weather.name, arguments: input })
      return weather.call(input)
    }
    return { called, tools: [tool({ name: weather.name, description: weather.description, parameters: Weather, execute })] }
  }
  const follow = async (streamed, progress = () => {}) => {
    for await (const event of streamed) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') progress(event.data.delta)
    }
    await streamed.completed
    if (streamed.error) throw streamed.error
    return streamed
  }
  return {
    async text({ key, model, signal }) {
      return { text: (await runner(key).run(agent(model), 'Say hello.', { signal })).finalOutput }
    },
    async stream({ key, model, signal, progress }) {
      const done = await follow(await runner(key).run(agent(model), 'Say hello.', { signal, stream: true }), progress)
      return { text: done.finalOutput, aborted: signal.aborted }
    },
    async tools({ key, model, signal }) {
      const { called, tools } = armed()
      return { text: (await runner(key).run(agent(model, { tools }), question, { signal })).finalOutput, tools: called }
    },
    async toolsStream({ key, model, signal }) {
      const { called, tools } = armed()
      const done = await follow(await runner(key).run(agent(model, { tools }), question, { signal, stream: true }))
      return { text: done.finalOutput, tools: called }
    },
    async object({ key, model, signal }) {
      return { object: (await runner(key).run(agent(model, { outputType: City }), 'Which city?', { signal })).finalOutput }
    },
    async vision({ key, model, signal }) {
      const content = [{ type: 'input_text', text: 'What is this?' }, { type: 'input_image', image: picture }]
      return { text: (await runner(key).run(agent(model), [{ role: 'user', content }], { signal })).finalOutput }
    },
  }
}

export const endpoints = { responses: operations(true), chat: operations(false) }
