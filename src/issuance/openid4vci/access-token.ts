import type { TenantId } from '../../caller.ts'
import { fromBase64url, isBase64url } from '../../crypto/base64url.ts'
import { equalInConstantTime, hmacSha256, sha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { uuidBytes, uuidOf } from '../offers/offer-codes.ts'

/** What an access token grants. The token carries it, so a credential request need not read it from the database. */
export type Granted = {
  readonly id: string
  readonly templateId: string
  readonly templateVersion: number
  /** The token response named the credential by its identifier. */
  readonly identified: boolean
  readonly expiresAt: Date
}

/** A parsed access token. */
export type PresentedToken = Granted & { readonly tokenHash: Buffer }

/** The secret in a token; the row of the issuance has its SHA-256. */
type TokenSecret = { readonly secret: Buffer; readonly hash: Buffer }

const SECRET_BYTES = 16
const BODY_BYTES = SECRET_BYTES + 2 * 16 + 4 + 1 + 6
const MAC_BYTES = 16
const TOKEN_CHARS = Math.ceil(((BODY_BYTES + MAC_BYTES) * 4) / 3)

/** Returns a new secret. Without it a token cannot be forged, not even with the MAC key. */
export function makeTokenSecret(): TokenSecret {
  const secret = randomBytes(SECRET_BYTES)
  return { secret, hash: sha256(secret) }
}

/** Returns an access token: the secret, the grant, and a MAC over both under a key of the tenant. */
export async function makeAccessToken(
  sealing: Sealing,
  tenantId: TenantId,
  { secret }: TokenSecret,
  granted: Granted,
): Promise<string> {
  const numbers = Buffer.alloc(11)
  numbers.writeUInt32BE(granted.templateVersion, 0)
  numbers.writeUInt8(granted.identified ? 1 : 0, 4)
  numbers.writeUIntBE(granted.expiresAt.getTime(), 5, 6)
  const ids = [granted.id, granted.templateId].map(uuidBytes)
  const body = Buffer.concat([secret, ...ids, numbers])
  return Buffer.concat([body, await macOf(sealing, tenantId, body)]).toString('base64url')
}

/**
 * Parses an access token; null if its MAC is not valid for the tenant. Reads no database. Expiry and revocation are NOT checked here.
 */
export async function readAccessToken(
  sealing: Sealing,
  tenantId: TenantId,
  token: string,
): Promise<PresentedToken | null> {
  if (token.length !== TOKEN_CHARS || !isBase64url(token)) return null
  const bytes = fromBase64url(token)
  const body = bytes.subarray(0, BODY_BYTES)
  if (!equalInConstantTime(bytes.subarray(BODY_BYTES), await macOf(sealing, tenantId, body))) return null
  const uuidAt = (place: number) => uuidOf(body.subarray(SECRET_BYTES + 16 * place, SECRET_BYTES + 16 * (place + 1)))
  const numbers = body.subarray(SECRET_BYTES + 2 * 16)
  return {
    ...{ id: uuidAt(0), templateId: uuidAt(1) },
    templateVersion: numbers.readUInt32BE(0),
    identified: numbers.readUInt8(4) === 1,
    expiresAt: new Date(numbers.readUIntBE(5, 6)),
    tokenHash: sha256(body.subarray(0, SECRET_BYTES)),
  }
}

async function macOf(sealing: Sealing, tenantId: TenantId, body: Uint8Array): Promise<Buffer> {
  return hmacSha256(await sealing.derive(tenantId, 'offer-token'), body).subarray(0, MAC_BYTES)
}
