import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Figures for operators, in the Prometheus text format. */
export type Metrics = {
  readonly count: (method: string, pattern: string, status: number, seconds: number) => void
  readonly registry: Registry
}

/** A count that somebody else keeps and that only grows. `value` is asked at each reading of `/metrics`. */
export type Gauge = { readonly name: string; readonly help: string; readonly value: () => number }

/** Opens the figures: requests by route pattern, the process itself, and what others count. Each server has its own registry. */
export function openMetrics(figures: readonly Gauge[] = []): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const figure of figures) addFigure(registry, figure)
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

function addFigure(registry: Registry, { name, help, value }: Gauge): void {
  const counter: Counter = new Counter({
    name,
    help,
    registers: [registry],
    collect: () => {
      counter.reset()
      counter.inc(value())
    },
  })
}
