import type { TenantId } from '../../caller.ts'
import { fromBase64url, isBase64url } from '../../crypto/base64url.ts'
import { equalInConstantTime, hmacSha256, sha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { uuidBytes, uuidOf } from './offer-codes.ts'

/** What an access token grants. The token carries it, so a credential request need not read it from the database. */
export type AccessGrant = {
  readonly id: string
  readonly templateId: string
  readonly templateVersion: number
  /** The token response named the credential by its identifier. */
  readonly identified: boolean
  readonly expiresAt: Date
  /** Thumbprint of the DPoP key that the token is bound to; null: it is a bearer token. */
  readonly jkt: string | null
  /** The client that it was issued to; null: an anonymous wallet. */
  readonly clientId: string | null
}

/** A parsed access token. */
export type PresentedToken = AccessGrant & { readonly tokenHash: Buffer }

/** The secret in a token; the row of the issuance has its SHA-256. */
type TokenSecret = { readonly secret: Buffer; readonly hash: Buffer }

/** [VCI-T7] Longer-lived tokens would have to be bound to a key of the wallet. */
export const WALLET_TOKEN_TTL_SECONDS = 300
const SECRET_BYTES = 16
const BODY_BYTES = SECRET_BYTES + 2 * 16 + 4 + 1 + 6
const MAC_BYTES = 16
const JKT_BYTES = 32
/** Of an anonymous bearer token; others are longer. */
const TOKEN_CHARS = charsOf(BODY_BYTES + MAC_BYTES)
const CLIENT_BYTES_MAX = 2048
const TOKEN_CHARS_MAX = charsOf(BODY_BYTES + JKT_BYTES + CLIENT_BYTES_MAX + MAC_BYTES)
const IDENTIFIED = 1
const BOUND = 2
const OWNED = 4

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
  granted: AccessGrant,
): Promise<string> {
  const numbers = Buffer.alloc(11)
  numbers.writeUInt32BE(granted.templateVersion, 0)
  const { identified, jkt, clientId } = granted
  const flags = (identified ? IDENTIFIED : 0) + (jkt === null ? 0 : BOUND) + (clientId === null ? 0 : OWNED)
  numbers.writeUInt8(flags, 4)
  numbers.writeUIntBE(granted.expiresAt.getTime(), 5, 6)
  const ids = [granted.id, granted.templateId].map(uuidBytes)
  const holder = [Buffer.from(jkt ?? '', 'base64url'), Buffer.from(clientId ?? '')]
  const body = Buffer.concat([secret, ...ids, numbers, ...holder])
  return Buffer.concat([body, await macOf(sealing, tenantId, body)]).toString('base64url')
}

/**
 * Parses an access token; null if its MAC is not valid for the tenant. Reads no database. Expiry and revocation are NOT
 * checked here.
 */
export async function readAccessToken(
  sealing: Sealing,
  tenantId: TenantId,
  token: string,
): Promise<PresentedToken | null> {
  if (token.length < TOKEN_CHARS || token.length > TOKEN_CHARS_MAX || !isBase64url(token)) return null
  const bytes = fromBase64url(token)
  const body = bytes.subarray(0, -MAC_BYTES)
  if (!equalInConstantTime(bytes.subarray(-MAC_BYTES), await macOf(sealing, tenantId, body))) return null
  const uuidAt = (place: number) => uuidOf(body.subarray(SECRET_BYTES + 16 * place, SECRET_BYTES + 16 * (place + 1)))
  const numbers = body.subarray(SECRET_BYTES + 2 * 16)
  return {
    id: uuidAt(0),
    templateId: uuidAt(1),
    templateVersion: numbers.readUInt32BE(0),
    expiresAt: new Date(numbers.readUIntBE(5, 6)),
    ...holderOf(numbers.readUInt8(4), body.subarray(BODY_BYTES)),
    tokenHash: sha256(body.subarray(0, SECRET_BYTES)),
  }
}

function holderOf(flags: number, bytes: Buffer): Pick<AccessGrant, 'identified' | 'jkt' | 'clientId'> {
  const isBound = (flags & BOUND) !== 0
  return {
    identified: (flags & IDENTIFIED) !== 0,
    jkt: isBound ? bytes.subarray(0, JKT_BYTES).toString('base64url') : null,
    clientId: (flags & OWNED) === 0 ? null : bytes.subarray(isBound ? JKT_BYTES : 0).toString(),
  }
}

function charsOf(bytes: number): number {
  return Math.ceil((bytes * 4) / 3)
}

async function macOf(sealing: Sealing, tenantId: TenantId, body: Uint8Array): Promise<Buffer> {
  return hmacSha256(await sealing.derive(tenantId, 'offer-token'), body).subarray(0, MAC_BYTES)
}
