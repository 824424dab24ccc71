import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { placeNetworks } from './place-networks.ts'

/** The connections of a server without a request in progress. */
export type IdleConnections = {
  /** Whether a refusal may be written to a connection: no response to an earlier request is on its way there. */
  readonly mayAnswer: (socket: Duplex) => boolean
  /** Closes a connection on which nothing more can be read, after the responses to the requests that arrived whole. */
  readonly closeAnswered: (socket: Duplex) => void
  /** Closes them all. */
  readonly close: () => void
}

/**
 * Bounds the connections without a request in progress: those whose client has sent no complete header yet, and those
 * that are kept alive after a response. Above `idleMax` that of the network with most of them is closed that has been
 * idle longest, so that a client that opens many and sends nothing takes no place from others.
 */
export function boundIdleConnections(server: Server, idleMax: number): IdleConnections {
  const idle = new Map<string, Set<Duplex>>()
  const networks = new WeakMap<Duplex, string>()
  const pending = new WeakMap<Duplex, Set<ServerResponse>>()
  const closing = new WeakSet<Duplex>()
  let count = 0
  const removeIdle = (socket: Duplex) => {
    const network = networks.get(socket) ?? ''
    const own = idle.get(network)
    if (own?.delete(socket) !== true) return
    count -= 1
    if (own.size === 0) idle.delete(network)
  }
  const addIdle = (socket: Duplex) => {
    const network = networks.get(socket) ?? ''
    const own = idle.get(network) ?? new Set()
    if (own.has(socket)) return
    idle.set(network, own.add(socket))
    count += 1
    if (count <= idleMax) return
    const [oldest = socket] = largest(idle.values())
    removeIdle(oldest)
    oldest.destroy()
  }
  server.on('connection', (socket: Socket) => {
    // The widest network: a client that has many small ones counts once.
    networks.set(socket, placeNetworks(socket.remoteAddress ?? '')[0])
    socket.once('close', () => removeIdle(socket))
    addIdle(socket)
  })
  server.on('request', ({ socket }, response) => {
    removeIdle(socket)
    // Several, if requests are pipelined.
    const responses = pending.get(socket) ?? new Set()
    pending.set(socket, responses.add(response))
    response.once('close', () => {
      responses.delete(response)
      if (responses.size === 0 && !socket.destroyed) addIdle(socket)
    })
  })
  return {
    mayAnswer: (socket) => {
      const [current, ...others] = pending.get(socket) ?? []
      if (current === undefined) return true
      // A request that is complete gets its own response; what comes behind it is not to be taken for that.
      return others.length === 0 && !current.req.complete && !current.headersSent
    },
    closeAnswered: (socket) => {
      const responses = [...(pending.get(socket) ?? [])]
      const last = responses.at(-1)
      if (last === undefined || responses.some(({ req }) => !req.complete)) return void socket.destroy()
      // More bytes that cannot be read change nothing.
      if (closing.has(socket)) return
      closing.add(socket)
      if (!last.headersSent) last.setHeader('connection', 'close')
      last.once('close', () => socket.end())
    },
    close: () => {
      for (const own of [...idle.values()]) for (const socket of [...own]) socket.destroy()
    },
  }
}

function largest(all: Iterable<Set<Duplex>>): Set<Duplex> {
  let found = new Set<Duplex>()
  for (const one of all) if (one.size > found.size) found = one
  return found
}
