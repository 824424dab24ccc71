import { type JsonLimits, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Fields } from '../routes/endpoint.ts'

/** Largest request body by default. */
export const BODY_BYTES_MAX = 1_048_576

/** The bare media type of a Content-Type header in lower case, `''` without one. */
export function mediaTypeOf(contentType: string | undefined): string {
  const [type = ''] = (contentType ?? '').split(';', 1)
  return type.trim().toLowerCase()
}

/** Whether a media type is `application/json` or has the suffix `+json`. */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))
}

/** Parses a JSON body within the limits of {@link parseJson}. @throws Fault `request.malformed` */
export function readJson(bytes: Buffer, limits?: JsonLimits): unknown {
  try {
    return parseJson(bytes, limits)
  } catch (cause) {
    // The parser's message quotes the body, so it is not kept as the cause.
    const detail = cause instanceof Fault ? cause.detail : undefined
    throw new Fault('request.malformed', { detail: detail ?? 'The body is not well-formed JSON.' })
  }
}

/** Decodes a text and drops its byte order mark. @throws Fault `request.invalid` if it is not UTF-8 or contains NUL */
export function readText(bytes: Buffer): string {
  try {
    const text = utf8.decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Refused below, as a text with NUL is.
  }
  throw new Fault('request.invalid', { detail: 'The body is not UTF-8 text, or contains NUL characters.' })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a form. @throws Fault `request.invalid` if a parameter is repeated */
export function readForm(bytes: Buffer): Readonly<Record<string, string>> {
  const form: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(bytes.toString())) {
    // RFC 6749 3.2: request parameters must not be included more than once
    if (form[name] !== undefined) throw repeatedParameter(name)
    form[name] = value
  }
  return form
}

/** Parses the form of a page. Members may repeat. */
export function readFields(bytes: Buffer): Fields {
  const byName = Map.groupBy(new URLSearchParams(bytes.toString()), ([name]) => name)
  return new Map([...byName].map(([name, found]) => [name, found.map(([, value]) => value)]))
}

/** The refusal of a form or query with a repeated parameter. */
export function repeatedParameter(name: string): Fault {
  const parameter = name.slice(0, 100)
  return new Fault('request.invalid', { violations: [{ detail: `${parameter} is repeated.`, parameter }] })
}
