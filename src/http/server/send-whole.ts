import type { FastifyReply } from 'fastify'

/** A response that is not a stream. `body` is null if it has none. */
type CompleteResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer | null
}

/** Sends a {@link CompleteResponse}. As bytes, since the framework adds a charset to a string of a JSON type. */
export function sendComplete(reply: FastifyReply, { status, headers, body }: CompleteResponse): FastifyReply {
  // The types of the framework allow mutable arrays only.
  reply.code(status).headers(headers as Record<string, string | string[]>)
  return reply.send(typeof body === 'string' ? Buffer.from(body) : (body ?? undefined))
}
