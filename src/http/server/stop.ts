import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** State of a stopping server. `streams`: open event streams, which the stop ends. */
export type Stopping = { isDraining: boolean; isStopping: boolean; readonly streams: Set<Readable> }

/** What a stop needs of the server. */
type Stop = {
  /** How long accepted requests may take until all connections are closed. */
  readonly waitMs: number
  /** How long the rest of a request may take to arrive. */
  readonly unfinishedMs: number
  /** Closes the connections without a request that has arrived whole. */
  readonly closeUnfinished: () => void
}

/** Stops listening, lets accepted requests finish, closes the remaining connections and the framework. */
export async function stopServer(app: FastifyInstance, state: Stopping, stop: Stop): Promise<void> {
  if (state.isStopping) return
  state.isDraining = true
  state.isStopping = true
  for (const stream of state.streams) stream.push(null)
  if (app.server.listening) await drain(app, stop)
  await app.close()
}

async function drain({ server }: FastifyInstance, { waitMs, unfinishedMs, closeUnfinished }: Stop): Promise<void> {
  const timers = [setTimeout(closeUnfinished, unfinishedMs), setTimeout(() => server.closeAllConnections(), waitMs)]
  await new Promise<void>((done) => {
    server.close(() => done())
    server.closeIdleConnections()
  })
  for (const timer of timers) clearTimeout(timer)
}
