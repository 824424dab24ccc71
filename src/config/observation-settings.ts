import { setting } from './setting.ts'
import { httpUrl, oneOf, secret } from './setting-types.ts'

/** Logs, metrics and traces. */
export const observationSettings = {
  logLevel: setting(
    'LOG_LEVEL',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Minimum level of log lines.',
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    secret(),
    null,
    'Token that GET /metrics requires as `Authorization: Bearer …`. Without it /metrics is refused in production, and public in development.',
  ),
  otelEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    httpUrl(),
    null,
    'Address of an OpenTelemetry collector, to which traces and metrics are sent by OTLP/HTTP; without it there are none but those of /metrics. Needs the package @chirograph/opentelemetry, and is read with the other OTEL variables by its SDK (docs/operations.md).',
  ),
} as const
