import type { TenantId } from '../../caller.ts'
import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { type TemplateDefinition, txCodeOf } from '../templates/template.ts'

const digits = '0123456789'
/** Without what people mistake for something else (0 O, 1 I); 32 of them. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/**
 * Makes the transaction code of an issuance: each character equally likely. It is computed under a key of the tenant and stored nowhere, so
 * that whoever asks for the issuance again with the same `Idempotency-Key` can be told it.
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
      // a byte above the bound would make some characters likelier than others
      if (byte < bound && code.length < length) code += alphabet[byte % alphabet.length]
    }
  }
  return code
}

/** What is kept of a transaction code: an HMAC under a key of the tenant, bound to the issuance. [SEC-4] */
export async function txCodeMac(
  sealing: Sealing,
  tenantId: TenantId,
  issuanceId: string,
  code: string,
): Promise<Buffer> {
  return hmacSha256(await sealing.derive(tenantId, 'tx-code'), issuanceId, '\0', code)
}

/**
 * The transaction code of an issuance once more. Who may be told it is the caller's to know.
 *
 * @param definition What the issuance was made from.
 * @param mac What is kept of the code.
 * @returns null if there is none, or if it was made in a way that is no longer known
 */
export async function recoverTxCode(
  sealing: Sealing,
  tenantId: TenantId,
  issuanceId: string,
  definition: TemplateDefinition,
  mac: Buffer | null,
): Promise<string | null> {
  const asked = txCodeOf(definition)
  if (asked === null || mac === null) return null
  const code = await makeTxCode(sealing, tenantId, issuanceId, asked)
  return equalInConstantTime(await txCodeMac(sealing, tenantId, issuanceId, code), mac) ? code : null
}
