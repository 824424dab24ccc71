import { Fault } from '../../fault.ts'
import { isText } from '../shape.ts'
import { dcqlLimits } from './query.ts'

/** Returns the fault for an invalid query, with a pointer to the member. */
export function invalidQuery(pointer: string, detail: string): Fault {
  return new Fault('dcql.invalid', { detail: `${pointer || '/'}: ${detail}`, violations: [{ detail, pointer }] })
}

/** An array of 1 to `countMax` elements, otherwise throws. */
export function list(value: unknown, pointer: string, countMax: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidQuery(pointer, 'must be a non-empty array')
  // [DCQL-9]
  if (value.length > countMax) throw invalidQuery(pointer, `must have at most ${countMax} elements`)
  return value
}

/** A non-empty string of bounded length, otherwise throws. */
export function boundedText(value: unknown, pointer: string): string {
  if (!isText(value, dcqlLimits.textLengthMax)) throw invalidQuery(pointer, 'must be a string of 1 to 1024 characters')
  return value
}

/** OpenID4VP 1.0, 6.1 and 6.3: ids consist of alphanumeric, underscore and hyphen characters. */
export function identifier(value: unknown, pointer: string): string {
  const id = boundedText(value, pointer)
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw invalidQuery(pointer, 'must consist of letters, digits, "_" and "-"')
  return id
}

/** An optional boolean; `fallback` if it is absent. */
export function optionalBoolean<T>(value: unknown, fallback: T, pointer: string): boolean | T {
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') throw invalidQuery(pointer, 'must be a boolean')
  return value
}

/** A non-empty array of bounded non-empty strings, otherwise throws. */
export function texts(value: unknown, at: string, countMax: number = dcqlLimits.valuesMax): readonly string[] {
  return list(value, at, countMax).map((one, i) => boundedText(one, `${at}/${i}`))
}
