import type { TenantId } from '../../caller.ts'
import { fromBase64url, isBase64url } from '../../crypto/base64url.ts'
import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import type { Sealing } from '../../keys/sealing.ts'

/** The purpose of a token; a token of one purpose is invalid for the other. */
type OfferToken = 'offer-link' | 'offer-code' | 'issuer-state' | 'deferred-transaction'

const ID_BYTES = 16
const MAC_BYTES = 16
const TOKEN_CHARS = 43 // 32 bytes in base64url

/**
 * Returns a token for an issuance: its id and 128 bits of a MAC under a key of the tenant. Nothing is stored, and the
 * token of one tenant is invalid at another.
 */
export async function offerToken(
  sealing: Sealing,
  tenantId: TenantId,
  purpose: OfferToken,
  id: string,
): Promise<string> {
  const bytes = uuidBytes(id)
  return Buffer.concat([bytes, macOf(await sealing.derive(tenantId, purpose), bytes)]).toString('base64url')
}

/** Returns the id of the issuance in a token; null if the MAC is not valid for the tenant. Reads no database. */
export async function readOfferToken(
  sealing: Sealing,
  tenantId: TenantId,
  purpose: OfferToken,
  token: string,
): Promise<string | null> {
  if (token.length !== TOKEN_CHARS || !isBase64url(token)) return null
  const bytes = fromBase64url(token)
  const id = bytes.subarray(0, ID_BYTES)
  const mac = macOf(await sealing.derive(tenantId, purpose), id)
  return equalInConstantTime(bytes.subarray(ID_BYTES), mac) ? uuidOf(id) : null
}

function macOf(key: Uint8Array, id: Uint8Array): Buffer {
  return hmacSha256(key, id).subarray(0, MAC_BYTES)
}

/** Returns the 16 bytes of a UUID. */
export function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/** Returns the UUID of 16 bytes. */
export function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
