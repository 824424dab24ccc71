import type { Duplex } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { randomId } from '../../crypto/random.ts'
import { Fault } from '../../fault.ts'
import type { InternalRequest, InternalResponse, InternalStream, Platform } from '../../platform.ts'
import { boundAnswerBytes } from '../bounds/bound-answers.ts'
import { boundNetworks } from '../bounds/bound-networks.ts'
import { boundIdleConnections, type IdleConnections } from '../bounds/idle-connections.ts'
import { boundAnswers, isFromNetwork } from '../bounds/request-deadline.ts'
import { type TimeLimits, timeLimits } from '../bounds/time-limits.ts'
import type { WebhookReference } from '../openapi/openapi.ts'
import { mountReference } from '../openapi/reference.ts'
import type { Endpoint } from '../routes/endpoint.ts'
import { asFault } from '../routes/faults.ts'
import type { Idempotency } from '../routes/idempotency.ts'
import type { RenderFault } from '../routes/page.ts'
import type { Route } from '../routes/route.ts'
import { type ExternalCounter, openMetrics } from '../telemetry/metrics.ts'
import { type LogRequest, logFault, requestLog } from '../telemetry/request-log.ts'
import { addSpans } from '../telemetry/tracing.ts'
import { BODY_BYTES_MAX } from './body.ts'
import { brokenRequestHandler } from './broken-request.ts'
import { addCrossOrigin, answerPreflight, type IsClientOrigin } from './cross-origin.ts'
import { type KnownPath, type MethodsAt, methodsAt } from './known-paths.ts'
import { mountEndpoints } from './mount-endpoint.ts'
import { type AuthenticateRequest, mountRoutes } from './mount-route.ts'
import { handleNotFound, mountMethodNotAllowed } from './not-found.ts'
import { mountOperations, type ReadinessCheck } from './operations.ts'
import { addCommonHeaders, commonHeaders, JSON_CSP } from './response-headers.ts'
import { type Stopping, stopServer } from './stop.ts'
import { type Edge, sendFault } from './trace.ts'

/** How often open connections are checked for late headers and requests. */
const CHECK_MS = 1000
const IDLE_CONNECTIONS_MAX = 2000
const CONNECTIONS_MAX = 10_000

/** What a server is built from. Routes and endpoints are data. */
export type ServerParts = {
  readonly platform: Platform
  readonly routes: readonly Route[]
  readonly endpoints: readonly Endpoint[]
  readonly authenticate: AuthenticateRequest
  readonly readiness?: readonly ReadinessCheck[]
  readonly liveness?: readonly ReadinessCheck[]
  /** Which origins are applications in browsers that call the API; none by default. */
  readonly isClientOrigin?: IsClientOrigin
  /** Counters that other rooms keep, for `/metrics`. */
  readonly counters?: readonly ExternalCounter[]
  /** Without it `Idempotency-Key` is ignored. */
  readonly idempotency?: Idempotency
  /** The webhook message, for the API reference. */
  readonly webhook?: WebhookReference
  /** The page for browsers that open an address where nothing is; without it they get JSON. */
  readonly notFoundPage?: RenderFault
  /** Those of `time-limits.ts` by default. */
  readonly timeLimits?: TimeLimits
}

/** A server: listens, dispatches requests inside the process, and stops without dropping accepted requests. */
export type Server = {
  /** Starts to listen. @returns the address, e.g. `http://127.0.0.1:8080` */
  readonly listen: () => Promise<string>
  /** Runs a request through the same routes without a socket; also while the server is stopping. */
  readonly dispatch: (request: InternalRequest) => Promise<InternalResponse>
  /** As `dispatch`, for answers that are streamed. */
  readonly dispatchStream: (request: InternalRequest) => Promise<InternalStream>
  /**
   * `/readyz` answers 503 from now on, and each connection is closed with its next response. Requests are still
   * accepted.
   */
  readonly drain: () => void
  /** Refuses new requests, finishes accepted ones, and closes the remaining connections after `waitMs`. */
  readonly close: (waitMs?: number) => Promise<void>
}

