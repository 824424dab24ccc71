/**
 * Encodes a parameter as text or bytes. Dates become ISO 8601 in UTC; arrays of texts, numbers, booleans, dates or
 * bytes become array literals.
 *
 * @throws TypeError for objects: callers serialize JSON themselves.
 */
export function toWire(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  throw new TypeError(`a ${typeof value} cannot be a parameter of a statement`)
}

function element(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const text = toWire(value)
  if (text === null) return 'null'
  return Buffer.isBuffer(text) ? `"\\\\x${text.toString('hex')}"` : `"${text.replace(/["\\]/g, '\\$&')}"`
}
