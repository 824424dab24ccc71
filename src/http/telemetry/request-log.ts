import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../fault.ts'
import type { Log } from '../../platform.ts'
import { asFault } from '../routes/faults.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts a request and logs it, when its response was sent or cannot be sent any more; later calls for it do nothing.
 */
export type LogRequest = (request: FastifyRequest, reply: FastifyReply, status?: number) => void

/**
 * One line per request: caller, route, status, duration. The pattern of the route is logged, not the URL, which may
 * carry codes. [SEC-73]
 */
export function requestLog(log: Log, metrics: Metrics): LogRequest {
  const logged = new WeakSet<FastifyRequest>()
  return (request, reply, status = reply.statusCode) => {
    if (logged.has(request)) return
    logged.add(request)
    const { pattern, caller, fault } = request.trace
    const { method, id: requestId } = request
    const { elapsedTime } = reply
    metrics.count(method, pattern, status, elapsedTime / 1000)
    const line = {
      method,
      status,
      requestId,
      tenantId: caller?.tenantId,
      callerId: caller?.actor.id,
      fault: fault ?? undefined,
      route: pattern,
      ms: Math.round(elapsedTime * 100) / 100,
    }
    if (quiet.has(pattern)) log.debug(line, 'request')
    else log.info(line, 'request')
  }
}

/** Polled by load balancers and monitoring. */
const quiet: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/metrics'])

/** Logs what a refusal does not show: the notes and cause of a fault, or an unexpected error with its stack. */
export function logFault(log: Log, requestId: string, status: number, error: unknown): void {
  if (status < 500) {
    // A mistake of the caller: the request line names it, so only notes and cause are logged.
    if (!(error instanceof Fault) || (error.notes === undefined && error.cause === undefined)) return
    log.info({ requestId, fault: error.code, notes: error.notes, cause: shortly(error.cause) }, 'refused')
    return
  }
  if (status !== 500) {
    // An upstream, the database, or the server is stopping: no defect.
    const { code, notes, cause } = asFault(error)
    log.warn({ requestId, fault: code, notes, cause: shortly(cause) }, 'unavailable')
    return
  }
  const fault = error instanceof Fault ? error : undefined
  const cause = fault === undefined ? error : (fault.cause ?? fault)
  const details = { requestId, fault: fault?.code, notes: fault?.notes, cause: shortly(cause), stack: stackOf(cause) }
  log.error(details, 'failed')
}

/** The message of a parser quotes its input, so only the name of a syntax error is logged. */
function shortly(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  if (!(cause instanceof Error)) return typeof cause
  return cause instanceof SyntaxError ? cause.name : `${cause.name}: ${cause.message}`
}

function stackOf(cause: unknown): string | undefined {
  return cause instanceof Error && !(cause instanceof SyntaxError) ? cause.stack : undefined
}
