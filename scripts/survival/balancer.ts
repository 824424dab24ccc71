import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/**
 * A load balancer as deployments have one: it asks each server for `/readyz` and sends requests to those that are
 * ready, in turn.
 */
export type Balancer = { readonly close: () => Promise<void> }

const CHECK_MS = 250
/**
 * Headers of one connection, which do not hold for the next one (RFC 9110, 7.6.1): each side says itself how long it
 * keeps its own.
 */
const CONNECTION_HEADERS = ['connection', 'keep-alive']

/** Starts it at `port`; `targets` are ports on loopback. */
export async function startBalancer(port: number, targets: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  let ready: readonly number[] = targets
  let turn = 0
  const check = async () => {
    const answers = await Promise.all(targets.map(isReady))
    ready = targets.filter((_, index) => answers[index])
  }
  const timer = setInterval(() => void check(), CHECK_MS)
  const front = createServer((incoming, outgoing) => {
    // Read whole, so that it can be sent to another server if the first one takes no connection.
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => forward(incoming, outgoing, Buffer.concat(chunks), ready.length))
  })
  function forward(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, triesLeft: number): void {
    const target = ready[turn++ % ready.length]
    if (target === undefined || triesLeft === 0) return void outgoing.writeHead(503, { 'retry-after': '1' }).end()
    const { method, url } = incoming
    const ask = { agent, host: '127.0.0.1', port: target, method, path: url, headers: carried(incoming) }
    const onward = request(ask, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, carried(answer))
      answer.pipe(outgoing)
    })
    onward.on('error', (error) => {
      if (outgoing.headersSent) return void outgoing.destroy()
      if ('code' in error && error.code === 'ECONNREFUSED') return forward(incoming, outgoing, body, triesLeft - 1)
      const code = 'code' in error ? String(error.code) : error.message
      outgoing.writeHead(502).end(`${code} on a ${onward.reusedSocket ? 'used' : 'new'} connection`)
    })
    onward.end(body)
  }
  await new Promise<void>((resolve) => front.listen(port, '127.0.0.1', resolve))
  return {
    close: async () => {
      clearInterval(timer)
      agent.destroy()
      front.closeAllConnections()
      await new Promise((resolve) => front.close(resolve))
    },
  }
}

function carried({ headers }: IncomingMessage): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.includes(name)))
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}
