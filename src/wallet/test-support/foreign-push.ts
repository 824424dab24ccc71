import { createECDH, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import ece from 'http_ece'

/** A message of our server as the push service got it. `text`: what the browser decrypts. */
type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

/** A browser with keys of its own. */
export type SubscribedBrowser = {
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  readonly received: Received[]
}

/** A push service with browsers. It decrypts by another library than ours encrypts with. */
export type PushService = {
  readonly origin: string
  /** Adds a browser. `respond`: what the service answers; 201 by default. */
  readonly browser: (respond?: (response: ServerResponse) => void) => SubscribedBrowser
  readonly close: () => Promise<void>
}

/** Starts the service on a loopback port. */
export async function pushService(): Promise<PushService> {
  const takers = new Map<string, (headers: IncomingHttpHeaders, body: Buffer, response: ServerResponse) => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const take = takers.get(request.url ?? '')
      if (take === undefined || request.method !== 'POST') return response.writeHead(404).end()
      take(request.headers, Buffer.concat(chunks), response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    browser: (respond = (response) => response.writeHead(201).end()) => {
      const path = `/push/${randomBytes(16).toString('base64url')}`
      const [privateKey, authSecret] = [createECDH('prime256v1'), randomBytes(16)]
      const p256dh = privateKey.generateKeys().toString('base64url')
      const received: Received[] = []
      takers.set(path, (headers, body, response) => {
        const text = ece.decrypt(body, { version: 'aes128gcm', privateKey, authSecret }).toString()
        received.push({ path, headers, body, text })
        respond(response)
      })
      const keys = { p256dh, auth: authSecret.toString('base64url') }
      return { subscription: { endpoint: origin + path, keys }, received }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
