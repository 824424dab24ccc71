/**
 * Of the second half against the first one, which has the warm-up of compilers and caches behind it after its first
 * part.
 */
const MEMORY_GROWTH_MAX = 1.2
const LATENCY_GROWTH_MAX = 1.5
/** Of any part against the median of all. */
const MEMORY_HUMP_MAX = 1.2
const LATENCY_HUMP_MAX = 2

/** One part of the time. `p99`, `slowest`: ms. */
export type Part = {
  readonly megabytes: number
  readonly p99: number
  readonly slowest: number
  readonly perSecond: number
  readonly failed: number
}

/**
 * Compares the last two parts with the second and third one, and each with the median of all.
 *
 * @returns a sentence for each fault
 */
export function faultsOf(parts: readonly Part[]): string[] {
  const failed = parts.reduce((sum, part) => sum + part.failed, 0)
  const memory = parts.map(({ megabytes }) => megabytes)
  const latency = parts.map(({ p99 }) => p99)
  return [
    ...flatness('memory', memory, { growthMax: MEMORY_GROWTH_MAX, humpMax: MEMORY_HUMP_MAX }),
    ...flatness('the slowest one in a hundred', latency, { growthMax: LATENCY_GROWTH_MAX, humpMax: LATENCY_HUMP_MAX }),
    ...(failed > 0 ? [`${failed} issuances failed`] : []),
  ]
}

type Limits = { readonly growthMax: number; readonly humpMax: number }

function flatness(what: string, values: readonly number[], { growthMax, humpMax }: Limits): string[] {
  const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0)
  const growth = sum(values.slice(-2)) / sum(values.slice(1, 3))
  const middle = median(values)
  const humps = values.flatMap((one, index) =>
    one > middle * humpMax ? [{ part: index + 1, times: one / middle }] : [],
  )
  // A part in which nothing was received has no latency.
  const missing = values.some((one) => Number.isNaN(one)) ? [`${what} is not known in each part`] : []
  return [
    ...missing,
    ...(growth > growthMax ? [`${what} grew to ${growth.toFixed(2)} times`] : []),
    ...humps.map(({ part, times }) => `${what} was ${times.toFixed(2)} times the median in part ${part}`),
  ]
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2
}
