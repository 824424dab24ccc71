import type { TenantId } from '../../caller.ts'
import { derivedKeyPair } from '../../crypto/derived-key-pair.ts'
import type { Platform } from '../../platform.ts'

const PURPOSE = 'presentation-response'

/**
 * Returns the key to which the response to one request is encrypted. It is derived, so that no secret is stored and a
 * response can be decrypted before any statement; each request has its own [HAIP-20].
 */
export async function responseKeyOf(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  id: string,
): Promise<ReturnType<typeof derivedKeyPair>> {
  return derivedKeyPair(await sealing.derive(tenantId, PURPOSE), id)
}
