import type { TenantId } from '../../caller.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { ENCRYPTED_MODE } from '../../protocols/openid4vp/encryption.ts'
import { buildRequestObject, encodeUnsigned, signRequestObject } from '../../protocols/openid4vp/request-object.ts'
import { audienceFor, canEncrypt } from '../../protocols/openid4vp/request-uri-post.ts'
import { verifierStatement } from '../../protocols/openid4vp/verifier-statement.ts'
import { issuerAuthoritiesOf } from '../templates/issuer-authorities.ts'
import { formatsOf, queryOf, verifierInfoOf } from '../templates/template-query.ts'
import { signerOf } from './choose-signer.ts'
import { CANCELED, type PendingRequest } from './presentation-request.ts'
import { addressesOf, UNSIGNED_CLIENT } from './request-addresses.ts'
import { findPendingRequest, findPresentationRequest, type RequestRow } from './request-store.ts'
import { readRequestToken } from './request-token.ts'
import { responseKeyOf } from './response-key.ts'
import { openTransactions } from './sealed-request.ts'

/** What making a request needs. */
export type RequestNeeds = Pick<Platform, 'store' | 'clock' | 'sealing' | 'keys' | 'urls' | 'config' | 'memory'>

type PostedByWallet = { readonly wallet_nonce?: string; readonly wallet_metadata?: string }

/**
 * Returns the signed request object of an open request. Until the request ends it may be fetched any number of times,
 * with the same nonce, state, query and signer [VP-R11]. One statement; the object is signed outside of it.
 *
 * The response is encrypted if the template says so or, by default, if the wallet posted that it can. The audience is
 * the wallet that the posted metadata name.
 *
 * @param posted What the wallet posted: its nonce, repeated in the object [VP-U2], and its metadata.
 * @throws Fault `resource.unknown`, `presentation_request.closed`
 * @see [OpenID4VP 1.0, 5.10](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-request-uri-method-post)
 */
export async function serveRequestObject(
  platform: RequestNeeds,
  tenant: Tenant,
  token: string,
  posted: PostedByWallet = {},
): Promise<string> {
  const request = await openRequestOf(platform, tenant.id, token)
  const claims = await claimsOf(platform, tenant, token, request, posted)
  // OpenID4VP 1.0, 5.9.3: with this prefix a request must not be signed
  if (request.clientId === UNSIGNED_CLIENT) return encodeUnsigned(claims)
  const { header, key } = await signerOf(platform, tenant, request)
  return signRequestObject(claims, header, key)
}

/** Returns the parameters of an unsigned request that is sent by value. */
export async function requestParameters(
  platform: RequestNeeds,
  tenant: Tenant,
  token: string,
  request: PendingRequest,
): Promise<Readonly<Record<string, string | object>>> {
  // of a JWT, not of the request
  const { aud: _, iat: __, exp: ___, ...parameters } = await claimsOf(platform, tenant, token, request, {})
  return parameters
}

async function claimsOf(
  platform: RequestNeeds,
  tenant: Tenant,
  token: string,
  request: PendingRequest,
  { wallet_nonce: walletNonce, wallet_metadata: metadata }: PostedByWallet,
) {
  const { clock, urls } = platform
  const { id: tenantId, slug } = tenant
  const now = clock.now()
  const { clientId, responseUri } = addressesOf(urls, slug, token, request.clientId)
  const { nonce, state, expiresAt } = request
  const lifetimeSeconds = Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1000))
  const { responseMode } = request.verifierConfig ?? {}
  const isStated = responseMode === undefined ? canEncrypt(metadata) : responseMode === ENCRYPTED_MODE
  const isEncrypted = isStated || policyOf(tenant).presenting.requiresEncryptedResponses
  const verifierInfo = [...statementOf(tenant, request), ...(verifierInfoOf(request) ?? [])]
  return buildRequestObject(
    {
      clientId,
      responseUri,
      audience: audienceFor(metadata),
      nonce,
      state,
      lifetimeSeconds,
      dcqlQuery: queryOf(request, await issuerAuthoritiesOf(platform, tenantId, request.credentials)),
      ...(await transactionsOf(platform, tenantId, request)),
      // RFC 6749 3.1: a parameter without a value is treated as if it were omitted
      ...(walletNonce && { walletNonce }),
      // OpenID4VP 1.0, 5.1: non-empty
      ...(verifierInfo.length > 0 && { verifierInfo }),
      ...(isEncrypted && { encryptionKey: (await responseKeyOf(platform, tenantId, request.id)).publicJwk }),
    },
    formatsOf(request),
    now,
  )
}

