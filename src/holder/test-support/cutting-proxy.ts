import { once } from 'node:events'
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { until } from '../../../test/support/until.ts'

/**
 * Where the connection ends: as soon as the request was sent; after so many bytes of the answer; in the middle of the
 * page that is shown next, which after a redirect is the page that it leads to.
 */
export type CutAt = 'sent' | 'page' | number

/** A proxy between a browser and a server. */
export type CuttingProxy = {
  readonly address: string
  /** Cuts the answers to requests of a method and path, until {@link CuttingProxy.mend}. */
  readonly cut: (method: string, path: RegExp, at: CutAt) => void
  readonly mend: () => void
  /** Waits until a request was cut off since {@link CuttingProxy.cut}, and then none for so many milliseconds. */
  readonly givenUp: (quietMs: number) => Promise<void>
  /** Requests that were cut off, once the server has answered each of them. */
  readonly answered: () => Promise<number>
  readonly close: () => Promise<void>
}

type Rule = { readonly method: string; readonly path: RegExp; readonly at: CutAt; isBegun: boolean }

/** Starts a forward proxy for plain HTTP on a loopback port. */
export async function cuttingProxy(): Promise<CuttingProxy> {
  let rule: Rule | null = null
  let cutAt: number | null = null
  /** Requests to be cut off that the server has not answered. */
  let waiting = 0
  const answers: Promise<unknown>[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    const isMeant = rule?.method === method && rule.path.test(new URL(url).pathname)
    if (rule !== null && isMeant) rule.isBegun = true
    const at = rule !== null && (isMeant || (rule.at === 'page' && rule.isBegun)) ? rule.at : null
    if (at !== null) waiting += 1
    const sent = requestOf(url, { method, headers: request.headers })
    request.pipe(sent)
    const done = once(sent, 'response').then(([answer]) => passOn(answer, response, at))
    const ended = done
      .catch(() => response.destroy())
      .finally(() => {
        if (at === null) return
        waiting -= 1
        cutAt = performance.now()
      })
    answers.push(ended)
    if (at === 'sent') sent.once('finish', () => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens at a port.
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    cut: (method, path, at) => {
      rule = { method, path, at, isBegun: false }
      cutAt = null
    },
    mend: () => {
      rule = null
    },
    givenUp: async (quietMs) => {
      await until(() => waiting === 0 && cutAt !== null && performance.now() - cutAt >= quietMs)
    },
    answered: async () => (await Promise.all(answers)).length,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function passOn(answer: IncomingMessage, response: ServerResponse, at: CutAt | null): Promise<void> {
  const body = await buffer(answer)
  const { statusCode = 502, statusMessage = '', rawHeaders } = answer
  const isPage = answer.headers['content-type']?.startsWith('text/html') === true && body.length > 0
  if (at === 'sent') return
  if (at === null || (at === 'page' && !isPage)) {
    response.writeHead(statusCode, rawHeaders).end(body)
    return
  }
  const names = Array.from(
    { length: rawHeaders.length / 2 },
    (_, n) => `${rawHeaders[2 * n]}: ${rawHeaders[2 * n + 1]}`,
  )
  const head = Buffer.from(`${[`HTTP/1.1 ${statusCode} ${statusMessage}`, ...names].join('\r\n')}\r\n\r\n`)
  const bytes = at === 'page' ? head.length + Math.floor(body.length / 2) : at
  if (bytes > 0) response.socket?.end(Buffer.concat([head, body]).subarray(0, bytes))
  else response.destroy()
}
