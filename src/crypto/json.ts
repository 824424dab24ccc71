import { Fault } from '../fault.ts'

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object whose members have not been checked. */
export type JsonObject = { readonly [name: string]: Json }

/** [SEC-41] How deep arrays and objects may nest; the outermost one counts as 1. */
export const JSON_DEPTH_MAX = 32

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses JSON from a stranger: bounded in depth, and a member name stands at most once in its object.
 *
 * `JSON.parse` silently keeps the last of two equal names, so that two readers of one signed text could see different claims. It is
 * found out by counting: the members written in the text against the members that the parsed value has.
 *
 * @param text The text, or its UTF-8 bytes. The caller bounds the length.
 * @throws Fault `json.malformed`
 * @see [RFC 8259, 4](https://www.rfc-editor.org/rfc/rfc8259#section-4)
 */
export function parseJson(text: string | Uint8Array, depthMax = JSON_DEPTH_MAX): Json {
  let value: Json
  let written: string
  try {
    written = typeof text === 'string' ? text : strictUtf8.decode(text)
    value = JSON.parse(written) as Json
  } catch (cause) {
    throw new Fault('json.malformed', { cause })
  }
  // [SEC-24] a duplicate name vanished in the parsed value, but its colon is still in the text
  if (countMembers(value, depthMax) !== countColons(written)) {
    throw new Fault('json.malformed', { detail: 'A member name stands twice in one JSON object.' })
  }
  return value
}

/** As {@link parseJson}, for what must be an object. @throws Fault `json.malformed` */
export function parseJsonObject(text: string | Uint8Array, depthMax = JSON_DEPTH_MAX): JsonObject {
  const value = parseJson(text, depthMax)
  if (!isJsonObject(value)) throw new Fault('json.malformed', { detail: 'The JSON text is not an object.' })
  return value
}

/** Whether a value is an object and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member, or undefined: what an object inherits is not in its JSON. */
export function memberOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function countMembers(value: Json, depthLeft: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depthLeft === 0) throw new Fault('json.malformed', { detail: 'The JSON nests too deep.' })
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item, depthLeft - 1)
    return members
  }
  for (const name of Object.keys(value)) {
    // [SEC-23] copying such a member would change what the copy inherits; no spec has one
    if (name === '__proto__')
      throw new Fault('json.malformed', { detail: 'A JSON object has a member named __proto__.' })
    members += 1 + countMembers((value as JsonObject)[name] as Json, depthLeft - 1)
  }
  return members
}

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c

/** Colons outside strings of a text that is known to be well-formed JSON: one for each member. */
function countColons(text: string): number {
  let colons = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === COLON) colons++
    else if (char === QUOTE) at = endOfString(text, at)
  }
  return colons
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}
