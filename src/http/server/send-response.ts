import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A response with its body; null or empty: it has none. */
type ServerResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer | Readable | null
}

/** Sends a response. A text is sent as bytes, since the framework adds a charset to a string of a JSON type. */
export function sendResponse(reply: FastifyReply, { status, headers, body }: ServerResponse): FastifyReply {
  // The types of the framework allow mutable arrays only.
  reply.code(status).headers(headers as Record<string, string | string[]>)
  if (body === null || body instanceof Readable) return reply.send(body ?? undefined)
  return reply.send(body.length === 0 ? undefined : Buffer.from(body))
}
