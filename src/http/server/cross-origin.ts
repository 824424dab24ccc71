import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Which pages of other origins may read the responses of a path. `any`: every page, a public resource or an endpoint
 * for wallets, of which any may run in a browser. `clients`: those of applications that are public clients. None of
 * them sends a cookie. null: none. [SEC-75]
 */
export type CrossOrigin = 'any' | 'clients' | null

/**
 * Whether an origin may call a path (with its query): it is that of a public client, or one that the owner of the path
 * lists.
 */
export type IsClientOrigin = (
  origin: string,
  request: { readonly path: string; readonly ip: string },
) => Promise<boolean>

/** Headers of requests that a page may set besides those that need no permission. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, DPoP, If-Match, If-None-Match, Idempotency-Key, Accept-Language, ' +
  'Last-Event-ID, Prefer, OAuth-Client-Attestation, OAuth-Client-Attestation-PoP'
/** Headers of responses that a page may read besides those that need no permission. */
const RESPONSE_HEADERS =
  'DPoP-Nonce, WWW-Authenticate, Retry-After, ETag, Location, X-Request-Id, ' +
  'OAuth-Client-Attestation-Challenge, Offer-State'
/** Browsers keep the permission no longer than two hours. */
const PREFLIGHT_SECONDS = 7200
const ORIGIN_CHARS_MAX = 300

/** Lets pages read the responses of the paths for them, refusals too. Requests without `Origin` cost nothing. */
export function addCrossOrigin(app: FastifyInstance, isClientOrigin: IsClientOrigin): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.trace.crossOrigin === 'any') {
      reply.header('access-control-allow-origin', '*')
      reply.header('access-control-expose-headers', RESPONSE_HEADERS)
    }
    if (request.trace.crossOrigin !== 'clients') return done(null, payload)
    addVary(reply)
    const origin = originOf(request)
    if (origin === null) return done(null, payload)
    allowed(isClientOrigin, origin, request).then((isAllowed) => {
      if (isAllowed) {
        reply.header('access-control-allow-origin', origin)
        reply.header('access-control-expose-headers', RESPONSE_HEADERS)
      }
      done(null, payload)
    })
  })
}

/** Answers the preflight of a path. An origin that is not allowed gets a response that allows nothing. */
export async function answerPreflight(
  reply: FastifyReply,
  request: FastifyRequest,
  { crossOrigin, callable }: { readonly crossOrigin: CrossOrigin; readonly callable: readonly string[] },
  isClientOrigin: IsClientOrigin,
): Promise<FastifyReply> {
  reply.code(204)
  const permission = {
    'access-control-allow-methods': callable.join(', '),
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  }
  if (crossOrigin === 'any') return reply.headers({ 'access-control-allow-origin': '*', ...permission }).send()
  addVary(reply)
  const origin = originOf(request)
  if (origin !== null && (await allowed(isClientOrigin, origin, request))) {
    reply.headers({ 'access-control-allow-origin': origin, ...permission })
  }
  return reply.send()
}

function originOf({ headers: { origin } }: FastifyRequest): string | null {
  return origin === undefined || origin.length > ORIGIN_CHARS_MAX ? null : origin
}

/** While the database cannot be read, no origin is allowed. */
function allowed(isClientOrigin: IsClientOrigin, origin: string, { url, ip }: FastifyRequest): Promise<boolean> {
  return isClientOrigin(origin, { path: url, ip }).catch(() => false)
}

/** A cache keeps the responses for different origins apart. */
function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? 'Origin' : `${vary}, Origin`)
}
