import { type Meter, metrics } from '@opentelemetry/api'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics for operators, in the Prometheus text format, and by OpenTelemetry where it is used. */
export type Metrics = {
  readonly count: (method: string, pattern: string, status: number, seconds: number) => void
  /** Counts a refusal for want of a place. */
  readonly countRefused: (place: string) => void
  readonly registry: Registry
}

/**
 * A figure that another room keeps: a monotonic count, unless `isGauge`. `value` is read at each request of `/metrics`.
 */
export type ExternalCounter = {
  readonly name: string
  readonly help: string
  readonly value: () => number
  readonly isGauge?: boolean
}

/**
 * Opens the metrics: requests by route pattern, the process, and counters of other rooms. Each server has its own
 * registry.
 */
export function openMetrics(counters: readonly ExternalCounter[] = []): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const one of counters) addCounter(registry, one)
  const name = 'http_request_duration_seconds'
  const help = 'Duration of requests by method, route pattern and status.'
  const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Histogram({ name, help, labelNames, buckets, registers: [registry] })
  const meter = metrics.getMeter('chirograph')
  const advice = { explicitBucketBoundaries: buckets }
  const durations = meter.createHistogram(name, { description: help, unit: 's', advice })
  const count: Metrics['count'] = (method, route, status, seconds) => {
    requests.observe({ method, route, status }, seconds)
    durations.record(seconds, { method, route, status })
  }
  const refused = new Counter({
    name: 'http_places_refused_total',
    help:
      'Connections, requests and answers beyond the fair share of their network or caller, by the name of the ' +
      'place.',
    labelNames: ['place'],
    registers: [registry],
  })
  observe(registry, meter)
  return { registry, count, countRefused: (place) => refused.inc({ place }) }
}

function addCounter(registry: Registry, { name, help, value, isGauge = false }: ExternalCounter): void {
  if (isGauge) {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(value()) })
    return
  }
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

/** Shows the counters and gauges of a registry to a meter. Its histograms hold sums, which a meter does not take. */
function observe(registry: Registry, meter: Meter): void {
  for (const metric of registry.getMetricsAsArray()) {
    const isCounter = metric instanceof Counter
    if (!isCounter && !(metric instanceof Gauge)) continue
    const about = [metric.name, { description: metric.help }] as const
    const instrument = isCounter ? meter.createObservableCounter(...about) : meter.createObservableGauge(...about)
    instrument.addCallback(async (result) => {
      const found = await registry.getSingleMetric(metric.name)?.get()
      for (const { value, labels } of found?.values ?? []) result.observe(value, labels)
    })
  }
}
