import { randomBytes as bytesFromSystem, randomUUIDv7 } from 'node:crypto'

/** Random bytes from the cryptographic generator of the system. */
export function randomBytes(size: number): Buffer {
  return bytesFromSystem(size)
}

/** A secret nobody can guess, as base64url. @param size Bytes of randomness; 32 unless told, 16 at least for anything secret. */
export function randomToken(size = 32): string {
  return bytesFromSystem(size).toString('base64url')
}

/** An id for a row: UUID version 7, so that ids sort by the time they were made. Not a secret. */
export function newId(): string {
  return randomUUIDv7()
}
