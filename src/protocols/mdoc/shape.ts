import { Fault, faultOf } from '../../fault.ts'
import {
  type Cbor,
  type CborMap,
  cborTags,
  isBytes,
  isCborArray,
  isCborMap,
  isTagged,
  isUint,
  type Tagged,
} from '../cbor/value.ts'
import { isFullDate } from '../shape.ts'

/** RFC 3339 as `tdate` carries it. Ours have no fractions and end in Z [MD-3]; those of other issuers may. */
const dateTime = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Returns the fault for a malformed mdoc. */
export const malformedMdoc = faultOf('mdoc.malformed')

/** Runs a parser and converts its faults to `mdoc.malformed`. @throws Fault `mdoc.malformed` */
export function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code === 'mdoc.malformed') throw cause
    throw malformedMdoc(cause.message, cause)
  }
}

/** A map. @param what Subject of the error text. @throws Fault `mdoc.malformed` */
export function mapOf(value: Cbor, what: string): CborMap {
  if (!isCborMap(value)) throw malformedMdoc(`${what} is not a map.`)
  return value
}

/** A map whose keys are texts. @throws Fault `mdoc.malformed` */
export function textMapOf(value: Cbor, what: string): ReadonlyMap<string, Cbor> {
  const map = mapOf(value, what)
  const entries = [...map].map(([key, one]) => [cborText(key, `A name in ${what}`), one] as const)
  return new Map(entries)
}

/** An array. @throws Fault `mdoc.malformed` */
export function arrayOf(value: Cbor, what: string): readonly Cbor[] {
  if (!isCborArray(value)) throw malformedMdoc(`${what} is not an array.`)
  return value
}

/** A text. @throws Fault `mdoc.malformed` */
export function cborText(value: Cbor, what: string): string {
  if (typeof value !== 'string') throw malformedMdoc(`${what} is not a text.`)
  return value
}

/** A byte string. @throws Fault `mdoc.malformed` */
export function bytesOf(value: Cbor, what: string): Uint8Array {
  if (!isBytes(value)) throw malformedMdoc(`${what} is not a byte string.`)
  return value
}

/** An integer from 0 up. @throws Fault `mdoc.malformed` */
export function uintOf(value: Cbor, what: string): number {
  if (!isUint(value)) throw malformedMdoc(`${what} is not an unsigned integer.`)
  return value
}

/** A `tdate`. @throws Fault `mdoc.malformed` */
export function tdateOf(value: Cbor, what: string): Date {
  const text = isTagged(value, cborTags.dateTime) ? value.value : undefined
  // `Date` parses the 30th of February as a day in March.
  const isInCalendar = typeof text === 'string' && dateTime.test(text) && isFullDate(text.slice(0, 10))
  const time = isInCalendar ? new Date(text) : null
  if (time === null || Number.isNaN(time.getTime())) throw malformedMdoc(`${what} is not a date and time.`)
  return time
}

/** `#6.24(bstr)` with its bytes as received. @throws Fault `mdoc.malformed` */
export function embeddedOf(value: Cbor, what: string): Tagged & { readonly bytes: Uint8Array } {
  if (!isTagged(value, cborTags.embedded) || value.bytes === null) throw malformedMdoc(`${what} is not embedded CBOR.`)
  return { ...value, bytes: value.bytes }
}
