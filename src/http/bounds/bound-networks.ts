import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../../fault.ts'
import type { Memory } from '../../memory/memory.ts'
import type { PlaceName } from '../../memory/places.ts'
import { nestedPlaces } from './nested-places.ts'
import { placeNetworks } from './place-networks.ts'
import { isFromNetwork } from './request-deadline.ts'

/** What a request with a body counts at least: what the process needs for it besides. */
const BODY_BYTES_MIN = 32_768
const RETRY_AFTER_SECONDS = 2

/** What {@link boundNetworks} needs of the server. */
type Parts = {
  readonly memory: Memory
  /** Whether connections are those of clients. Those of a trusted proxy are not bounded by its address. */
  readonly countsConnections: boolean
  readonly bodyBytesMax: number
  /** Answers a connection without a request, and closes it. */
  readonly refuse: (fault: Fault, socket: Duplex) => void
  readonly onRefused: (place: PlaceName) => void
}

/** The refusal of what is beyond a share. @param what Plural, e.g. `requests`. */
function beyondShare(what: string): Fault {
  const detail = `Too many ${what} of your network are in progress; try again.`
  return new Fault('request.rate_limited', { detail, meta: { retryAfterSeconds: RETRY_AFTER_SECONDS } })
}

/**
 * Shares connections, requests in progress and the bytes of their bodies fairly between networks, so that whatever one
 * network begins and does not finish, some remain free for others. A request holds its places until its answer ends.
 */
export function boundNetworks(app: FastifyInstance, parts: Parts): void {
  const { memory, countsConnections, bodyBytesMax, refuse, onRefused } = parts
  const [connections, requests, bodies] = [
    nestedPlaces(memory, 'http.connections'),
    nestedPlaces(memory, 'http.requests'),
    nestedPlaces(memory, 'http.request_bytes'),
  ]
  if (countsConnections) {
    app.server.on('connection', (socket: Socket) => {
      const release = connections.tryTake(placeNetworks(socket.remoteAddress ?? ''))
      if (release !== null) return void socket.once('close', release)
      onRefused('http.connections')
      refuse(beyondShare('connections'), socket)
      socket.destroySoon()
    })
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (!isFromNetwork(request)) return done()
    const refused = (place: PlaceName, what: string) => {
      onRefused(place)
      // What the client still sends is not read.
      reply.header('connection', 'close')
      done(beyondShare(what))
    }
    const networks = placeNetworks(request.ip)
    const inProgress = requests.tryTake(networks)
    if (inProgress === null) return refused('http.requests', 'requests')
    reply.raw.once('close', inProgress)
    const bytes = bodyBytesOf(request, bodyBytesMax)
    if (bytes > 0) {
      const body = bodies.tryTake(networks, bytes)
      if (body === null) return refused('http.request_bytes', 'bodies of requests')
      reply.raw.once('close', body)
    }
    done()
  })
}

/** The bytes that the body of a request may have; 0 without a body. */
function bodyBytesOf({ headers, routeOptions }: FastifyRequest, bodyBytesMax: number): number {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (coding === undefined && (length === undefined || length === '0')) return 0
  const most = routeOptions.bodyLimit ?? bodyBytesMax
  const told = coding === undefined ? Number(length) : most
  return Math.max(BODY_BYTES_MIN, Math.min(Number.isFinite(told) ? told : most, most))
}
