import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import { childOf, spanUnder, type TraceContext, traceparentOf } from './trace-context.ts'

/**
 * A span that ended. Times in ms since 1970. Attributes are names of methods, routes, hosts and numbers; never a URL,
 * which may carry codes.
 */
export type EndedSpan = TraceContext & {
  readonly name: string
  readonly kind: 'server' | 'client'
  readonly startMs: number
  readonly endMs: number
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Records spans of requests, in and out. */
export type Tracing = {
  /** Adds a span to each request of a server. */
  readonly addTo: (app: FastifyInstance) => void
  /** Records an outbound request as a span. `send` gets its `traceparent`. */
  readonly outbound: <T extends { readonly status: number }>(
    request: { readonly method: string; readonly host: string },
    send: (traceparent: string) => Promise<T>,
  ) => Promise<T>
}

declare module 'fastify' {
  interface FastifyRequest {
    span: { readonly context: TraceContext; readonly startMs: number } | null
  }
}

const SERVER_ERROR = 500

type Take = (span: EndedSpan) => void
type Current = AsyncLocalStorage<TraceContext>

/** Opens the tracing. @param take Gets each span that is sampled, when it ends. */
export function openTracing(take: Take): Tracing {
  const current: Current = new AsyncLocalStorage()
  return {
    addTo: (app) => addSpans(app, current, take),
    outbound: async ({ method, host }, send) => {
      const above = current.getStore()
      const context = above === undefined ? spanUnder(undefined) : childOf(above)
      const startMs = nowMs()
      let status = 0
      try {
        const answer = await send(traceparentOf(context))
        status = answer.status
        return answer
      } finally {
        const attributes = {
          'http.request.method': method,
          'server.address': host,
          ...(status > 0 && { 'http.response.status_code': status }),
        }
        const isError = status === 0 || status >= SERVER_ERROR
        const span = { ...context, name: method, kind: 'client', startMs, endMs: nowMs(), isError, attributes } as const
        if (context.isSampled) take(span)
      }
    },
  }
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

function addSpans(app: FastifyInstance, current: Current, take: Take): void {
  app.decorateRequest('span', null)
  app.addHook('onRequest', (request, _reply, done) => {
    // A request that is dispatched inside the process belongs to the span that makes it.
    const above = current.getStore()
    const { traceparent } = request.headers
    const context = above === undefined ? spanUnder([traceparent].flat()[0]) : childOf(above)
    request.span = { context, startMs: nowMs() }
    current.run(context, done)
  })
  // The events of the body come from the socket, outside of the span.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span === null) return done()
    current.run(request.span.context, done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    done()
    if (request.span === null || !request.span.context.isSampled) return
    const { pattern } = request.trace
    const { context, startMs } = request.span
    const attributes = {
      'http.request.method': request.method,
      'http.route': pattern,
      'http.response.status_code': statusCode,
    }
    const name = `${request.method} ${pattern}`
    const isError = statusCode >= SERVER_ERROR
    take({ ...context, name, kind: 'server', startMs, endMs: nowMs(), isError, attributes })
  })
}
