import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import { equalInConstantTime } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import type { Log } from '../../platform.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { bearerToken } from '../routes/bearer-token.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** What must work for the server to be ready, or alive. `check` rejects if it does not; it has 2 s. */
export type ReadinessCheck = { readonly name: string; readonly check: () => Promise<void> }

/** What the endpoints for operators need. */
type OperationsNeeds = {
  readonly config: Pick<Config, 'isDevelopment' | 'metricsToken'>
  readonly log: Log
  readonly metrics: Metrics
  readonly readiness: readonly ReadinessCheck[]
  readonly liveness: readonly ReadinessCheck[]
  readonly stopping: () => boolean
}

const CHECK_MS_MAX = 2000
/** How long the answer of a check is kept, so that many probes cost the database no more than one. */
const KEPT_MS = 1000

/**
 * Mounts `/healthz` (the process responds), `/livez` (its loops turn; otherwise it must be restarted), `/readyz` (it
 * can serve) and `/metrics`. They contain nothing about tenants.
 */
export function mountOperations(app: FastifyInstance, needs: OperationsNeeds): void {
  const unready = kept(() => failedChecks(needs.readiness, needs.log, 'not ready'))
  app.get('/healthz', (request, reply) => {
    request.trace.pattern = '/healthz'
    return reply.header('cache-control', 'no-store').type('application/json').send('{"status":"ok"}')
  })
  app.get('/livez', async (request, reply) => {
    request.trace.pattern = '/livez'
    return sendFailed(reply, 'alive', await failedChecks(needs.liveness, needs.log, 'not alive'))
  })
  app.get('/readyz', async (request, reply) => {
    request.trace.pattern = '/readyz'
    return sendFailed(reply, 'ready', needs.stopping() ? ['stopping'] : await unready())
  })
  app.get('/metrics', async (request, reply) => {
    request.trace.pattern = '/metrics'
    admitReader(needs.config, request.headers.authorization)
    const text = await needs.metrics.registry.metrics()
    return reply.header('cache-control', 'no-store').type(needs.metrics.registry.contentType).send(text)
  })
}

/** Metrics are for the operator of the server only. @throws Fault `token.missing`, `token.invalid` */
function admitReader({ isDevelopment, metricsToken }: OperationsNeeds['config'], authorization: string | undefined) {
  if (metricsToken === null) {
    if (isDevelopment) return
    throw new Fault('token.missing', { detail: 'Set METRICS_TOKEN to make the metrics readable.' })
  }
  const detail = 'Send the header Authorization: Bearer with the METRICS_TOKEN of this server.'
  if (equalInConstantTime(bearerToken(authorization, detail), metricsToken)) return
  throw new Fault('token.invalid', { detail })
}

function sendFailed(reply: FastifyReply, status: string, failed: readonly string[]): FastifyReply {
  const isFine = failed.length === 0
  reply.code(isFine ? 200 : 503).header('cache-control', 'no-store')
  return reply.type('application/json').send(JSON.stringify({ status: isFine ? status : 'unavailable', failed }))
}

/** Returns `work` whose result is kept for a second; concurrent callers share a run. */
function kept<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  let until = 0
  return () => {
    if (result === null || performance.now() >= until) {
      until = performance.now() + KEPT_MS
      result = work()
    }
    return result
  }
}

async function failedChecks(checks: readonly ReadinessCheck[], log: Log, message: string): Promise<string[]> {
  const outcomes = await Promise.allSettled(
    checks.map(({ check }) => withTimeLimit(check(), CHECK_MS_MAX, () => new Error('took too long'))),
  )
  return checks.flatMap(({ name }, index) => {
    const outcome = outcomes[index]
    if (outcome?.status !== 'rejected') return []
    log.warn({ check: name, cause: outcome.reason instanceof Error ? outcome.reason.message : undefined }, message)
    return [name]
  })
}
