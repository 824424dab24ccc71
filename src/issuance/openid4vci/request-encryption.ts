import { derivedKeyPair } from '../../crypto/derived-key-pair.ts'
import { parseJson } from '../../crypto/json.ts'
import { decryptCompact, jweKeyId } from '../../crypto/jwe.ts'
import { thumbprint } from '../../crypto/jwk.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault, faultOf } from '../../fault.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'

type Needs = Pick<Platform, 'sealing' | 'clock' | 'memory'>
/** A body as it came: `isJwe`: as `application/jwt`. */
export type ReceivedBody = { readonly body: unknown; readonly isJwe: boolean }
type EncryptionKey = ReturnType<typeof derivedKeyPair> & { readonly kid: string }

/** A key is published for one period and accepted for another. */
const PERIOD_MS = 7 * 86_400_000
/** [VCI-E3] Larger than any request that is not refused for its number of values or proofs. */
const INFLATED_BYTES_MAX = 1024 * 1024

/**
 * Returns the key that wallets encrypt requests of a tenant to. It is derived from the data key of the tenant and the
 * week, so each process has it without a row, and it changes every week.
 */
export function requestEncryptionKey(
  { sealing, clock, memory }: Needs,
  { id }: Pick<Tenant, 'id'>,
  ago: 0 | 1 = 0,
): Promise<EncryptionKey> {
  const now = clock.now()
  const period = String(Math.floor(now.getTime() / PERIOD_MS) - ago)
  const cache = memory.cache<Promise<EncryptionKey>>('issuance.request_encryption_keys')
  return remembered(cache, `${id}|${period}`, now, async () => {
    const pair = derivedKeyPair(await sealing.derive(id, 'request-encryption'), period)
    return { ...pair, kid: thumbprint(pair.publicJwk) }
  })
}

/**
 * Returns the body of a request: parsed JSON, or the decrypted and parsed content of a JWE.
 *
 * @throws Fault `credential_encryption.unsupported`, `credential_request.invalid`
 */
export async function openRequest(
  needs: Needs,
  tenant: Tenant,
  { body, isJwe }: ReceivedBody,
): Promise<{ readonly body: unknown; readonly isEncrypted: boolean }> {
  if (!isJwe || typeof body !== 'string') {
    // [VCI-E2]
    if (policyOf(tenant).issuing.requiresEncryption) throw unsupported('This issuer accepts only encrypted requests.')
    return { body, isEncrypted: false }
  }
  const keys = await Promise.all(([0, 1] as const).map((ago) => requestEncryptionKey(needs, tenant, ago)))
  // [VCI-E1]
  const key = keys.find(({ kid }) => kid === jweKeyId(body))
  if (key === undefined) throw unsupported('kid of the encrypted request names no key of the metadata.')
  const content = decryptCompact(body, key.privateKey, INFLATED_BYTES_MAX)
  if (content === null)
    throw unsupported('The encrypted request cannot be decrypted with the parameters of the metadata.')
  return { body: jsonOf(content), isEncrypted: true }
}

function jsonOf(content: Buffer): unknown {
  try {
    return parseJson(content)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('credential_request.invalid', { detail: 'The encrypted request is not well-formed JSON.', cause })
  }
}

const unsupported = faultOf('credential_encryption.unsupported')
