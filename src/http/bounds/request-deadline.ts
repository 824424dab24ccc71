import { Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { faults } from '../../fault.ts'
import type { LogRequest } from '../telemetry/request-log.ts'
import type { TimeLimits } from './time-limits.ts'

/**
 * Status in the log and the metrics of a request whose client disconnected before the answer began. Nobody receives it.
 */
const CLIENT_GONE = 499

/** Whether a request came over a connection; others were dispatched inside the process. */
export function isFromNetwork({ raw }: FastifyRequest): boolean {
  return raw.socket instanceof Socket
}

/** What {@link boundAnswers} needs of the server. */
type Parts = {
  readonly limits: TimeLimits
  readonly logRequest: LogRequest
  /** Connections that were refused as no valid HTTP, with a log line. */
  readonly refused: WeakSet<Duplex>
}

/**
 * Gives each request from the network one deadline, from its header to the end of its answer, and ends an answer that
 * its client does not read. Both destroy the connection, since nothing can be said on it any more. Every request that
 * ends without a whole answer gets its log line here.
 *
 * @returns the connections whose request has not arrived whole
 */
export function boundAnswers(app: FastifyInstance, { limits, logRequest, refused }: Parts): () => Socket[] {
  const open = new Map<FastifyRequest, NodeJS.Timeout>()
  app.addHook('onRequest', (request, reply, done) => {
    if (isFromNetwork(request)) {
      open.set(request, deadlineOf(request, limits['http.answer'].ms))
      reply.raw.once('close', () => {
        clearTimeout(open.get(request))
        open.delete(request)
        if (!reply.raw.writableFinished && !refused.has(request.raw.socket)) logUnfinished(logRequest, request, reply)
      })
    }
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const timer = open.get(request)
    if (timer !== undefined) {
      reply.raw.setTimeout(limits['http.unread_answer'].ms, () => cut(request))
      if (payload instanceof Readable) {
        clearTimeout(timer)
        open.set(request, deadlineOf(request, limits['http.streamed_answer'].ms))
      }
    }
    done(null, payload)
  })
  return () => [...open.keys()].filter(({ raw }) => !raw.complete).map(({ raw }) => raw.socket)
}

function deadlineOf(request: FastifyRequest, ms: number): NodeJS.Timeout {
  return setTimeout(() => cut(request), ms).unref()
}

function cut(request: FastifyRequest): void {
  request.trace.fault = 'request.timeout'
  request.raw.socket.destroy()
}

function logUnfinished(logRequest: LogRequest, request: FastifyRequest, reply: FastifyReply): void {
  const { trace, raw } = request
  if (trace.fault === null && !raw.complete) trace.fault = 'request.broken'
  const own = trace.fault === 'request.timeout' || trace.fault === 'request.broken' ? trace.fault : null
  const unanswered = own === null ? CLIENT_GONE : faults[own].api[0]
  logRequest(request, reply, reply.raw.headersSent ? reply.statusCode : unanswered)
}
