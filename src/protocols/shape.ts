import { isJsonObject, type Json, type JsonObject } from '../crypto/json.ts'

/**
 * Returns the members of a message that are stated, at any depth; null for what is no object. Many serializers write
 * null for a member that is absent, and no message of these protocols has another meaning for it. null as an element
 * stays: in a claims path it is all elements of an array.
 */
export function statedMembers(value: JsonObject): JsonObject
export function statedMembers(value: unknown): JsonObject | null
export function statedMembers(value: unknown): JsonObject | null {
  return isJsonObject(value) ? membersStated(value) : null
}

function membersStated(object: JsonObject): JsonObject {
  const stated = Object.entries(object).filter(([, one]) => one !== null)
  return Object.fromEntries(stated.map(([name, one]) => [name, valueStated(one)]))
}

function valueStated(value: Json): Json {
  if (Array.isArray(value)) return value.map(valueStated)
  return isJsonObject(value) ? membersStated(value) : value
}

/** Whether a value is a string of 1 to `lengthMax` UTF-16 units. */
export function isText(value: unknown, lengthMax = 8192): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= lengthMax
}

/** Whether a value is an array of 1 to `countMax` strings, none of them empty. */
export function isTextList(value: unknown, countMax = 256): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.length <= countMax && value.every((one) => isText(one))
}

/** Parses a URL of the given scheme without credentials and fragment; otherwise null. */
function asUrl(value: unknown, scheme: 'https:' | 'http:' = 'https:'): URL | null {
  if (!isText(value) || !URL.canParse(value)) return null
  const url = new URL(value)
  if (url.protocol !== scheme || url.username !== '' || url.password !== '' || value.includes('#')) return null
  return url
}

/** Which addresses of peers are accepted. Production: https only. */
export type PeerPolicy = { readonly allowHttpLoopback: boolean }

/**
 * Parses the URL of a peer: https, or http on a loopback host if development allows it; otherwise null.
 * NOT checked: what the host resolves to; the outbound client does that.
 */
export function asPeerUrl(value: unknown, { allowHttpLoopback }: PeerPolicy): URL | null {
  const secure = asUrl(value)
  if (secure !== null || !allowHttpLoopback) return secure
  const plain = asUrl(value, 'http:')
  return plain !== null && isLoopback(plain.hostname) ? plain : null
}

/** Of `URL.protocol`: what browsers and servers open themselves. */
const webSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:', 'ftp:', 'file:'])

/**
 * Whether a link is one for an app, `scheme://…`, as each ecosystem has its own. Its parameters say what it is; the
 * scheme only chooses the app.
 */
export function isAppLink({ protocol, href }: Pick<URL, 'protocol' | 'href'>): boolean {
  return !webSchemes.has(protocol) && href.startsWith(`${protocol}//`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Whether a value is a `full-date` that exists in the calendar. @see [RFC 3339, 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6) */
export function isFullDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = new Date(`${value}T00:00:00Z`)
  // 30 February is parsed as a day of March.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value)
}
