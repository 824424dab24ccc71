import { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { randomId } from '../../crypto/random.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { WebhookReference } from '../openapi/openapi.ts'
import { mountReference } from '../openapi/reference.ts'
import type { Endpoint } from '../routes/endpoint.ts'
import { faultOf } from '../routes/faults.ts'
import type { Idempotency } from '../routes/idempotency.ts'
import type { Group, Route } from '../routes/route.ts'
import { onBehalfOf } from '../routes/tenant-of-work.ts'
import { type Gauge, openMetrics } from '../telemetry/metrics.ts'
import { logFault, type NoteRequest, requestLog } from '../telemetry/request-log.ts'
import { checkMaker } from '../validation/check.ts'
import { brokenRequestHandler } from './broken-request.ts'
import { type KnownPath, type MethodsAt, methodsAt, routerPath } from './known-paths.ts'
import { admitEndpoint, mountEndpoint, runEndpoint } from './mount-endpoint.ts'
import { type AuthenticateRequest, admitRoute, mountRoute, type RouteNeeds, runRoute } from './mount-route.ts'
import { handleNotFound, mountLacking } from './not-found.ts'
import { mountOperations, type ReadinessCheck } from './operations.ts'
import { addCommonHeaders, commonHeaders, JSON_CSP } from './response-headers.ts'
import { type Stopping, stopServer } from './stop.ts'
import { type Edge, sendFault } from './trace.ts'

const BODY_BYTES_MAX = 1_048_576
const HEADER_SECONDS_MAX = 30

/** What a server is made of. Routes and endpoints are data; the rest comes from the rooms that know. */
export type ServerParts = {
  readonly platform: Platform
  readonly routes: readonly Route[]
  readonly endpoints: readonly Endpoint[]
  readonly authenticate: AuthenticateRequest
  readonly readiness?: readonly ReadinessCheck[]
  /** Counts of other rooms that belong on `/metrics`. */
  readonly figures?: readonly Gauge[]
  /** Without it `Idempotency-Key` is not looked at. */
  readonly idempotency?: Idempotency
  /** What the server sends, for the reference. */
  readonly webhook?: WebhookReference
}

/** A request that stays inside the process. */
export type InsideRequest = {
  readonly method: string
  /** Path with query, from the root of the server. */
  readonly path: string
  /** Names the group's host when the group lives on its own. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What came back; header names in lower case. */
export type InsideAnswer = { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer }

/** A server that may listen, may be asked from inside, and stops without dropping what it accepted. */
export type Server = {
  /** @returns the address it listens at, e.g. `http://127.0.0.1:8080` */
  readonly listen: () => Promise<string>
  /** Runs a request through the same routes without a socket; also while the server is stopping. */
  readonly dispatch: (request: InsideRequest) => Promise<InsideAnswer>
  /** Says by `/readyz` that the server will stop, and closes each connection with its next answer. Requests are still taken. */
  readonly drain: () => void
  /** Takes no new requests, finishes those it has, and cuts what is left after `waitMs`. */
  readonly close: (waitMs?: number) => Promise<void>
}

/** Builds the server. Nothing listens and no schema is compiled yet. */
export function buildServer(parts: ServerParts): Server {
  const { platform, routes, endpoints } = parts
  const { config, log } = platform
  const state: Stopping = { isDraining: false, isStopping: false, streams: new Set() }
  const metrics = openMetrics(parts.figures)
  const noteRequest = requestLog(log, metrics)
  const hsts = config.publicUrl.startsWith('https:')
  const refuseBroken = brokenRequestHandler({ log, metrics, hsts })
  const app = newApp(config, refuseBroken, noteRequest)
  addCommonHeaders(app, state, hsts)
  const known = [...mountRoutes(app, parts), ...mountEndpoints(app, platform, endpoints), ...operationPaths]
  const readiness = parts.readiness ?? []
  mountOperations(app, { config, log, metrics, readiness, stopping: () => state.isDraining })
  mountReference(app, { config, routes, endpoints, webhook: parts.webhook })
  addEdges(app, { platform, noteRequest, state, methods: methodsAt(known) })
  mountLacking(app, known)
  return {
    listen: () => app.listen({ port: config.port, host: config.host }),
    dispatch: (request) => dispatch(app, request),
    drain: () => {
      state.isDraining = true
    },
    close: (waitMs = config.stopTimeoutSeconds * 1000) => stopServer(app, state, waitMs),
  }
}

type RefuseBroken = ReturnType<typeof brokenRequestHandler>

function newApp(config: Config, refuseBroken: RefuseBroken, noteRequest: NoteRequest): FastifyInstance {
  const app = fastify({
    logger: false,
    // A request without a body has nothing to be read to its end. A missing Host is refused by us, in the envelope.
    http: { optimizeEmptyRequests: true, requireHostHeader: false },
    genReqId: randomId,
    requestIdHeader: false,
    // the nearest proxy only: what stands before its entry in X-Forwarded-For, anybody may have written
    trustProxy: config.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    requestTimeout: HEADER_SECONDS_MAX * 1000,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: 1024 },
    // What the router refuses passes none of the hooks.
    frameworkErrors: (error, request, reply) => {
      request.trace = { ...newTrace(), fault: faultOf(error).code }
      reply.raw.once('finish', () => noteRequest(request, reply))
      reply.headers(commonHeaders(request.id, config.publicUrl.startsWith('https:')))
      sendFault(request, reply.header('content-security-policy', JSON_CSP), error)
    },
    clientErrorHandler: (error, socket) => refuseBroken(error, socket),
  })
  app.server.on('connect', (_request, socket) => refuseBroken(new Fault('request.method'), socket))
  app.removeAllContentTypeParsers()
  // The framework looks a type up at once if it knows the name, and takes it apart at every request if it does not.
  const types = ['application/json', 'application/x-www-form-urlencoded', '*']
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

function newTrace(edge: Edge | null = null) {
  return { pattern: '(none)', edge, crossOrigin: false, caller: null, fault: null }
}

function mountRoutes(app: FastifyInstance, parts: ServerParts): KnownPath[] {
  const { platform, routes, authenticate, idempotency } = parts
  const needs: RouteNeeds = { platform, authenticate, idempotency: idempotency ?? null }
  const check = checkMaker()
  return routes.flatMap((route) =>
    placesOf(route.group, platform.config).map((place) => {
      const mounted = mountRoute(route, place, check)
      app.route({
        method: route.method,
        url: routerPath(mounted.pattern),
        ...(place.host === null ? {} : { constraints: { host: place.host } }),
        onRequest: async (request) => {
          request.trace.pattern = mounted.pattern
          request.trace.edge = 'api'
          await admitRoute(needs, mounted, request)
        },
        handler: (request, reply) =>
          onBehalfOf(request.trace.caller?.tenantSlug ?? '', () => runRoute(needs, mounted, request, reply)),
      })
      return { pattern: mounted.pattern, method: route.method, crossOrigin: false, host: place.host }
    }),
  )
}

/** Where a group answers: always under its default prefix, and also under its own public address if it has another one. */
function placesOf(group: Group, config: Config): { prefix: string; base: string; host: string | null }[] {
  const base = { wallet: config.walletBaseUrl, creds: config.credsBaseUrl, onboarding: config.onboardingBaseUrl }[group]
  const own = { prefix: `/${group}`, base, host: null }
  const url = new URL(base)
  const prefix = url.pathname.replace(/\/$/, '')
  const isElsewhere = url.origin !== config.publicUrl
  if (!isElsewhere && prefix === own.prefix) return [own]
  return [own, { prefix, base, host: isElsewhere ? url.host : null }]
}

function mountEndpoints(app: FastifyInstance, platform: Platform, endpoints: readonly Endpoint[]): KnownPath[] {
  const check = checkMaker()
  return endpoints.map((endpoint) => {
    const mounted = mountEndpoint(endpoint, check)
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      bodyLimit: endpoint.bodyBytesMax ?? BODY_BYTES_MAX,
      onRequest: async (request) => {
        request.trace.pattern = endpoint.path
        request.trace.edge = endpoint.faultsAs ?? 'oauth'
        request.trace.crossOrigin = endpoint.crossOrigin ?? false
        admitEndpoint(endpoint, request)
      },
      handler: (request, reply) =>
        onBehalfOf(slugOf(request.params), () => runEndpoint(platform, mounted, request, reply)),
    })
    return { pattern: endpoint.path, method: endpoint.method, crossOrigin: endpoint.crossOrigin ?? false, host: null }
  })
}