/** Builds the server. It does not listen yet, and no schema is compiled. */
export function buildServer(parts: ServerParts): Server {
  const { platform, routes, endpoints } = parts
  const { config, log } = platform
  const state: Stopping = { isDraining: false, isStopping: false, streams: new Set() }
  const metrics = openMetrics(parts.counters)
  const logRequest = requestLog(log, metrics)
  const hsts = config.publicUrl.startsWith('https:')
  const refused = new WeakSet<Duplex>()
  const refuseBroken = brokenRequestHandler({ log, metrics, hsts, refused })
  const limits = parts.timeLimits ?? timeLimits
  const { app, idle } = newApp(config, refuseBroken, logRequest, limits)
  addSpans(app)
  const { memory } = platform
  boundAnswerBytes(app, { memory, onRefused: metrics.countRefused })
  const unfinished = boundAnswers(app, { limits, logRequest, refused })
  addCommonHeaders(app, state, hsts)
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = newTrace()
    done()
  })
  boundNetworks(app, {
    memory,
    countsConnections: !config.trustProxy,
    bodyBytesMax: BODY_BYTES_MAX,
    refuse: refuseBroken,
    onRefused: metrics.countRefused,
  })
  const { authenticate, idempotency = null, isClientOrigin = async () => false } = parts
  addCrossOrigin(app, isClientOrigin)
  const known = [
    ...mountRoutes(app, { platform, authenticate, idempotency }, routes),
    ...mountEndpoints(app, { platform, authenticate }, endpoints),
    ...operationPaths,
  ]
  const { readiness = [], liveness = [] } = parts
  mountOperations(app, { config, log, metrics, readiness, liveness, stopping: () => state.isDraining })
  mountReference(app, { config, routes, endpoints, webhook: parts.webhook })
  const { notFoundPage } = parts
  addEdges(app, { platform, logRequest, state, isClientOrigin, notFoundPage, methods: methodsAt(known) })
  mountMethodNotAllowed(app, known)
  return {
    listen: () => app.listen({ port: config.port, host: config.host }),
    dispatch: (request) => dispatch(app, request),
    dispatchStream: (request) => dispatchStream(app, request),
    drain: () => {
      state.isDraining = true
    },
    close: (waitMs = config.stopTimeoutSeconds * 1000) =>
      stopServer(app, state, {
        waitMs,
        unfinishedMs: limits['http.unfinished_at_stop'].ms,
        closeUnfinished: () => {
          idle.close()
          for (const socket of unfinished()) socket.destroy()
        },
      }),
  }
}

type RefuseBroken = ReturnType<typeof brokenRequestHandler>

function newApp(
  config: Config,
  refuseBroken: RefuseBroken,
  logRequest: LogRequest,
  limits: TimeLimits,
): { readonly app: FastifyInstance; readonly idle: IdleConnections } {
  const requestTimeout = limits['http.request'].ms
  const app = fastify({
    logger: false,
    http: {
      // A missing Host is refused by a hook, in the envelope.
      requireHostHeader: false,
      headersTimeout: limits['http.header'].ms,
      requestTimeout,
      connectionsCheckingInterval: CHECK_MS,
    },
    genReqId: randomId,
    requestIdHeader: false,
    // The nearest proxy only: a client can forge every earlier entry of X-Forwarded-For.
    trustProxy: config.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    requestTimeout,
    keepAliveTimeout: limits['http.idle_connection'].ms,
    routerOptions: { maxParamLength: 1024 },
    // No hook runs for requests that the router refuses.
    frameworkErrors: (error, request, reply) => {
      request.trace = { ...newTrace(), fault: asFault(error).code }
      reply.raw.once('finish', () => logRequest(request, reply))
      reply.headers(commonHeaders(request.id, config.publicUrl.startsWith('https:')))
      sendFault(request, reply.header('content-security-policy', JSON_CSP), error)
    },
    clientErrorHandler: (error, socket) => refuse(error, socket),
  })
  app.server.maxConnections = CONNECTIONS_MAX
  const idle = boundIdleConnections(app.server, IDLE_CONNECTIONS_MAX)
  const refuse = (error: Error, socket: Duplex) =>
    idle.mayAnswer(socket) ? refuseBroken(error, socket) : idle.closeAnswered(socket)
  app.server.on('connect', (_request, socket) => refuse(new Fault('request.method'), socket))
  // Node would answer 417 itself. RFC 9110 10.1.1 lets a server ignore an expectation that it does not know.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.removeAllContentTypeParsers()
  const types = ['application/json', 'application/x-www-form-urlencoded', '*']
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return { app, idle }
}

function newTrace(edge: Edge | null = null) {
  return { pattern: '(none)', edge, crossOrigin: null, caller: null, fault: null }
}

