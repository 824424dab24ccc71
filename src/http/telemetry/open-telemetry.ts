import type { Config } from '../../config.ts'
import { importOptional } from '../../optional-package.ts'
import type { Log } from '../../platform.ts'

/** Sends what the API of OpenTelemetry records. */
type Telemetry = {
  /** Sends what is left, within some seconds. */
  readonly close: () => Promise<void>
}

/** As `@chirograph/opentelemetry` does. @param warn Gets at most one line a minute, of what cannot be sent. */
export type StartTelemetry = (warn: (message: string) => void) => Telemetry

/**
 * Loads the SDK of OpenTelemetry, which reads the environment of the process, where the settings name a collector.
 * Without it the API records nothing. A server is built after this, since a meter that was got before stays empty.
 *
 * @throws Error that names the setting
 */
export async function openTelemetry({ otelEndpoint }: Config, log: Log): Promise<Telemetry | null> {
  if (otelEndpoint === null) return null
  const loaded = await importOptional('@chirograph/opentelemetry', 'OTEL_EXPORTER_OTLP_ENDPOINT')
  // The package checks itself against this type.
  const { startTelemetry } = loaded as { readonly startTelemetry: StartTelemetry }
  return startTelemetry((message) => log.warn({ message }, 'OpenTelemetry cannot send spans or metrics'))
}
