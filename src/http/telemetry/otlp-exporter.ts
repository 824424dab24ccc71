import type { Registry } from 'prom-client'
import type { Log } from '../../platform.ts'
import { metricsBody, spansBody } from './otlp-json.ts'
import type { EndedSpan } from './tracing.ts'

/** Sends spans and metrics to an OpenTelemetry collector by OTLP/HTTP in JSON. */
export type OtlpExporter = {
  readonly take: (span: EndedSpan) => void
  /** Sends these metrics each minute from now on. */
  readonly watch: (registry: Registry) => void
  /** Sends what is left. */
  readonly close: () => Promise<void>
}

const SPANS_EACH_MS = 2000
const METRICS_EACH_MS = 60_000
/** Spans that wait; further ones are dropped until the next sending. */
const SPANS_MAX = 8192
const SEND_MS_MAX = 5000

/** Opens the exporter. What the collector does not take is dropped, and logged once until it takes something again. */
export function openOtlpExporter(endpoint: string, log: Log): OtlpExporter {
  let spans: EndedSpan[] = []
  let dropped = 0
  let isFailing = false
  const registries: Registry[] = []
  const startMs = Date.now()
  const send = async (path: string, body: object): Promise<boolean> => {
    const headers = { 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(SEND_MS_MAX)
    const answer = await fetch(`${endpoint}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    }).then(
      async ({ ok, body: rest }) => {
        await rest?.cancel()
        return ok
      },
      () => false,
    )
    if (!answer && !isFailing) log.warn({ endpoint }, 'the OpenTelemetry collector does not take spans and metrics')
    isFailing = !answer
    return answer
  }
  const sendSpans = async () => {
    if (spans.length === 0) return
    const some = spans
    spans = []
    if (!(await send('/v1/traces', spansBody(some)))) dropped += some.length
    if (dropped > 0 && !isFailing) {
      log.warn({ dropped }, 'spans were dropped')
      dropped = 0
    }
  }
  const sendMetrics = async () => {
    for (const registry of registries)
      await send('/v1/metrics', metricsBody(await registry.getMetricsAsJSON(), startMs, Date.now()))
  }
  const timers = [
    setInterval(() => void sendSpans(), SPANS_EACH_MS),
    setInterval(() => void sendMetrics(), METRICS_EACH_MS),
  ]
  for (const timer of timers) timer.unref()
  return {
    take: (span) => {
      if (spans.length < SPANS_MAX) spans.push(span)
      else dropped += 1
    },
    watch: (registry) => void registries.push(registry),
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      await sendSpans()
      await sendMetrics()
    },
  }
}
