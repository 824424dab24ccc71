import { Fault } from '../fault.ts'
import { JsonReader, malformed, type ReaderLimits } from './json-reader.ts'

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object whose members have not been checked. */
export type JsonObject = { readonly [name: string]: Json }

/** [SEC-41] Maximum depth of nested arrays and objects; the outermost one counts as 1. */
export const JSON_DEPTH_MAX = 32

/** [SEC-41] Maximum number of values in a text, the outermost one included. */
export const JSON_VALUES_MAX = 20_000

/** Limits of a text; by default the two above. */
export type JsonLimits = Partial<ReaderLimits>

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const OWN_DEPTH_MAX = 128
/** Values of a piece: some milliseconds. */
const PIECE_VALUES = 10_000
/** Items of a piece. */
const PIECE_ITEMS = 100

/**
 * Parses untrusted JSON. Duplicate member names, members named `__proto__` and numbers beyond the range of a double are
 * refused.
 *
 * `JSON.parse` silently keeps the last of two equal names, so that two readers of one signed text could see different
 * claims [SEC-24]. It also resolves an escaped member name by names that the process parsed before (nodejs/node#63785),
 * so that the content of one request could change how another one is parsed. Therefore only strings and numbers are
 * left to the engine.
 *
 * @param text The text, or its UTF-8 bytes. The caller bounds the length.
 * @throws Fault `json.malformed`
 * @see [RFC 8259, 4](https://www.rfc-editor.org/rfc/rfc8259#section-4)
 */
export function parseJson(text: string | Uint8Array, limits: JsonLimits = {}): Json {
  return readerOf(text, limits).whole() as Json
}

/** As {@link parseJson}, a piece at a time with turns for other work between. For texts of more than a mebibyte. */
export async function parseJsonInPieces(text: Uint8Array, limits: JsonLimits = {}): Promise<Json> {
  const reader = readerOf(text, limits)
  for (;;) {
    const read = reader.piece(PIECE_VALUES)
    if (read !== null) return read.whole as Json
    await aTurn()
  }
}

function readerOf(text: string | Uint8Array, limits: JsonLimits): JsonReader {
  return new JsonReader(typeof text === 'string' ? text : decoded(text), {
    depthMax: JSON_DEPTH_MAX,
    valuesMax: JSON_VALUES_MAX,
    ...limits,
  })
}

function decoded(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes)
  } catch (cause) {
    throw new Fault('json.malformed', { detail: 'The text is not UTF-8, in which JSON is written.', cause })
  }
}

/**
 * Parses JSON of any size that this server wrote with `JSON.stringify`. Its member names may be untrusted, so the same
 * rules apply.
 */
export function readOwnJson(text: string | Uint8Array): unknown {
  return parseJson(text, { depthMax: OWN_DEPTH_MAX, valuesMax: Number.POSITIVE_INFINITY })
}

/** As {@link parseJson}, for what must be an object. @throws Fault `json.malformed` */
export function parseJsonObject(text: string | Uint8Array, limits?: JsonLimits): JsonObject {
  const value = parseJson(text, limits)
  if (!isJsonObject(value)) throw malformed('The JSON text is not an object.')
  return value
}

/** Writes a value so that equal values are equal texts: members in one order, no blanks. */
export function sortedJson(value: Json): string {
  return JSON.stringify(value, (_name, one: Json) =>
    isJsonObject(one)
      ? Object.fromEntries(Object.entries(one).sort(([name], [other]) => (name < other ? -1 : 1)))
      : one,
  )
}

/** As {@link sortedJson}, with turns for other work between the items of lists that are members of the value. */
export async function sortedJsonInPieces(value: Json): Promise<string> {
  if (!isJsonObject(value)) return sortedJson(value)
  const members: string[] = []
  for (const [name, one] of Object.entries(value).sort(([name], [other]) => (name < other ? -1 : 1)))
    members.push(`${JSON.stringify(name)}:${Array.isArray(one) ? `[${await sortedItems(one)}]` : sortedJson(one)}`)
  return `{${members.join()}}`
}

async function sortedItems(items: readonly Json[]): Promise<string> {
  const texts: string[] = []
  for (const item of items) {
    texts.push(sortedJson(item))
    if (texts.length % PIECE_ITEMS === 0) await aTurn()
  }
  return texts.join()
}

function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Whether a value is an object and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an own member, or undefined; inherited properties are not part of the JSON. */
export function memberOf<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
