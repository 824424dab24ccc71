import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../fault.ts'
import type { Log } from '../platform.ts'
import { faultOf } from './faults.ts'
import type { Metrics } from './metrics.ts'

/** What is put aside of a request that is over. */
type Ended = {
  readonly method: string
  readonly pattern: string
  readonly status: number
  readonly ms: number
  readonly requestId: string
  readonly tenantId: string | undefined
  readonly callerId: string | undefined
  readonly fault: string | undefined
  readonly at: number
}

/** Counts and log lines of requests, written some at a time. */
export type RequestLog = {
  /** Puts a request aside when its answer has left. */
  readonly note: (request: FastifyRequest, reply: FastifyReply) => void
  /** Writes what was put aside: before the figures are read, and at the end. */
  readonly write: () => void
}

const ENDED_MAX = 256
const WAIT_MS = 100

/**
 * One line a request: who, what, how it ended, how long, when. The route's pattern stands for the URL, which may carry codes. [SEC-73]
 *
 * Requests are only put aside when they end: writing many lines in a row is an order of magnitude cheaper than one between two requests.
 */
export function openRequestLog(log: Log, metrics: Metrics): RequestLog {
  let ended: Ended[] = []
  let timer: NodeJS.Timeout | null = null

  function write(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const batch = ended
    ended = []
    for (const one of batch) {
      metrics.count(one.method, one.pattern, one.status, one.ms / 1000)
      const line = lineOf(one)
      if (quiet.has(one.pattern)) log.debug(line, 'request')
      else log.info(line, 'request')
    }
  }

  return {
    write,
    note: (request, reply) => {
      const { pattern, caller, fault } = request.trace
      ended.push({
        method: request.method,
        pattern,
        status: reply.statusCode,
        ms: reply.elapsedTime,
        requestId: request.id,
        tenantId: caller?.tenantId,
        callerId: caller?.actor.id,
        fault: fault ?? undefined,
        at: Date.now(),
      })
      if (ended.length >= ENDED_MAX) write()
      else timer ??= setTimeout(write, WAIT_MS).unref()
    },
  }
}

function lineOf({ method, pattern, status, ms, requestId, tenantId, callerId, fault, at }: Ended): object {
  const rounded = Math.round(ms * 100) / 100
  return {
    method,
    status,
    requestId,
    tenantId,
    callerId,
    fault,
    route: pattern,
    ms: rounded,
    at: new Date(at).toISOString(),
  }
}

/** Asked every few seconds by a machine. */
const quiet: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Writes down what a refusal does not show: the notes of a fault, or the whole of a defect. */
export function logFault(log: Log, requestId: string, status: number, error: unknown): void {
  if (status < 500) {
    // The caller's mistake: the request line says which, unless there is more to know than was shown.
    if (!(error instanceof Fault) || (error.notes === undefined && error.cause === undefined)) return
    log.info({ requestId, fault: error.code, notes: error.notes, cause: shortly(error.cause) }, 'refused')
    return
  }
  if (status !== 500) {
    // An upstream, the database or the end of this process: known, and nothing to mend in the code.
    const { code, notes, cause } = faultOf(error)
    log.warn({ requestId, fault: code, notes, cause: shortly(cause) }, 'not done')
    return
  }
  const fault = error instanceof Fault ? error : undefined
  const cause = fault === undefined ? error : (fault.cause ?? fault)
  const details = { requestId, fault: fault?.code, notes: fault?.notes, cause: shortly(cause), stack: stackOf(cause) }
  log.error(details, 'failed')
}

/** A parser's message quotes what it read, so of a syntax error only the name is kept. */
function shortly(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  if (!(cause instanceof Error)) return typeof cause
  return cause instanceof SyntaxError ? cause.name : `${cause.name}: ${cause.message}`
}

function stackOf(cause: unknown): string | undefined {
  return cause instanceof Error && !(cause instanceof SyntaxError) ? cause.stack : undefined
}
