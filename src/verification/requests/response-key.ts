import type { TenantId } from '../../caller.ts'
import { hmacSha256 } from '../../crypto/digest.ts'
import { type KeyPair, p256KeyOf } from '../../crypto/jwk.ts'
import type { Platform } from '../../platform.ts'

const PURPOSE = 'presentation-response'

/**
 * Returns the key to which the response to one request is encrypted. It is derived, so that no secret is stored and a response can be decrypted
 * before any statement; each request has its own [HAIP-20].
 */
export async function responseKeyOf(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  id: string,
): Promise<Omit<KeyPair, 'pkcs8'>> {
  return p256KeyOf(hmacSha256(await sealing.derive(tenantId, PURPOSE), id))
}
