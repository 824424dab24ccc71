import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Figures for operators, in the Prometheus text format. */
export type Metrics = {
  readonly count: (method: string, pattern: string, status: number, seconds: number) => void
  readonly registry: Registry
}

/** Opens the figures: requests by route pattern, and the process itself. Each server has its own registry. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests and how long they took, by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const count: Metrics['count'] = (method, route, status, seconds) => {
    requests.observe({ method, route, status }, seconds)
  }
  return { registry, count }
}
