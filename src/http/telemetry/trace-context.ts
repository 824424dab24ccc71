import { randomBytes } from '../../crypto/random.ts'

/** A span within its trace, as `traceparent` carries it. `parentId`: null for the first span of a trace. */
export type TraceContext = {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  /** Whether spans of the trace are exported, as its beginning decided. */
  readonly isSampled: boolean
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const SAMPLED = 1

/**
 * Returns a new span under the one that a `traceparent` names; the first one of a new trace, if the header is missing
 * or malformed.
 *
 * @see [W3C Trace Context, 3.2](https://www.w3.org/TR/trace-context/#traceparent-header)
 */
export function spanUnder(traceparent: string | undefined): TraceContext {
  const [, traceId, parentId, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || parentId === undefined)
    return { traceId: randomBytes(16).toString('hex'), spanId: newSpanId(), parentId: null, isSampled: true }
  return { traceId, spanId: newSpanId(), parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

/** Returns a new span under one of this process. */
export function childOf({ traceId, spanId, isSampled }: TraceContext): TraceContext {
  return { traceId, spanId: newSpanId(), parentId: spanId, isSampled }
}

/** Returns the header for a request that is made within a span. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

function newSpanId(): string {
  return randomBytes(8).toString('hex')
}
