import { Ajv, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { Fault, type Violation } from '../../fault.ts'
import { stepsOf } from '../../json-pointer.ts'
import { isMailAddress } from '../../mail-address.ts'
import { isFullDate } from '../../protocols/shape.ts'
import { isUuid } from '../../uuid.ts'
import { type ViolationPlace, violationsOfSchema } from './violations.ts'

/** Validates a value. @throws Fault `request.invalid` with one violation per place */
export type ValueCheck = (value: unknown, bytes?: number) => void

/** Above this size only the first violation is reported: listing hundreds of thousands would cost too much. */
const ALL_ERRORS_BYTES_MAX = 65_536

const strictness = { strict: false, coerceTypes: false, removeAdditional: false, useDefaults: false } as const

/**
 * Makes checks from schemas. A check is compiled at its first use; the one that lists all violations when a value first
 * fails.
 *
 * `more` finds violations of rules that the schema cannot express, in a value that it refuses: nothing of it is typed
 * but the members that the schema accepts.
 */
export function checkMaker(): (
  schema: TSchema,
  place: ViolationPlace,
  more?: (value: unknown, accepted: object) => readonly Violation[],
) => ValueCheck {
  const first = withFormats(new Ajv(strictness))
  const all = withFormats(new Ajv({ ...strictness, allErrors: true, verbose: true }))
  return (schema, place, more = () => []) => {
    let fast: ValidateFunction | undefined
    let thorough: ValidateFunction | undefined
    return (value, bytes = 0) => {
      fast ??= first.compile(plainSchema(schema))
      if (fast(value)) return
      if (bytes > ALL_ERRORS_BYTES_MAX) throw refusal(fast, place)
      thorough ??= all.compile(plainSchema(schema))
      thorough(value)
      const found = violationsOfSchema(thorough.errors ?? [], place)
      throw new Fault('request.invalid', { violations: [...found, ...more(value, acceptedOf(value, found))] })
    }
  }
}

/**
 * Returns the schema without `$id`s, which name the components of the OpenAPI document and would clash where a schema
 * is used twice. A schema with `$ref` keeps them. What only documents a schema is left out.
 */
export function plainSchema(schema: TSchema): object {
  const text = JSON.stringify(schema, (name, one) => (name === 'documentedAs' ? undefined : one))
  const parsed: object = JSON.parse(text)
  return text.includes('"$ref"') ? parsed : withoutIds(parsed)
}

function withoutIds<T>(value: T): T {
  if (Array.isArray(value)) for (const one of value) withoutIds(one)
  else if (typeof value === 'object' && value !== null) {
    if ('$id' in value && typeof value.$id === 'string') delete value.$id
    for (const one of Object.values(value)) withoutIds(one)
  }
  return value
}

function withFormats(ajv: Ajv): Ajv {
  // The package is CommonJS: its callable is the `default` member for the types.
  return ajvFormats
    .default(ajv, ['uri', 'date', 'time', 'uri-reference', 'hostname'])
    .addFormat('email', isMailAddress)
    .addFormat('uuid', isUuid)
    .addFormat('date-time', isMoment)
}

/** RFC 3339 5.6, with a T and a whole offset. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** Whether a time can be represented by the clock, the database and a JWT: no leap second, no year 0. */
function isMoment(text: string): boolean {
  if (!MOMENT.test(text)) return false
  const year = new Date(text).getUTCFullYear()
  return year >= 1 && year <= 9999 && isFullDate(text.slice(0, 10))
}

function refusal(check: ValidateFunction, place: ViolationPlace): Fault {
  return new Fault('request.invalid', { violations: violationsOfSchema(check.errors ?? [], place) })
}

/** Returns the members of an object in which no violation was found; none if the object as a whole is refused. */
function acceptedOf(value: unknown, found: readonly Violation[]): object {
  const refused = new Set(found.map(({ pointer = '' }) => stepsOf(pointer)[0]))
  if (typeof value !== 'object' || value === null || Array.isArray(value) || refused.has(undefined)) return {}
  return Object.fromEntries(Object.entries(value).filter(([name]) => !refused.has(name)))
}
