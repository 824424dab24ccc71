import { type Context, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    span: { readonly span: Span; readonly within: Context } | null
  }
}

const SERVER_ERROR = 500

// Attributes of spans are names of methods, routes and hosts, and numbers; never a URL, which may carry codes.

function startSpan(method: string, kind: SpanKind, above: Context): Span {
  const attributes = { 'http.request.method': method }
  return trace.getTracer('chirograph').startSpan(method, { kind, attributes }, above)
}

function endSpan(span: Span, status: number | null): void {
  if (status !== null) span.setAttribute('http.response.status_code', status)
  if (status === null || status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** Adds a span to each request of a server, under that of its caller. */
export function addSpans(app: FastifyInstance): void {
  app.decorateRequest('span', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const current = context.active()
    // A request that is dispatched inside the process belongs to the span that makes it.
    const isInside = trace.getSpan(current) !== undefined
    const above = isInside ? current : propagation.extract(current, request.headers)
    const span = startSpan(request.method, SpanKind.SERVER, above)
    const within = trace.setSpan(above, span)
    request.span = { span, within }
    context.with(within, done)
  })
  // The events of the body come from the socket, outside of the span.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span === null) return done()
    context.with(request.span.within, done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    done()
    if (request.span === null) return
    const { span } = request.span
    const { pattern } = request.trace
    span.updateName(`${request.method} ${pattern}`)
    span.setAttribute('http.route', pattern)
    endSpan(span, statusCode)
  })
}

/** Records an outbound request as a span. @param send Gets the headers that continue the trace. */
export async function inOutboundSpan<T extends { readonly status: number }>(
  { method, host }: { readonly method: string; readonly host: string },
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const above = context.active()
  const span = startSpan(method, SpanKind.CLIENT, above)
  span.setAttribute('server.address', host)
  const headers: Record<string, string> = {}
  propagation.inject(trace.setSpan(above, span), headers)
  let status: number | null = null
  try {
    const answer = await send(headers)
    status = answer.status
    return answer
  } finally {
    endSpan(span, status)
  }
}
