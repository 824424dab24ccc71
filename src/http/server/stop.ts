import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** State of a stopping server. `streams`: open event streams, which the stop ends. */
export type Stopping = { isDraining: boolean; isStopping: boolean; readonly streams: Set<Readable> }

/** Stops listening, lets accepted requests finish for at most `waitMs`, closes the remaining connections and the framework. */
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
