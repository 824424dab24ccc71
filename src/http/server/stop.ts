import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** What a stop needs to know: event streams never end by themselves, so they are ended. */
export type Stopping = { isDraining: boolean; isStopping: boolean; readonly streams: Set<Readable> }

/** Stops listening, lets accepted requests finish for at most `waitMs`, cuts the rest, and lets the framework go. */
export async function stopServer(app: FastifyInstance, state: Stopping, waitMs: number): Promise<void> {
  if (state.isStopping) return
  state.isDraining = true
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
