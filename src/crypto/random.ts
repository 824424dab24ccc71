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