const operationPaths: readonly KnownPath[] = [
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/docs',
].map((pattern) => ({
  pattern,
  method: 'GET',
  crossOrigin: pattern === '/openapi.json' ? ('any' as const) : null,
  host: null,
}))

type Edges = {
  readonly platform: Platform
  readonly logRequest: LogRequest
  readonly state: Stopping
  readonly methods: MethodsAt
  readonly isClientOrigin: IsClientOrigin
  readonly notFoundPage: RenderFault | undefined
}

/**
 * Whether the path has nothing where a parameter of its route stands, as `/users/` has for `/users/{id}`: the router
 * takes that for an empty value, and it is another path.
 */
function lacksParameter({ params }: FastifyRequest): boolean {
  return Object.entries(params ?? {}).some(([name, value]) => value === '' && name !== '*')
}

/** By which browsers open pages. */
const pagedMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])

function addEdges(app: FastifyInstance, { platform: { log }, logRequest, state, ...paths }: Edges): void {
  const { methods } = paths
  app.addHook('onRequest', (request, reply, done) => {
    // Only requests from the network are refused: accepted requests may still dispatch internal ones.
    if (state.isStopping && isFromNetwork(request)) return done(new Fault('server.stopping'))
    if (!isHostStated(request)) return done(new Fault('request.broken'))
    if (!request.is404 && !lacksParameter(request)) return done()
    // Answered here, since the framework reads the body before it calls its handler of such requests.
    const found = methods(request.url.split('?', 1)[0] ?? '')
    if (request.method !== 'OPTIONS' || found.crossOrigin === null)
      return void handleNotFound(
        request,
        reply,
        methods,
        pagedMethods.has(request.method) ? paths.notFoundPage : undefined,
      )
    void answerPreflight(reply, request, found, paths.isClientOrigin)
  })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const coding = request.headers['content-encoding']
    if (['', 'identity'].includes(coding?.trim().toLowerCase() ?? '')) return done()
    done(new Fault('request.media_type', { detail: 'Send the body without a content coding.' }))
  })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    // A response that began before the stop kept its connection alive; it is idle now.
    if (state.isStopping) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
  app.setErrorHandler((thrown, request, reply) => {
    // The client disconnected before its request was complete.
    const isAborted = request.raw.destroyed && !request.raw.complete
    const error = isAborted ? new Fault('request.broken', { cause: thrown }) : thrown
    const { code } = asFault(error)
    request.trace.fault = code
    // Headers of the failed response must not be sent with the refusal: one of them may be invalid.
    for (const name of Object.keys(reply.getHeaders())) if (name !== 'connection') reply.removeHeader(name)
    if (code === 'request.too_large' && drain(request)) reply.removeHeader('connection')
    sendFault(request, reply, error)
    logFault(log, request.id, reply.statusCode, error)
    return reply
  })
}

/** RFC 9112 3.2: one Host line; HTTP/1.0 may have none. Node keeps the first of several. */
function isHostStated({ raw }: FastifyRequest): boolean {
  const count = raw.rawHeaders.filter((one, at) => at % 2 === 0 && one.toLowerCase() === 'host').length
  return count === 1 || (count === 0 && raw.httpVersion === '1.0')
}

/** A client that is still sending when the connection is closed sees no response, so up to this many bytes are read. */
const DRAINED_BYTES_MAX = 16 * BODY_BYTES_MAX

/** Reads the rest of a body that is refused. @returns whether the connection stays open for that */
function drain({ headers, raw }: FastifyRequest): boolean {
  // The HTTP parser enforces a length that the client gave.
  if (headers['content-length'] !== undefined) return Number(headers['content-length']) <= DRAINED_BYTES_MAX
  let bytes = 0
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DRAINED_BYTES_MAX) raw.destroy()
  })
  return true
}

async function dispatch(app: FastifyInstance, request: InternalRequest): Promise<InternalResponse> {
  await app.ready()
  const answer = await app.inject(injected(request))
  return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: answer.rawPayload }
}

async function dispatchStream(app: FastifyInstance, request: InternalRequest): Promise<InternalStream> {
  await app.ready()
  const answer = await app.inject({ ...injected(request), payloadAsStream: true })
  return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: answer.stream() }
}

function injected({ method, path, headers, body, ip }: InternalRequest) {
  return {
    // The router accepts more methods than its type lists.
    method: method as 'GET',
    url: path,
    headers: { ...headers },
    ...(ip === undefined ? {} : { remoteAddress: ip }),
    ...(body === undefined ? {} : { payload: body }),
  }
}

function plainHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}
