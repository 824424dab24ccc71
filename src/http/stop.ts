import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { dressOf, type Manner } from './send-whole.ts'

/** What a stop needs to know: event streams never end by themselves, so they are ended. */
export type Stopping = { isStopping: boolean; readonly streams: Set<Readable> }

/**
 * Dresses what leaves through the framework, which is everything but whole answers of routes and endpoints: refusals, pages, streams. Remembers
 * the event streams that are being sent, and tells clients of a stopping server not to come back on the same connection.
 */
export function dressFramed(app: FastifyInstance, { streams }: Stopping, { hsts, isStopping }: Manner): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(dressOf(request.id, hsts))
    if (isStopping()) reply.header('connection', 'close')
    const isEvents = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
    if (isEvents && payload instanceof Readable) {
      streams.add(payload)
      payload.once('close', () => streams.delete(payload))
      // Nobody reads the body of such an answer, and the framework would wait for its end.
      if (request.method === 'HEAD') payload.destroy()
    }
    done(null, payload)
  })
}

/** Stops listening, lets accepted requests finish for at most `waitMs`, cuts the rest, and lets the framework go. */
export async function stopServer(app: FastifyInstance, state: Stopping, waitMs: number): Promise<void> {
  if (state.isStopping) return
  state.isStopping = true
  for (const stream of state.streams) stream.push(null)
  if (app.server.listening) await drain(app, waitMs)
  await app.close()
}

async function drain({ server }: FastifyInstance, waitMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), waitMs)
  await new Promise<void>((done) => {
    server.close(() => done())
    server.closeIdleConnections()
  })
  clearTimeout(timer)
}
