import type { TenantId } from '../caller.ts'
import { isBase64url } from '../crypto/base64url.ts'
import { sha256 } from '../crypto/digest.ts'
import { randomBytes } from '../crypto/random.ts'
import { newId } from '../store/row-id.ts'

/** An opaque token that a person or client carries: its text, the id of its row, and the digest that the row stores. */
type BearerSecret = { readonly text: string; readonly id: string; readonly hash: Buffer }

const ID_BYTES = 16
const SECRET_BYTES = 32
const TEXT_CHARS = Math.ceil(((2 * ID_BYTES + SECRET_BYTES) * 4) / 3)

/**
 * Returns a new token: base64url of tenant id, row id and 32 random bytes. The tenant is part of it, so that it is
 * looked up inside its tenant.
 *
 * @param id The row that it belongs to; a new one by default.
 * @param secret 32 bytes that cannot be guessed; random by default.
 */
export function makeBearerSecret(
  tenantId: TenantId,
  id: string = newId(),
  secret: Uint8Array = randomBytes(SECRET_BYTES),
): BearerSecret {
  const text = Buffer.concat([idBytes(tenantId), idBytes(id), secret]).toString('base64url')
  return { text, id, hash: sha256(text) }
}

/**
 * Parses a token. Whether there is a row with this id and hash is NOT checked.
 *
 * @returns null if it has not the form of one
 */
export function readBearerSecret(
  text: string,
): { readonly tenantId: TenantId; readonly id: string; readonly hash: Buffer } | null {
  if (text.length !== TEXT_CHARS || !isBase64url(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  // The row that it must match has a tenant of this id, or there is none.
  const tenantId = idText(bytes.subarray(0, ID_BYTES)) as TenantId
  return { tenantId, id: idText(bytes.subarray(ID_BYTES, 2 * ID_BYTES)), hash: sha256(text) }
}

/** Returns the 32 secret bytes of a token that {@link readBearerSecret} has read. */
export function secretBytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url').subarray(2 * ID_BYTES)
}

/** Returns the 16 bytes of a UUID. */
export function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/** Returns the UUID of 16 bytes, in canonical form. */
export function idText(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes).toString('hex')
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  )
}
