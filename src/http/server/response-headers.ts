import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Stopping } from './stop.ts'

/** Policy of JSON responses: a browser executes and frames nothing in them. */
export const JSON_CSP = "default-src 'none'; frame-ancestors 'none'"

/** The headers of every response; the log line of the request has the same id. [SEC-76] */
export function commonHeaders(requestId: string, hsts: boolean): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(hsts && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/**
 * Adds the common headers to every response, and the strictest policy to those without one. Tracks open event streams,
 * and closes the connections of a draining server with their next response.
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
      // A response to HEAD has no body, and the framework would wait for the end of the stream.
      if (request.method === 'HEAD') payload.destroy()
    }
    done(null, payload)
  })
}
