import type { TenantId } from '../../../caller.ts'
import { equalInConstantTime, hmacSha256 } from '../../../crypto/digest.ts'
import { randomBytes } from '../../../crypto/random.ts'
import { idBytes, makeBearerSecret, readBearerSecret, secretBytesOf } from '../../../keys/bearer-secret.ts'
import type { Sealing } from '../../../keys/sealing.ts'

const RANDOM_BYTES = 16
const MAC_BYTES = 16

/**
 * Returns a new refresh token of a family. Half of its secret authenticates the other half, so that a replaced token is
 * recognized without a row for each: the id of the family alone, which an authorization code shows too, proves nothing.
 */
export async function makeRefreshSecret(sealing: Pick<Sealing, 'derive'>, tenantId: TenantId, familyId: string) {
  const random = randomBytes(RANDOM_BYTES)
  const mac = await macOf(sealing, tenantId, familyId, random)
  return makeBearerSecret(tenantId, familyId, Buffer.concat([random, mac]))
}

/** Whether a text was ever a refresh token of the family that it names. The tenant in it must exist. */
export async function wasRefreshSecret(sealing: Pick<Sealing, 'derive'>, text: string): Promise<boolean> {
  const read = readBearerSecret(text)
  if (read === null) return false
  const secret = secretBytesOf(text)
  const mac = await macOf(sealing, read.tenantId, read.id, secret.subarray(0, RANDOM_BYTES))
  return equalInConstantTime(mac, secret.subarray(RANDOM_BYTES))
}

async function macOf(sealing: Pick<Sealing, 'derive'>, tenantId: TenantId, familyId: string, random: Uint8Array) {
  const key = await sealing.derive(tenantId, 'refresh tokens')
  return hmacSha256(key, idBytes(familyId), random).subarray(0, MAC_BYTES)
}
