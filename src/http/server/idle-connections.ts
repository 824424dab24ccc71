import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Bounds the connections without a request in progress: those whose client has sent no complete header yet, and those that are kept alive
 * after a response. Above `idleMax` the one that has been idle longest is closed, so that a client that opens many and sends nothing takes
 * no place from others.
 *
 * @returns whether a refusal may be written to a connection: no response to an earlier request is on its way there
 */
export function boundIdleConnections(server: Server, idleMax: number): (socket: Duplex) => boolean {
  const idle = new Set<Duplex>()
  const pending = new WeakMap<Duplex, Set<ServerResponse>>()
  const addIdle = (socket: Duplex) => {
    idle.add(socket)
    if (idle.size <= idleMax) return
    const [oldest = socket] = idle
    idle.delete(oldest)
    oldest.destroy()
  }
  server.on('connection', (socket: Duplex) => {
    socket.once('close', () => idle.delete(socket))
    addIdle(socket)
  })
  server.on('request', ({ socket }, response) => {
    idle.delete(socket)
    // Several, if requests are pipelined.
    const responses = pending.get(socket) ?? new Set()
    pending.set(socket, responses.add(response))
    response.once('close', () => {
      responses.delete(response)
      if (responses.size === 0 && !socket.destroyed) addIdle(socket)
    })
  })
  return (socket) => {
    const [current, ...others] = pending.get(socket) ?? []
    if (current === undefined) return true
    // A request that is complete gets its own response; what comes behind it is not to be taken for that.
    return others.length === 0 && !current.req.complete && !current.headersSent
  }
}
