import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Stopping } from './stop.ts'

/** Nothing in a JSON answer is to be run or framed, whatever a browser takes it for. */
export const JSON_CSP = "default-src 'none'; frame-ancestors 'none'"

/** The headers of every answer; the id is the one under which its log line is found. [SEC-76] */
export function commonHeaders(requestId: string, hsts: boolean): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(hsts && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/**
 * Adds the common headers to every answer, and the strictest policy to those that set none. Remembers the event streams that are being sent,
 * and closes the connections of a stopping server with their next answer.
 */
export function addCommonHeaders(app: FastifyInstance, state: Stopping, hsts: boolean): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(commonHeaders(request.id, hsts))
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', JSON_CSP)
    if (state.isDraining) reply.header('connection', 'close')
    const isEvents = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
    if (isEvents && payload instanceof Readable) {
      state.streams.add(payload)
      payload.once('close', () => state.streams.delete(payload))
      // Nobody reads the body of such an answer, and the framework would wait for its end.
      if (request.method === 'HEAD') payload.destroy()
    }
    done(null, payload)
  })
}
