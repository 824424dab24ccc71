import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as it arrived. */
export type Message = { readonly headers: IncomingHttpHeaders; readonly body: string }

/** A foreign server that receives webhooks. */
export type Receiver = { readonly url: string; readonly messages: Message[]; readonly close: () => Promise<void> }

/** Starts a receiver. `respond` says what it answers to the n-th message (from 1); 204 by default. */
export async function aReceiver(
  respond: (response: ServerResponse, message: Message, n: number) => void = (response) =>
    response.writeHead(204).end(),
): Promise<Receiver> {
  const messages: Message[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const message = { headers: request.headers, body: Buffer.concat(chunks).toString() }
      messages.push(message)
      respond(response, message, messages.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A test that failed does not keep the process.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    messages,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
