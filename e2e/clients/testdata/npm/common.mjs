// What the operations of all clients have in common: the questions, the tool, the shape of a structured answer.
import { z } from 'zod'

export const base = process.env.OHMROUTE_BASE
export const question = 'How is the weather in Paris and in Rome?'
export const City = z.object({ city: z.string(), population: z.number() })
export const Weather = z.object({ city: z.string() })
export const weatherSchema = {
  type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false,
}
export const weather = {
  name: 'get_weather', description: 'Tells the weather of a city.',
  call: ({ city }) => `Sunny in ${city}`,
}

// A picture of one pixel.
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const picture = `data:image/png;base64,${pixel}`
