import type { TenantId } from '../../caller.ts'
import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { type TemplateDefinition, txCodeOf } from '../templates/template.ts'

const digits = '0123456789'
/** 32 characters without ambiguous ones (0 O, 1 I). */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/**
 * Derives the transaction code of an issuance under a key of the tenant, uniformly distributed. It is not stored; a
 * repeated request with the same `Idempotency-Key` derives it again.
 */
export async function makeTxCode(
  sealing: Sealing,
  tenantId: TenantId,
  issuanceId: string,
  { inputMode, length }: { inputMode: 'numeric' | 'text'; length: number },
): Promise<string> {
  const key = await sealing.derive(tenantId, 'tx-code-characters')
  const alphabet = inputMode === 'numeric' ? digits : letters
  const bound = 256 - (256 % alphabet.length)
  let code = ''
  for (let round = 0; code.length < length; round += 1) {
    for (const byte of hmacSha256(key, issuanceId, '\0', String(round))) {
      // Bytes above the bound would bias the distribution.
      if (byte < bound && code.length < length) code += alphabet[byte % alphabet.length]
    }
  }
  return code
}

/** Returns what is stored of a transaction code: an HMAC under a key of the tenant, bound to the issuance. [SEC-4] */
export async function txCodeMac(
  sealing: Sealing,
  tenantId: TenantId,
  issuanceId: string,
  code: string,
): Promise<Buffer> {
  return hmacSha256(await sealing.derive(tenantId, 'tx-code'), issuanceId, '\0', code)
}

/**
 * Derives the transaction code of an issuance again. Whether the caller may see it is NOT checked here.
 *
 * @param definition Of the template version of the issuance.
 * @param mac The stored HMAC of the code.
 * @returns null if there is none, or if it was derived in another way
 */
export async function recoverTxCode(
  sealing: Sealing,
  tenantId: TenantId,
  issuanceId: string,
  definition: TemplateDefinition,
  mac: Buffer | null,
): Promise<string | null> {
  const format = txCodeOf(definition)
  if (format === null || mac === null) return null
  const code = await makeTxCode(sealing, tenantId, issuanceId, format)
  return equalInConstantTime(await txCodeMac(sealing, tenantId, issuanceId, code), mac) ? code : null
}
