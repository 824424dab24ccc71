import type { TenantId } from '../../caller.ts'
import { toBase64url } from '../../crypto/base64url.ts'
import { hmacSha256 } from '../../crypto/digest.ts'
import { idBytes } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'

/**
 * Returns the response code of a request: 256 bits that nobody can guess without the key of the tenant, of one request only. It is derived, so
 * that the browser in which a visitor began the request can be given it too; a request stores its hash when it is answered, and before
 * that the code opens nothing.
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
