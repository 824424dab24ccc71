import { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { randomId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { checkMaker } from './check.ts'
import type { Endpoint } from './endpoint.ts'
import { faultOf } from './faults.ts'
import type { Idempotency } from './idempotency.ts'
import { type KnownPath, type MethodsAt, methodsAt, routerPath } from './known-paths.ts'
import { type Figure, openMetrics } from './metrics.ts'
import { mountEndpoint, runEndpoint } from './mount-endpoint.ts'
import { type Authenticate, admitRoute, mountRoute, type RouteNeeds, runRoute } from './mount-route.ts'
import type { WebhookReference } from './openapi.ts'
import { mountOperations, type ReadinessCheck } from './operations.ts'
import { mountReference } from './reference.ts'
import { logFault, openRequestLog, type RequestLog } from './request-log.ts'
import type { Group, Route } from './route.ts'
import { type SendWhole, senderOf } from './send-whole.ts'
import { dressFramed, type Stopping, stopServer } from './stop.ts'
import { type Edge, refuse } from './trace.ts'

const BODY_BYTES_MAX = 1_048_576
const HEADER_SECONDS_MAX = 30

/** What a server is made of. Routes and endpoints are data; the rest comes from the rooms that know. */
export type ServerParts = {
  readonly platform: Platform
  readonly routes: readonly Route[]
  readonly endpoints: readonly Endpoint[]
  readonly authenticate: Authenticate
  readonly readiness?: readonly ReadinessCheck[]
  /** Counts of other rooms that belong on `/metrics`. */
  readonly figures?: readonly Figure[]
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
  /** Takes no new requests, finishes those it has, and cuts what is left after `waitMs`. */
  readonly close: (waitMs?: number) => Promise<void>
}

/** Builds the server. Nothing listens and no schema is compiled yet. */
export function buildServer(parts: ServerParts): Server {
  const { platform, routes, endpoints } = parts
  const { config, log } = platform
  const state: Stopping = { isStopping: false, streams: new Set() }
  const metrics = openMetrics(parts.figures)
  const requestLog = openRequestLog(log, metrics)
  const app = newApp(config)
  const manner = { hsts: config.publicUrl.startsWith('https:'), isStopping: () => state.isStopping }
  dressFramed(app, state, manner)
  const sendWhole = senderOf(manner)
  const known = [
    ...mountRoutes(app, parts, sendWhole),
    ...mountEndpoints(app, platform, endpoints, sendWhole),
    ...operationPaths,
  ]
  mountOperations(app, {
    ...{ config, log, metrics, readiness: parts.readiness ?? [], stopping: () => state.isStopping },
    beforeFigures: requestLog.write,
  })
  mountReference(app, { config, routes, endpoints, webhook: parts.webhook })
  addEdges(app, { platform, requestLog, state, methods: methodsAt(known) })
  return {
    listen: () => app.listen({ port: config.port, host: config.host }),
    dispatch: (request) => dispatch(app, request),
    close: async (waitMs = config.stopTimeoutSeconds * 1000) => {
      await stopServer(app, state, waitMs)
      requestLog.write()
    },
  }
}

function newApp(config: Config): FastifyInstance {
  const app = fastify({
    logger: false,
    // a request without a body has nothing to be read to its end
    http: { optimizeEmptyRequests: true },
    genReqId: randomId,
    requestIdHeader: false,
    // the nearest proxy only: what stands before its entry in X-Forwarded-For, anybody may have written
    trustProxy: config.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    requestTimeout: HEADER_SECONDS_MAX * 1000,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: 1024 },
    frameworkErrors: (error, request, reply) => {
      request.trace = newTrace('api')
      refuse(request, reply, error)
    },
  })
  app.removeAllContentTypeParsers()
  // The framework looks a type up at once if it knows the name, and takes it apart at every request if it does not.
  const types = ['application/json', 'application/x-www-form-urlencoded', '*']
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

function newTrace(edge: Edge | null = null) {
  return { pattern: '(none)', edge, crossOrigin: false, caller: null, fault: null }
}

function mountRoutes(app: FastifyInstance, parts: ServerParts, sendWhole: SendWhole): KnownPath[] {
  const { platform, routes, authenticate, idempotency } = parts
  const needs: RouteNeeds = { platform, authenticate, idempotency: idempotency ?? null, sendWhole }
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
        handler: (request, reply) => runRoute(needs, mounted, request, reply),
      })
      return { pattern: mounted.pattern, method: route.method, crossOrigin: false }
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

function mountEndpoints(
  app: FastifyInstance,
  platform: Platform,
  endpoints: readonly Endpoint[],
  sendWhole: SendWhole,
): KnownPath[] {
  const check = checkMaker()
  return endpoints.map((endpoint) => {
    const mounted = mountEndpoint(endpoint, check)
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      bodyLimit: endpoint.bodyBytesMax ?? BODY_BYTES_MAX,
      onRequest: (request, _reply, done) => {
        request.trace.pattern = endpoint.path
        request.trace.edge = endpoint.faultsAs ?? 'oauth'
        request.trace.crossOrigin = endpoint.crossOrigin ?? false
        done()
      },
      handler: (request, reply) => runEndpoint(platform, sendWhole, mounted, request, reply),
    })
    return { pattern: endpoint.path, method: endpoint.method, crossOrigin: endpoint.crossOrigin ?? false }
  })
}

const operationPaths: readonly KnownPath[] = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'].map(
  (pattern) => ({ pattern, method: 'GET', crossOrigin: pattern === '/openapi.json' }),
)

type Edges = {
  readonly platform: Platform
  readonly requestLog: RequestLog
  readonly state: Stopping
  readonly methods: MethodsAt
}

function addEdges(app: FastifyInstance, { platform: { log }, requestLog, state, methods }: Edges): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = newTrace()
    // Only what came by a socket is turned away: accepted requests may still ask inside.
    if (state.isStopping && request.raw.socket instanceof Socket) done(new Fault('server.stopping'))
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    requestLog.note(request, reply)
    // An answer that began before the stop promised to keep its connection; it is idle now.
    if (state.isStopping) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    const { code } = faultOf(error)
    request.trace.fault = code
    if (code === 'request.too_large' && isDrained(request)) reply.removeHeader('connection')
    refuse(request, reply, error)
    logFault(log, request.id, reply.statusCode, error)
    return reply
  })
  app.setNotFoundHandler((request, reply) => nobodyHome(request, reply, methods))
}

/** A caller whose body is still coming when the connection is closed sees a broken connection and no answer, so some of it is read. */
const DRAINED_BYTES_MAX = 16 * BODY_BYTES_MAX

function isDrained({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= DRAINED_BYTES_MAX
}

function nobodyHome(request: FastifyRequest, reply: FastifyReply, methods: MethodsAt): FastifyReply {
  const { allow, crossOrigin } = methods(request.url.split('?', 1)[0] ?? '')
  if (request.method === 'OPTIONS' && crossOrigin) {
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET, HEAD' }
    return reply
      .code(204)
      .headers({ ...cors, 'access-control-max-age': '86400' })
      .send()
  }
  const fault =
    allow.length === 0 || allow.includes(request.method)
      ? new Fault('resource.unknown', { detail: 'There is nothing at this path. The paths are listed at /docs.' })
      : new Fault('request.method', { detail: `This path takes ${allow.join(', ')}.`, meta: { allow } })
  request.trace.fault = fault.code
  return refuse(request, reply, fault)
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
