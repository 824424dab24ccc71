import type { TenantId } from '../../caller.ts'
import { fromBase64url, toBase64url } from '../../crypto/base64url.ts'
import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import { idBytes } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'

const ID_BYTES = 16
const MAC_BYTES = 16
const PURPOSE = 'presentation-request'

/**
 * Returns the last path segment of a request's URLs: its id and a MAC over it, 43 characters. It is derived, so no
 * secret is stored, and an invalid one costs no database query.
 */
export async function requestTokenOf(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  id: string,
): Promise<string> {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  const mac = hmacSha256(await sealing.derive(tenantId, PURPOSE), bytes).subarray(0, MAC_BYTES)
  return toBase64url(Buffer.concat([bytes, mac]))
}

/** Returns the request id in a token; null if its MAC is wrong. */
export async function readRequestToken(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  token: string,
): Promise<string | null> {
  let bytes: Buffer
  try {
    bytes = fromBase64url(token)
  } catch {
    return null
  }
  if (bytes.length !== ID_BYTES + MAC_BYTES) return null
  const id = bytes.subarray(0, ID_BYTES)
  const mac = hmacSha256(await sealing.derive(tenantId, PURPOSE), id).subarray(0, MAC_BYTES)
  if (!equalInConstantTime(mac, bytes.subarray(ID_BYTES))) return null
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * Returns the response code of a request: 256 bits that nobody can guess without the key of the tenant, of one request
 * only. It is derived, so that the browser in which a visitor began the request can be given it too; a request stores
 * its hash when it is answered, and before that the code opens nothing.
 *
 * @see [OpenID4VP 1.0, 8.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-8.2)
 */
export async function responseCodeOf(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  id: string,
): Promise<string> {
  return toBase64url(hmacSha256(await sealing.derive(tenantId, 'presentation-response-code'), idBytes(id)))
}
