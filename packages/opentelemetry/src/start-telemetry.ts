import { context, type DiagLogger, DiagLogLevel, diag, metrics, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  getNumberFromEnv,
  getStringFromEnv,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { StartTelemetry } from '../../../src/http/telemetry/open-telemetry.ts'
import { otlpExporters } from './otlp-exporters.ts'
import { samplerOf } from './sampler.ts'

/** How long the end of a server waits for what is left to be sent. */
const CLOSE_MS_MAX = 5000
/** A collector that is away fails every few seconds. */
const LOG_EACH_MS = 60_000

type Sdk = { readonly shutdown: () => Promise<void> }

/** The SDK is that of the process, which several servers may share, as in tests. */
let shared: { readonly sdk: Sdk; users: number } | null = null

/**
 * Sends spans and metrics of this process to a collector by OTLP/HTTP, as the environment says. What the API records
 * from now on is sent; a meter that was got before is without effect.
 *
 * @throws Error that names the variable whose value cannot be used
 * @see [Environment variables](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/)
 */
export const startTelemetry: StartTelemetry = (warn) => {
  shared ??= { sdk: register(warn), users: 0 }
  const used = shared
  used.users += 1
  let isOpen = true
  return {
    close: async () => {
      if (isOpen) used.users -= 1
      isOpen = false
      if (used.users > 0 || shared !== used) return
      shared = null
      await used.sdk.shutdown()
    },
  }
}

function register(warn: (message: string) => void): Sdk {
  // Only what is named here: other detectors would send the command line and the name of the account.
  const resource = resourceFromAttributes({ 'service.name': 'chirograph' }).merge(
    detectResources({ detectors: [envDetector] }),
  )
  const providers = [tracerProvider(resource), meterProvider(resource)]
  logBy(warn)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  // No baggage: what a caller writes into it would go on to others.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return {
    shutdown: async () => {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, CLOSE_MS_MAX)
      await Promise.race([late, Promise.allSettled(providers.map((one) => one?.shutdown()))])
      clearTimeout(timer)
      for (const api of [trace, metrics, propagation, context, diag]) api.disable()
    },
  }
}

function tracerProvider(resource: Resource): TracerProvider | null {
  if (getStringFromEnv('OTEL_TRACES_EXPORTER') === 'none') return null
  const processor = new BatchSpanProcessor({
    exporter: otlpExporters().traces(),
    ...numberIn('OTEL_BSP_MAX_QUEUE_SIZE', 'maxQueueSize'),
    ...numberIn('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'maxExportBatchSize'),
    ...numberIn('OTEL_BSP_SCHEDULE_DELAY', 'scheduledDelayMillis'),
  })
  const provider = new TracerProvider({ resource, sampler: samplerOf(), spanProcessors: [processor] })
  trace.setGlobalTracerProvider(provider)
  return provider
}

function meterProvider(resource: Resource): MeterProvider | null {
  if (getStringFromEnv('OTEL_METRICS_EXPORTER') === 'none') return null
  const exporter = otlpExporters().metrics()
  const reader = new PeriodicExportingMetricReader({
    exporter,
    ...numberIn('OTEL_METRIC_EXPORT_INTERVAL', 'exportIntervalMillis'),
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  metrics.setGlobalMeterProvider(provider)
  return provider
}

/** The option of a variable that is set, else the default of the SDK. */
function numberIn<Name extends string>(variable: string, option: Name): { readonly [name in Name]?: number } {
  const value = getNumberFromEnv(variable)
  return value === undefined ? {} : ({ [option]: value } as { readonly [name in Name]: number })
}

function logBy(warn: (message: string) => void): void {
  let nextMs = 0
  const tell = (message: string) => {
    if (performance.now() < nextMs) return
    nextMs = performance.now() + LOG_EACH_MS
    warn(message)
  }
  const silent = () => undefined
  const logger: DiagLogger = { error: tell, warn: tell, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  // The message alone: the other members hold the answer of the collector.
  setGlobalErrorHandler((error) => tell(error instanceof Error ? error.message : 'failed'))
}
