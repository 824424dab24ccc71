import { Fault } from '../fault.ts'
import { endOfString, INFINITE, malformed, PROTO, readStrictJson, TWICE } from './strict-json.ts'

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object whose members have not been checked. */
export type JsonObject = { readonly [name: string]: Json }

/** [SEC-41] Maximum depth of nested arrays and objects; the outermost one counts as 1. */
export const JSON_DEPTH_MAX = 32

/** [SEC-41] Maximum number of values in a text, the outermost one included. */
export const JSON_VALUES_MAX = 20_000

/**
 * Limits of a text. `escapedNames`: whether member names may contain escapes, which no registered name needs.
 * `exactIntegers`: an integer beyond 2^53 is returned as its text instead of rounded.
 */
export type JsonLimits = {
  readonly depthMax?: number | undefined
  readonly valuesMax?: number | undefined
  readonly escapedNames?: boolean
  readonly exactIntegers?: boolean | undefined
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses untrusted JSON. Depth and number of values are checked before anything is built. Duplicate member names and numbers beyond the
 * range of a double are refused.
 *
 * `JSON.parse` silently keeps the last of two equal names, so that two readers of one signed text could see different claims.
 * Duplicates are detected by comparing the number of members in the text with that in the parsed value. A text with an escaped member
 * name is parsed by {@link readStrictJson}.
 *
 * @param text The text, or its UTF-8 bytes. The caller bounds the length.
 * @throws Fault `json.malformed`
 * @see [RFC 8259, 4](https://www.rfc-editor.org/rfc/rfc8259#section-4)
 */
export function parseJson(text: string | Uint8Array, limits: JsonLimits = {}): Json {
  try {
    const written = typeof text === 'string' ? text : strictUtf8.decode(text)
    const { members, hasEscapedNames } = survey(written, limits)
    if (hasEscapedNames && limits.escapedNames === false) throw malformed('A member name contains escapes.')
    const isExact = limits.exactIntegers === true && /\d{16}/.test(written)
    if (hasEscapedNames || isExact) return readStrictJson(written, isExact) as Json
    const value = JSON.parse(written) as Json
    // [SEC-24] a duplicate name is lost in the parsed value, but its colon is still in the text
    if (countMembers(value) !== members) throw malformed(TWICE)
    return value
  } catch (cause) {
    throw cause instanceof Fault ? cause : new Fault('json.malformed', { cause })
  }
}

/**
 * Parses JSON of any size that this server wrote with `JSON.stringify`. Its member names may be untrusted, so the same rules apply.
 */
export function readOwnJson(text: string | Uint8Array): unknown {
  return parseJson(text, { depthMax: OWN_DEPTH_MAX, valuesMax: Number.POSITIVE_INFINITY })
}

const OWN_DEPTH_MAX = 128

/** As {@link parseJson}, for what must be an object. @throws Fault `json.malformed` */
export function parseJsonObject(text: string | Uint8Array, limits?: JsonLimits): JsonObject {
  const value = parseJson(text, limits)
  if (!isJsonObject(value)) throw malformed('The JSON text is not an object.')
  return value
}

/** Whether a value is an object and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an own member, or undefined; inherited properties are not part of the JSON. */
export function memberOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function countMembers(value: Json): number {
  if (typeof value === 'number' && !Number.isFinite(value)) throw malformed(INFINITE)
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item)
    return members
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw malformed(PROTO)
    members += 1 + countMembers((value as JsonObject)[name] as Json)
  }
  return members
}

/** Result of scanning a text before it is parsed; exact for well-formed JSON. */
type Survey = { readonly members: number; readonly hasEscapedNames: boolean }

/** Counts members, values and depth of a text. @throws Fault `json.malformed` where a limit is exceeded */
function survey(text: string, { depthMax = JSON_DEPTH_MAX, valuesMax = JSON_VALUES_MAX }: JsonLimits): Survey {
  let [members, values, depth, string, before] = [0, 1, 0, 0, 0]
  let hasEscapedNames = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char <= SPACE) continue
    if (isOpening(char)) {
      // An opening bracket counts as a value, unless the next token closes it.
      values++
      if (++depth > depthMax) throw malformed('The JSON is nested too deeply.')
    } else if (char === CLOSING_BRACKET || char === CLOSING_BRACE) {
      depth--
      if (isOpening(before)) values--
    } else if (char === COMMA) values++
    else if (char === COLON) {
      members++
      hasEscapedNames ||= text.slice(string, at).includes('\\')
    } else if (char === QUOTE) {
      string = at
      at = endOfString(text, at)
    }
    if (values > valuesMax && !isOpening(char)) throw malformed(`The JSON holds more than ${valuesMax} values.`)
    before = char
  }
  return { members, hasEscapedNames }
}

const [SPACE, QUOTE, COMMA, COLON] = [0x20, 0x22, 0x2c, 0x3a]
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

function isOpening(char: number): boolean {
  return char === OPENING_BRACKET || char === OPENING_BRACE
}
