import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'

const roots = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: () => new TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1),
} as const

const samplers: Readonly<Record<string, () => Sampler>> = {
  ...roots,
  parentbased_always_on: () => new ParentBasedSampler({ root: roots.always_on() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: roots.always_off() }),
  parentbased_traceidratio: () => new ParentBasedSampler({ root: roots.traceidratio() }),
}

/** Returns the sampler of OTEL_TRACES_SAMPLER. By default it samples what the caller samples, and what begins here. */
export function samplerOf(): Sampler {
  const found = samplers[getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on']
  if (found === undefined) throw new Error(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(samplers).join(', ')}`)
  return found()
}
