import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { readResponseEncryption } from '../../protocols/openid4vci/response-encryption.ts'
import { isText, statedMembers } from '../../protocols/shape.ts'
import { newLease } from '../../store/lease.ts'
import { deferredResponse } from '../deferral/defer-credential.ts'
import { deliverDeferred, releaseDeferred, takeDeferred } from '../deferral/deferral-store.ts'
import type { PresentedToken } from '../offers/access-token.ts'
import { readOfferToken } from '../offers/offer-codes.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { issueCopies } from './issue-copies.ts'
import { encrypted, type IssuedResponse } from './issue-credential.ts'
import { boundKeys } from './prove-keys.ts'
import { openRequest, type ReceivedBody } from './request-encryption.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>
type Origin = { readonly ip: string; readonly requestId: string }

/** Longer than a request may take. */
const LEASE_MS = 120_000

/**
 * Answers a poll at the deferred endpoint: the credential once it is approved, else 202 with the same transaction. The
 * credential is handed out once: of concurrent polls one gets it, and the transaction is unknown from then on. Where
 * the response was lost, the wallet asks the credential endpoint again. A poll that dies while it issues holds the
 * credential for {@link LEASE_MS} only. The access token is accepted for its transaction until the deferral ends, also
 * after it has expired.
 *
 * @param ask `granted`: the access token; null: it is not valid.
 * @throws Fault `token.invalid`, `transaction.unknown`, `credential_request.*`, `credential_encryption.unsupported`
 * @see [OpenID4VCI 1.0, 9](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-deferred-credential-endpoin)
 */
export async function issueDeferred(
  needs: Needs,
  tenant: Tenant,
  ask: ReceivedBody & { readonly granted: PresentedToken | null },
  from: Origin,
): Promise<IssuedResponse> {
  const { granted } = ask
  if (granted === null) throw new Fault('token.invalid')
  const { transactionId, recipient } = await readRequest(needs, tenant, ask)
  // [VCI-D3] the transaction is that of the token
  const id = await readOfferToken(needs.sealing, tenant.id, 'deferred-transaction', transactionId)
  if (id !== granted.id) throw new Fault('transaction.unknown')
  const issued = await tryIssue(needs, tenant, granted, from)
  if (issued !== null) return encrypted({ status: 200, body: issued }, recipient)
  return encrypted({ status: 202, body: await deferredResponse(needs.sealing, tenant, id) }, recipient)
}

async function readRequest(needs: Needs, tenant: Tenant, received: ReceivedBody) {
  const { body, isEncrypted } = await openRequest(needs, tenant, received)
  const { transaction_id: transactionId, credential_response_encryption: encryption } = statedMembers(body) ?? {}
  if (!isText(transactionId, 1024)) {
    throw new Fault('credential_request.invalid', { detail: 'transaction_id is missing.' })
  }
  const recipient = readResponseEncryption(encryption)
  // [VCI-M7] [SEC-8] an encrypted response is asked for in an encrypted request
  if (recipient !== null && !isEncrypted) {
    const detail = 'A request with credential_response_encryption must be encrypted.'
    throw new Fault('credential_encryption.unsupported', { detail })
  }
  if (recipient === null && policyOf(tenant).issuing.requiresEncryption) {
    throw new Fault('credential_encryption.unsupported', { detail: 'credential_response_encryption is missing.' })
  }
  return { transactionId, recipient }
}

const refusals = {
  no_token: 'token.invalid',
  unknown: 'transaction.unknown',
  denied: 'credential_request.denied',
} as const

/** @returns null: it is not ready, or another request issues it */
async function tryIssue(needs: Needs, tenant: Tenant, granted: PresentedToken, from: Origin): Promise<object | null> {
  const { store, clock } = needs
  const lease = newLease(clock.now(), LEASE_MS)
  const taken = await store.single(tenant.id, (tx) => takeDeferred(tx, granted, lease, clock.now()))
  if (taken.outcome === 'pending') return null
  if (taken.outcome !== 'taken') throw new Fault(refusals[taken.outcome])
  try {
    const response = await issue(needs, tenant, granted, taken.keys, from)
    const ended = { id: granted.id, tokenEndsAt: granted.expiresAt }
    const isDelivered = await store.single(tenant.id, (tx) => deliverDeferred(tx, ended, lease, clock.now()))
    return isDelivered ? response : null
  } catch (error) {
    await store.single(tenant.id, (tx) => releaseDeferred(tx, granted.id, lease))
    throw error
  }
}

async function issue(
  needs: Needs,
  tenant: Tenant,
  granted: PresentedToken,
  proved: readonly ProvedKey[],
  from: Origin,
): Promise<object> {
  const template = await templateVersion(needs, tenant.id, granted.templateId, granted.templateVersion)
  // The nonces were spent when the credential was deferred.
  const keys = { ...boundKeys(proved, template.definition.batchSize ?? 1), nonces: [] }
  const { credentials } = await issueCopies(needs, tenant, { granted, template, keys, from })
  // No notification_id: @openid4vc/openid4vci 0.4.6 (Credo) takes no deferred response that has one, and would lose the
  // credential.
  return { credentials }
}
