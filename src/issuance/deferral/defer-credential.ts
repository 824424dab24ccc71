import { sha256 } from '../../crypto/digest.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { cNonceIssuedAt } from '../../protocols/openid4vci/c-nonce.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { offerToken } from '../offers/offer-codes.ts'
import { deferIssuance } from './deferral-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing'>

/** A credential request whose token and proofs were verified. */
type DeferredRequest = {
  readonly granted: { readonly id: string; readonly templateId: string; readonly tokenHash: Buffer }
  readonly keys: {
    readonly requested: readonly ProvedKey[]
    readonly holderKeysHash: Buffer
    readonly nonces: readonly string[]
  }
  readonly from: { readonly ip: string; readonly requestId: string }
}

/** How long a wallet may wait for approval. */
const DEFERRAL_DAYS = 30
/** A decision of a person takes minutes at least. */
const INTERVAL_SECONDS = 60

/**
 * Defers a credential that needs approval, and returns the response. The wallet may ask again with the same keys and
 * gets the same transaction. [VCI-D4]
 *
 * @returns null: it was delivered already, and the request is to be answered as one for a credential without approval
 * @throws Fault `nonce.invalid`, `credential_request.denied` if other keys have the credential, or it was denied
 * @see [OpenID4VCI 1.0, 8.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-response)
 */
export async function deferCredential(
  { store, sealing }: Needs,
  tenant: Pick<Tenant, 'id'>,
  { granted: { id, templateId, tokenHash }, keys, from }: DeferredRequest,
  now: Date,
): Promise<object | null> {
  const { requested, holderKeysHash, nonces } = keys
  const deferral = {
    id,
    tokenHash,
    holderKeysHash,
    keys: requested,
    endsAt: new Date(now.getTime() + DEFERRAL_DAYS * 86_400_000),
    nonceHashes: nonces.map(sha256),
    noncesMadeAt: nonces.map(cNonceIssuedAt),
  }
  const entry = {
    action: 'openid4vc.issuance.deferred',
    subject: { kind: 'issuance', id },
    by: { kind: 'wallet', ...from },
    detail: { credentialId: credentialIdOf(id), credentialTemplateId: templateId },
  } as const
  const outcome = await store
    .inTenant(tenant.id, (tx) => deferIssuance(tx, deferral, entry, now))
    .catch((error: unknown) => {
      // [VCI-N2] a nonce is accepted once
      if (violatedIndex(error) === 'spent_nonce_pkey') throw new Fault('nonce.invalid')
      throw error
    })
  if (outcome === 'refused') throw new Fault('credential_request.denied')
  if (outcome === 'delivered') return null
  return deferredResponse(sealing, tenant, id)
}

/** Returns the response for a credential that is not ready: always the same transaction. [VCI-C10, VCI-D2] */
export async function deferredResponse(
  sealing: Needs['sealing'],
  tenant: Pick<Tenant, 'id'>,
  id: string,
): Promise<object> {
  const transactionId = await offerToken(sealing, tenant.id, 'deferred-transaction', id)
  return { transaction_id: transactionId, interval: INTERVAL_SECONDS }
}
