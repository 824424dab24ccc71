import { getStringFromEnv } from '@opentelemetry/core'
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace'

/** Makes the exporters of one protocol. They read endpoint, headers, compression and their like themselves. */
type Exporters = { readonly traces: () => SpanExporter; readonly metrics: () => PushMetricExporter }

const protocols: Readonly<Record<string, Exporters>> = {
  'http/protobuf': { traces: () => new OTLPTraceExporter(), metrics: () => new OTLPMetricExporter() },
  'http/json': { traces: () => new JsonTraceExporter(), metrics: () => new JsonMetricExporter() },
}

/** Returns the exporters of OTEL_EXPORTER_OTLP_PROTOCOL. @throws Error if they are not there */
export function otlpExporters(): Exporters {
  const found = protocols[getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf']
  if (found === undefined)
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL must be one of ${Object.keys(protocols).join(', ')}`)
  return found
}
