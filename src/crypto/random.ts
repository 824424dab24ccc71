import { randomBytes as bytesFromSystem, randomUUID } from 'node:crypto'

/** Random bytes from the cryptographic generator of the system. */
export function randomBytes(size: number): Buffer {
  return bytesFromSystem(size)
}

/** An id that need not sort: UUID version 4. */
export function randomId(): string {
  return randomUUID()
}

/** A secret nobody can guess, as base64url. @param size Bytes of randomness; 32 unless told, 16 at least for anything secret. */
export function randomToken(size = 32): string {
  return randomBytes(size).toString('base64url')
}

/** Of 12 bits, so that an id has three digits of it. */
const COUNTER_MAX = 0xfff
let lastMs = 0
let counter = 0
/** The first two groups of an id, and the version. */
let time = ''

/**
 * An id for a row: UUID version 7, so that ids sort by the time they were made; those of one process also within a millisecond, and when
 * its clock is set back. Not a secret.
 *
 * @see [RFC 9562, 6.2, method 1](https://www.rfc-editor.org/rfc/rfc9562#section-6.2)
 */
export function newId(): string {
  const random = randomUUID()
  const ms = Date.now()
  if (ms > lastMs) {
    startOf(ms)
    // The lower half, so that there is room to count up.
    counter = Number.parseInt(random.slice(0, 3), 16) >> 1
  } else if (counter < COUNTER_MAX) {
    counter += 1
  } else {
    startOf(lastMs + 1)
    counter = 0
  }
  return `${time}${counter.toString(16).padStart(3, '0')}-${random.slice(19)}`
}

function startOf(ms: number): void {
  const digits = ms.toString(16).padStart(12, '0')
  lastMs = ms
  time = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
}
