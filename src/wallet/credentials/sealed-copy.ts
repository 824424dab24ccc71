import type { TenantId } from '../../caller.ts'
import { type KeyPair, privateKeyFromPkcs8 } from '../../crypto/jwk.ts'
import { type SigningKey, softwareKey } from '../../crypto/signing-key.ts'
import { sealedText } from '../../keys/sealed-column.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { newId } from '../../store/row-id.ts'
import type { NewCopy, SealedCredential, TakenCopy } from './credential-store.ts'

/** A copy that passed every check, exactly as it was received, and the key it is bound to, if any. */
export type VerifiedCopy = { readonly raw: string; readonly key: KeyPair | null }

const sealedRaw = sealedText('wallet_credential_copy', 'sealed_raw')

/** Seals a copy: the credential byte for byte [W-R10], and the private key it is bound to. */
export async function sealCopy(sealing: Sealing, tenantId: TenantId, { raw, key }: VerifiedCopy): Promise<NewCopy> {
  const id = newId()
  return {
    id,
    sealedRaw: await sealedRaw.seal(sealing, tenantId, id, raw),
    sealedKey: key === null ? null : await sealing.seal(keyPlace(tenantId, id), key.pkcs8),
  }
}

/** Opens the credential of a copy, without its key. */
export function openRaw(
  sealing: Sealing,
  tenantId: TenantId,
  copy: Pick<SealedCredential, 'copyId' | 'sealedRaw'>,
): Promise<string> {
  return sealedRaw.open(sealing, tenantId, copy.copyId, copy.sealedRaw)
}

/** Opens a copy for a presentation. Returns a key that signs, never its bytes. */
export async function openCopy(
  sealing: Sealing,
  tenantId: TenantId,
  copy: TakenCopy,
): Promise<{ readonly raw: string; readonly key: SigningKey | null }> {
  const raw = await openRaw(sealing, tenantId, copy)
  if (copy.sealedKey === null) return { raw, key: null }
  const pkcs8 = await sealing.open(keyPlace(tenantId, copy.copyId), copy.sealedKey)
  return { raw, key: softwareKey(privateKeyFromPkcs8(pkcs8)) }
}

function keyPlace(tenantId: TenantId, id: string) {
  return { tenantId, table: 'wallet_credential_copy', column: 'sealed_key', row: id }
}