/**
 * Returns what a wallet shows of the verifier before the holder shares. Of an unsigned request nothing would bind it
 * to the verifier.
 */
function statementOf({ name, settings }: Tenant, { clientId, verifierConfig, retentionSeconds }: PendingRequest) {
  if (clientId === UNSIGNED_CLIENT) return []
  const purpose = verifierConfig?.purpose
  const { logoUri } = settings
  const logo = typeof logoUri === 'string' ? { logoUri } : {}
  return [verifierStatement({ clientName: name, retentionSeconds, ...logo, ...(purpose !== undefined && { purpose }) })]
}

/** Returns the open request that a token names. @throws Fault `resource.unknown`, `presentation_request.closed` */
export async function openRequestOf(
  platform: Pick<RequestNeeds, 'store' | 'clock' | 'sealing'>,
  tenantId: TenantId,
  token: string,
): Promise<PendingRequest> {
  const id = await readRequestToken(platform, tenantId, token)
  if (id === null) throw new Fault('resource.unknown')
  const now = platform.clock.now()
  const request = await platform.store.single(tenantId, (tx) => findPendingRequest(tx, id, now))
  if (request === null) throw await closedRequest(platform, tenantId, id)
  return request
}

const endings = {
  answered: 'The presentation request was answered already.',
  canceled: 'The presentation request was canceled.',
  expired: 'The presentation request has expired.',
} as const

/**
 * Returns the refusal of a request that is not open, with `requestEnd`: how it ended, for the page of the wallet. Only
 * a holder of the link learns it, and nothing of the result. No `requestEnd` where the request is open (the response
 * has another `state`, or a response is being checked) or deleted.
 */
export async function closedRequest(
  { store, clock }: Pick<RequestNeeds, 'store' | 'clock'>,
  tenantId: TenantId,
  id: string,
): Promise<Fault> {
  const row = await store.single(tenantId, (tx) => findPresentationRequest(tx, id, clock.now()))
  const requestEnd = row === null ? null : requestEndOf(row)
  if (requestEnd === null) return new Fault('presentation_request.closed')
  return new Fault('presentation_request.closed', { detail: endings[requestEnd], meta: { requestEnd } })
}

/** Returns how a request ended; null: it is open. */
export function requestEndOf({ status, error }: Pick<RequestRow, 'status' | 'error'>): keyof typeof endings | null {
  if (status === 'requested') return null
  return status !== 'expired' ? 'answered' : error?.code === CANCELED ? 'canceled' : 'expired'
}

/** Returns the transaction data of a request as a member of its parameters; no member without transaction data. */
export async function transactionsOf(
  { sealing }: Pick<RequestNeeds, 'sealing'>,
  tenantId: TenantId,
  { id, sealedTransactions: sealed }: PendingRequest,
): Promise<{ readonly transactionData?: readonly string[] }> {
  return sealed === null ? {} : { transactionData: await openTransactions(sealing, tenantId, id, sealed) }
}

/**
 * Returns a request in any state.
 *
 * @throws Fault `resource.unknown` if the token is invalid
 */
export async function requestOf(
  platform: Pick<RequestNeeds, 'store' | 'clock' | 'sealing'>,
  { id: tenantId }: Tenant,
  token: string,
): Promise<RequestRow> {
  const id = await readRequestToken(platform, tenantId, token)
  if (id === null) throw new Fault('resource.unknown')
  const now = platform.clock.now()
  const row = await platform.store.single(tenantId, (tx) => findPresentationRequest(tx, id, now))
  if (row === null) throw new Fault('resource.unknown')
  return row
}
