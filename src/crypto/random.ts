import { randomBytes as bytesFromSystem, randomUUID } from 'node:crypto'

/** Random bytes from the cryptographic generator of the system. */
export function randomBytes(size: number): Buffer {
  return bytesFromSystem(size)
}

/** Returns a random UUID, version 4. */
export function randomId(): string {
  return randomUUID()
}

/** Returns a random secret as base64url. @param size Bytes of randomness, by default 32; at least 16 for a secret. */
export function randomToken(size = 32): string {
  return randomBytes(size).toString('base64url')
}
