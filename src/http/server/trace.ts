import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../caller.ts'
import { asFault, toErrors, toOAuthError, toScimError } from '../routes/faults.ts'
import { type RenderFault, renderPlainly } from '../routes/page.ts'
import type { CrossOrigin } from './cross-origin.ts'

/** How a fault is sent: in our envelope, as OAuth or SCIM JSON, or as an HTML page, plain or rendered by a function. */
export type Edge = 'api' | 'oauth' | 'scim' | 'page' | RenderFault

/** State of one request, for its log line and its fault. */
type Trace = {
  /** Path pattern; never the raw URL, which may carry codes. */
  pattern: string
  /** null until a route has matched. */
  edge: Edge | null
  crossOrigin: CrossOrigin
  caller: Caller | null
  fault: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace
  }
}

/** Sends a fault in the form of the request's edge. */
export function sendFault(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const edge = request.trace.edge ?? edgeOf(request.url)
  const refusal = refusalAt(edge, error, request.id)
  reply.code(refusal.status).headers(refusal.headers).header('cache-control', 'no-store')
  if (edge === 'api' || edge === 'oauth' || edge === 'scim') {
    const type = edge === 'scim' ? 'application/scim+json' : 'application/json'
    return reply.header('content-type', type).send(Buffer.from(JSON.stringify(refusal.body)))
  }
  const { method, url, id, headers } = request
  const render = edge === 'page' ? renderPlainly : edge
  const page = render(asFault(error), { status: refusal.status, id, method, url, headers })
  return reply.headers(page.headers).type('text/html; charset=utf-8').send(page.html)
}

function refusalAt(edge: Edge, error: unknown, id: string) {
  if (edge === 'api') return toErrors(error, id)
  return edge === 'scim' ? toScimError(error) : toOAuthError(error)
}

/** Paths of the protocol surface get OAuth errors, all others the envelope. */
function edgeOf(url: string): Edge {
  if (url.startsWith('/onboarding/scim/')) return 'scim'
  const isProtocol =
    /^\/(?:issuers|verifiers|organisations|auth|\.well-known|verify\/[^/?]+\/(?:about|requests))(?:[/?]|$)/.test(url) ||
    /^\/shared\/[^/?]+\/presentation\.json(?:\?|$)/.test(url)
  return isProtocol ? 'oauth' : 'api'
}
