import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Bounds the connections without a request in progress: those whose client has sent no complete header yet, and those that are kept alive
 * after a response. Above `idleMax` the one that has been idle longest is closed, so that a client that opens many and sends nothing takes
 * no place from others.
 */
export function boundIdleConnections(server: Server, idleMax: number): void {
  const idle = new Set<Socket>()
  const pending = new WeakMap<Socket, number>()
  const addIdle = (socket: Socket) => {
    idle.add(socket)
    if (idle.size <= idleMax) return
    const [oldest = socket] = idle
    idle.delete(oldest)
    oldest.destroy()
  }
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => idle.delete(socket))
    addIdle(socket)
  })
  server.on('request', ({ socket }, response) => {
    idle.delete(socket)
    pending.set(socket, (pending.get(socket) ?? 0) + 1)
    response.once('close', () => {
      // A pipelined request may be in progress.
      const left = (pending.get(socket) ?? 1) - 1
      pending.set(socket, left)
      if (left === 0 && !socket.destroyed) addIdle(socket)
    })
  })
}
