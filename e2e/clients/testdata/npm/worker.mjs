// Runs the operations of one client: requests come as JSON lines on standard input, what became of them goes out as
// JSON lines on standard output. Which operations there are is said by the client's own file, named by the argument.
import { createInterface } from 'node:readline'

const { endpoints, describe = () => ({}) } = await import(`./${process.argv[2]}.mjs`)
const underWay = new Map()

const write = line => process.stdout.write(JSON.stringify(line) + '\n')

// told is what an error shows to a program: its class and the members that programs decide on.
function told(error) {
  const inner = describe(error)
  return {
    class: error?.constructor?.name ?? typeof error,
    status: error?.status ?? error?.statusCode,
    code: error?.code ?? undefined,
    message: String(error?.message ?? error),
    ...inner,
  }
}

async function perform({ id, endpoint, op, ...input }) {
  const controller = new AbortController()
  underWay.set(id, controller)
  try {
    const run = endpoints[endpoint]?.[op]
    if (!run) throw new Error(`${process.argv[2]} has no ${op} for ${endpoint}`)
    const progress = text => text && write({ id, progress: text })
    write({ id, result: await run({ ...input, signal: controller.signal, progress }) })
  } catch (error) {
    const seen = told(error)
    write({ id, result: { error: { ...seen, code: seen.code == null ? undefined : String(seen.code) } } })
  } finally {
    underWay.delete(id)
  }
}

// An SDK that rejects a promise which nobody can await must not end the process.
process.on('unhandledRejection', error => process.stderr.write(`unhandled: ${error?.stack ?? error}\n`))

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.abort) underWay.get(message.abort)?.abort()
  else void perform(message)
}
