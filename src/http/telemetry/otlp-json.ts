import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { EndedSpan } from './tracing.ts'

const SCOPE = { name: 'chirograph' }
const resource = { attributes: attributesOf({ 'service.name': 'chirograph' }) }
const KINDS = { server: 2, client: 3 } as const
const STATUS_ERROR = 2
const CUMULATIVE = 2

/** Returns the body of `/v1/traces`. @see [OTLP/HTTP, JSON](https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding) */
export function spansBody(spans: readonly EndedSpan[]): object {
  const written = spans.map(({ traceId, spanId, parentId, name, kind, startMs, endMs, isError, attributes }) => ({
    traceId,
    spanId,
    name,
    kind: KINDS[kind],
    ...(parentId !== null && { parentSpanId: parentId }),
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(attributes),
    ...(isError && { status: { code: STATUS_ERROR } }),
  }))
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: SCOPE, spans: written }] }] }
}

type Metric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>

/** Returns the body of `/v1/metrics`: counters, gauges and histograms of a registry, counted since `startMs`. */
export function metricsBody(
  found: readonly MetricObjectWithValues<MetricValue<string>>[],
  startMs: number,
  nowMs: number,
): object {
  const times = { startTimeUnixNano: nanosOf(startMs), timeUnixNano: nanosOf(nowMs) }
  const metrics = found.flatMap((metric): object[] => {
    const about = { name: metric.name, description: metric.help }
    const points = metric.values.map(({ labels, value }) => ({
      ...times,
      attributes: attributesOf(labels),
      asDouble: value,
    }))
    // By the words of prom-client, whose type is an enumeration of numbers.
    const type = String(metric.type)
    if (type === 'gauge') return [{ ...about, gauge: { dataPoints: points } }]
    if (type === 'counter') return [{ ...about, sum: { ...cumulative, isMonotonic: true, dataPoints: points } }]
    if (type === 'histogram')
      return [{ ...about, histogram: { ...cumulative, dataPoints: histogramPoints(metric, times) } }]
    return []
  })
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: SCOPE, metrics }] }] }
}

const cumulative = { aggregationTemporality: CUMULATIVE }

function histogramPoints({ name, values }: Metric, times: object): object[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest))
  return [...series.values()].map((some) => {
    const { le: _, ...labels } = some[0]?.labels ?? {}
    const totalOf = (end: string) => some.find(({ metricName }) => metricName === `${name}_${end}`)?.value ?? 0
    const buckets = some.filter(({ metricName }) => metricName === `${name}_bucket`)
    // Ours are cumulative, those of OTLP are not.
    const counts = buckets.map(({ value }, at) => String(value - (buckets[at - 1]?.value ?? 0)))
    const explicitBounds = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite)
    const about = { ...times, attributes: attributesOf(labels), explicitBounds, bucketCounts: counts }
    return { ...about, count: String(totalOf('count')), sum: totalOf('sum') }
  })
}

function attributesOf(values: Readonly<Record<string, string | number | undefined>>): object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }]
  })
}

/** Nanoseconds as decimal digits: more than a number holds exactly. */
function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n)
}
