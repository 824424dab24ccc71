import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../fault.ts'
import type { Memory } from '../../memory/memory.ts'
import type { PlaceName } from '../../memory/places.ts'
import { nestedPlaces } from './nested-places.ts'
import { placeNetworks } from './place-networks.ts'
import { isFromNetwork } from './request-deadline.ts'

/** An answer below this is not counted: the buffers of its connection have room for it. */
const COUNTED_BYTES_MIN = 65_536
/** What a streamed answer holds at a time: a page of rows, and their text. */
const STREAM_BYTES = 4_194_304
/** What an event stream buffers. */
const EVENTS_BYTES = 65_536
const RETRY_AFTER_SECONDS = 5

/**
 * Shares the bytes of answers that are not sent yet fairly between callers and between tenants; answers without a
 * caller count by network. An answer to GET or HEAD beyond a share is refused, so that its client may ask again; others
 * have taken effect, and are sent.
 */
export function boundAnswerBytes(
  app: FastifyInstance,
  { memory, onRefused }: { readonly memory: Memory; readonly onRefused: (place: PlaceName) => void },
): void {
  const places = nestedPlaces(memory, 'http.answer_bytes')
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = isFromNetwork(request) ? bytesOf(reply, payload) : 0
    if (bytes < COUNTED_BYTES_MIN) return done(null, payload)
    const release = places.tryTake(keysOf(request), bytes)
    if (release !== null) reply.raw.once('close', release)
    else if (request.method === 'GET' || request.method === 'HEAD') {
      onRefused('http.answer_bytes')
      if (payload instanceof Readable) payload.destroy()
      const detail = 'Too many large answers are being sent to you; read them, or try again.'
      return done(new Fault('request.rate_limited', { detail, meta: { retryAfterSeconds: RETRY_AFTER_SECONDS } }))
    }
    done(null, payload)
  })
}

function bytesOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  if (!(payload instanceof Readable)) return 0
  const isEvents = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
  return isEvents ? EVENTS_BYTES : STREAM_BYTES
}

function keysOf({ trace: { caller }, ip }: FastifyRequest): readonly string[] {
  return caller === null ? placeNetworks(ip) : [caller.tenantId, caller.userId ?? caller.actor.id]
}
