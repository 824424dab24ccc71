import { type JsonLimits, parseJson, parseJsonInPieces } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { type Fields, Upload } from '../routes/endpoint.ts'
import { type Charset, charsets } from '../routes/route.ts'

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

/**
 * Parses a JSON body within the limits of {@link parseJson}; a byte order mark before it is ignored.
 *
 * @throws Fault `request.malformed`
 */
export function readJson(bytes: Buffer, limits?: JsonLimits): unknown {
  try {
    return parseJson(withoutMark(bytes), limits)
  } catch (cause) {
    throw notJson(cause)
  }
}

/** As {@link readJson}, in pieces: a body that is larger than others stops nobody. */
export async function readLargeJson(bytes: Buffer, limits?: JsonLimits): Promise<unknown> {
  try {
    return await parseJsonInPieces(withoutMark(bytes), limits)
  } catch (cause) {
    throw notJson(cause)
  }
}

function notJson(cause: unknown): unknown {
  return cause instanceof Fault ? new Fault('request.malformed', { detail: cause.detail }) : cause
}

/** RFC 8259 8.1: not to be sent, and may be ignored. */
function withoutMark(bytes: Buffer): Buffer {
  const [first, second, third] = bytes
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes
}

/**
 * The charset of a Content-Type header; UTF-8 without one.
 *
 * @throws Fault `request.media_type` for one that is not read
 */
export function charsetOf(contentType: string | undefined): Charset {
  const given = /;\s*charset="?([^\s";]*)/i.exec(contentType ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  const found = charsets.find((one) => one === aliases[given] || one === given)
  if (found === undefined)
    throw new Fault('request.media_type', { detail: `charset must be one of ${charsets.join(', ')}.` })
  return found
}

// As the WHATWG Encoding Standard has it: Latin-1 and ASCII are Windows-1252.
const aliases: Readonly<Record<string, Charset>> = { utf8: 'utf-8', 'iso-8859-1': 'windows-1252', 'us-ascii': 'utf-8' }

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

/** Parses the form of a page with files. @throws Fault `request.malformed` @see [RFC 7578](https://www.rfc-editor.org/rfc/rfc7578) */
export async function readUpload(bytes: Buffer, contentType: string): Promise<Upload> {
  const upload = new Upload()
  for (const [name, value] of await parsedForm(bytes, contentType)) {
    if (typeof value === 'string') upload.set(name, [...(upload.get(name) ?? []), value])
    else if (value.size > 0 || value.name !== '')
      upload.files.set(name, { name: value.name.slice(0, 200), bytes: Buffer.from(await value.arrayBuffer()) })
  }
  return upload
}

async function parsedForm(bytes: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new Fault('request.malformed', { detail: 'The body is not a well-formed form.' })
  }
}

/** The refusal of a form or query with a repeated parameter. */
export function repeatedParameter(name: string): Fault {
  const parameter = name.slice(0, 100)
  return new Fault('request.invalid', { violations: [{ detail: `${parameter} is repeated.`, parameter }] })
}
