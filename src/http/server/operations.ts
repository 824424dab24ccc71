import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { equalInConstantTime } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import type { Log } from '../../platform.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { bearerToken } from '../routes/bearer-token.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** A dependency that must work before the server is ready. `check` rejects if it does not; it has 2 s. */
export type ReadinessCheck = { readonly name: string; readonly check: () => Promise<void> }

/** What the endpoints for operators need. */
type OperationsNeeds = {
  readonly config: Pick<Config, 'isDevelopment' | 'metricsToken'>
  readonly log: Log
  readonly metrics: Metrics
  readonly readiness: readonly ReadinessCheck[]
  readonly stopping: () => boolean
}

const CHECK_MS_MAX = 2000

/** Mounts `/healthz` (the process runs), `/readyz` (it can serve) and `/metrics`. They contain nothing about tenants. */
export function mountOperations(app: FastifyInstance, needs: OperationsNeeds): void {
  app.get('/healthz', (request, reply) => {
    request.trace.pattern = '/healthz'
    return reply.header('cache-control', 'no-store').type('application/json').send('{"status":"ok"}')
  })
  app.get('/readyz', async (request, reply) => {
    request.trace.pattern = '/readyz'
    const failed = needs.stopping() ? ['stopping'] : await failedChecks(needs)
    const body = { status: failed.length === 0 ? 'ready' : 'unavailable', failed }
    reply.code(failed.length === 0 ? 200 : 503).header('cache-control', 'no-store')
    return reply.type('application/json').send(JSON.stringify(body))
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

async function failedChecks({ readiness, log }: OperationsNeeds): Promise<string[]> {
  const outcomes = await Promise.allSettled(
    readiness.map(({ check }) => withTimeLimit(check(), CHECK_MS_MAX, () => new Error('took too long'))),
  )
  return readiness.flatMap(({ name }, index) => {
    const outcome = outcomes[index]
    if (outcome?.status !== 'rejected') return []
    log.warn({ check: name, cause: outcome.reason instanceof Error ? outcome.reason.message : undefined }, 'not ready')
    return [name]
  })
}
