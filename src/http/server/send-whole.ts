import type { FastifyReply } from 'fastify'

/** A complete answer. `body` is null where there is none. */
export type Whole = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer | null
}

/** Sends a {@link Whole} answer. As bytes, since the framework adds a charset to a text of a JSON type. */
export function sendWhole(reply: FastifyReply, { status, headers, body }: Whole): FastifyReply {
  // The types of the framework allow changing lists only.
  reply.code(status).headers(headers as Record<string, string | string[]>)
  return reply.send(typeof body === 'string' ? Buffer.from(body) : (body ?? undefined))
}