/** Endpoints of a tenant have its slug in their path. */
function slugOf(params: unknown): string {
  const named = typeof params === 'object' && params !== null && 'tenant' in params ? params.tenant : ''
  return typeof named === 'string' ? named : ''
}

const operationPaths: readonly KnownPath[] = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'].map(
  (pattern) => ({ pattern, method: 'GET', crossOrigin: pattern === '/openapi.json', host: null }),
)

const handledMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

type Edges = {
  readonly platform: Platform
  readonly noteRequest: NoteRequest
  readonly state: Stopping
  readonly methods: MethodsAt
}

function addEdges(app: FastifyInstance, { platform: { log }, noteRequest, state, methods }: Edges): void {
  app.addHook('onRequest', (request, reply, done) => {
    request.trace = newTrace()
    // Only what came by a socket is turned away: accepted requests may still ask inside.
    if (state.isStopping && request.raw.socket instanceof Socket) return done(new Fault('server.stopping'))
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0')
      return done(new Fault('request.broken'))
    // The framework reads the bodies of methods that nothing here has.
    if (!handledMethods.has(request.method)) return void handleNotFound(request, reply, methods)
    done()
  })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const coding = request.headers['content-encoding']
    if (coding === undefined || coding.toLowerCase() === 'identity') return done()
    done(new Fault('request.media_type', { detail: 'Send the body without a content coding.' }))
  })
  app.addHook('onResponse', (request, reply, done) => {
    noteRequest(request, reply)
    // An answer that began before the stop promised to keep its connection; it is idle now.
    if (state.isStopping) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    const { code } = faultOf(error)
    request.trace.fault = code
    // What the failed answer had set must not leave with the refusal: it may be what could not be sent.
    for (const name of Object.keys(reply.getHeaders())) if (name !== 'connection') reply.removeHeader(name)
    if (code === 'request.too_large' && isDrained(request)) reply.removeHeader('connection')
    sendFault(request, reply, error)
    logFault(log, request.id, reply.statusCode, error)
    return reply
  })
  app.setNotFoundHandler((request, reply) => handleNotFound(request, reply, methods))
}

/** A caller whose body is still coming when the connection is closed sees a broken connection and no answer, so some of it is read. */
const DRAINED_BYTES_MAX = 16 * BODY_BYTES_MAX

function isDrained({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= DRAINED_BYTES_MAX
}

async function dispatch(app: FastifyInstance, { method, path, headers, body }: InsideRequest): Promise<InsideAnswer> {
  await app.ready()
  const answer = await app.inject({
    // The router knows more methods than its type lists; an unknown one is answered like any other.
    method: method as 'GET',
    url: path,
    headers: { ...headers },
    ...(body === undefined ? {} : { payload: body }),
  })
  const plain = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return { status: answer.statusCode, headers: Object.fromEntries(plain), body: answer.rawPayload }
}
