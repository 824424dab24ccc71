import { type JsonLimits, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'

/** The bare media type of a Content-Type header in lower case, `''` without one. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/** `application/json` and its `+json` kin. */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))
}

/** Reads a JSON body within the bounds of {@link parseJson}. @throws Fault `request.malformed` */
export function readJson(bytes: Buffer, limits?: JsonLimits): unknown {
  try {
    return parseJson(bytes, limits)
  } catch (cause) {
    // The parser's message quotes the body, so it is not kept as the cause.
    const detail = cause instanceof Fault ? cause.detail : undefined
    throw new Fault('request.malformed', { detail: detail ?? 'The body is not well-formed JSON.' })
  }
}

/** Reads a text; a byte order mark in front of it is left out. @throws Fault `request.invalid` for what is no UTF-8, or has NUL in it */
export function readText(bytes: Buffer): string {
  try {
    const text = utf8.decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // What is wrong with it is the caller's to find out.
  }
  throw new Fault('request.invalid', { detail: 'The body is no text in UTF-8, or holds NUL characters.' })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a form. @throws Fault `request.invalid` if a parameter is there twice */
export function readForm(bytes: Buffer): Readonly<Record<string, string>> {
  const form: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(bytes.toString())) {
    // RFC 6749 3.2: request parameters must not be included more than once
    if (form[name] !== undefined) {
      const violations = [{ detail: `${name.slice(0, 100)} is there more than once.`, parameter: name.slice(0, 100) }]
      throw new Fault('request.invalid', { violations })
    }
    form[name] = value
  }
  return form
}
