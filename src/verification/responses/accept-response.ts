import type { TenantId } from '../../caller.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { P256Jwk } from '../../crypto/jwk.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import type { AnonymousActor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { readEncryptedResponse } from '../../protocols/openid4vp/encryption.ts'
import type { PlainResponse, ResponseForm } from '../../protocols/openid4vp/response.ts'
import { newLease } from '../../store/lease.ts'
import { untilConfirmed } from '../../store/until-confirmed.ts'
import { trustOf } from '../../trust/issuers/is-trusted.ts'
import { issue } from '../findings/finding.ts'
import { completeOnce } from '../requests/complete-request.ts'
import type { ClaimedRequest, Inconclusive, RequestOutcome } from '../requests/presentation-request.ts'
import { addressesOf } from '../requests/request-addresses.ts'
import { findPendingRequest } from '../requests/request-store.ts'
import { readRequestToken, responseCodeOf } from '../requests/request-token.ts'
import { claimRequest, isClaimed, type PlainResponses, releaseRequest } from '../requests/response-claim-store.ts'
import { responseKeyOf } from '../requests/response-key.ts'
import { openTransactions, sealResult } from '../requests/sealed-request.ts'
import { closedRequest } from '../requests/serve-request-object.ts'
import { checkResponse } from './check-response.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'urls' | 'fetch' | 'config' | 'memory'>

/** When a wallet may repeat a response that could not be checked. */
const RETRY_SECONDS = 10
/** Longer than the checks take; the next response may claim the request after this time. */
const LEASE_MS = 60_000

/**
 * The sender of the response, for the audit trail. `origin`: of the page whose browser got the response over the
 * Digital Credentials API, if it came so.
 */
export type ResponseSource = Pick<AnonymousActor, 'ip' | 'requestId'> & { readonly origin?: string }

/**
 * Accepts a wallet's response to a request: claims the request, checks the response, completes the request. Two
 * statements, with the checks outside of any transaction.
 *
 * Of concurrent responses one is accepted. A response that fails the checks is accepted too, with the result `failed`,
 * so the wallet does not learn which check failed [VP-S9]. The request stays open after a response with another
 * `state`, and after one that cannot be checked because an issuer or its status list cannot be reached.
 *
 * @returns the redirect URI with a fresh response code; null if the request has none.
 * @throws Fault `resource.unknown` (no such request), `presentation_request.closed` (not open, or another state),
 *   `presentation_response.invalid` (no state, not decryptable, or for an origin that the request does not name),
 *   `presentation_response.undecided`
 */
export async function acceptResponse(
  platform: Needs,
  tenant: Tenant,
  token: string,
  form: ResponseForm,
  from: ResponseSource,
): Promise<string | null> {
  const { store, clock } = platform
  const id = await readRequestToken(platform, tenant.id, token)
  if (id === null) throw new Fault('resource.unknown')
  // OpenID4VP 1.0, 8.3
  const { answer, key } = await decrypted(platform, tenant, id, form)
  // [VP-D2] a browser's answer has no state
  const state = from.origin === undefined ? answer.state : null
  // [VP-S2]
  if (state === null && from.origin === undefined)
    throw new Fault('presentation_response.invalid', { detail: 'state is missing.' })
  const now = clock.now()
  const lease = newLease(now, LEASE_MS)
  const request = await untilConfirmed(() =>
    store.single(tenant.id, (tx) => claimRequest(tx, id, state, now, lease, plainOf(tenant, answer, key, from))),
  )
  // answered, expired, with another state, or being answered
  if (request === null) {
    if (await store.single(tenant.id, (tx) => isClaimed(tx, id, state, now)))
      throw undecided('Another response to the request is being checked; send this one again later.')
    throw await unclaimed(platform, tenant.id, id, state)
  }
  const { clientId: aud, responseUri } = addressesOf(platform.urls, tenant.slug, token, request.clientId)
  const bound = { ...audienceOf(from, aud), responseUri, encryptionKey: key }
  const trust = trustOf(platform, tenant.id)
  const verifier = { urls: platform.urls, slug: tenant.slug }
  const { sealedTransactions: sealed } = request
  const transactions = sealed === null ? [] : await openTransactions(platform.sealing, tenant.id, id, sealed)
  const outcome =
    answer.kind === 'refused'
      ? declined(answer)
      : await checkResponse({ ...platform, tenantId: tenant.id }, request, answer.vpToken, {
          ...bound,
          now,
          trust,
          verifier,
          policy: policyOf(tenant),
          transactions,
        })
  if (outcome.status === 'undecided') throw await releaseClaim(platform, tenant, request, outcome)
  return complete(platform, tenant, request, outcome, from)
}

/** Says why a response did not claim its request: that has ended, or the response does not fit it. */
async function unclaimed(platform: Needs, tenantId: TenantId, id: string, state: string | null): Promise<Fault> {
  const { store, clock } = platform
  const open = await store.single(tenantId, (tx) => findPendingRequest(tx, id, clock.now()))
  const isForOthers = state === null && open?.digitalCredentials === null
  if (open === null || isForOthers) return closedRequest(platform, tenantId, id)
  const detail =
    state !== null && state !== open.state
      ? 'state is not the one of the request.'
      : 'The request asks for an encrypted response (direct_post.jwt): send it as response, a JWE.'
  return new Fault('presentation_request.closed', { detail })
}

/** OpenID4VP 1.0, A.4: over the Digital Credentials API the origin is the audience, also of signed requests. */
function audienceOf({ origin }: ResponseSource, clientId: string) {
  return origin === undefined ? { aud: clientId, origin: null } : { aud: `origin:${origin}`, origin }
}

/** Over the Digital Credentials API responses are encrypted by default. */
function plainOf(
  tenant: Tenant,
  { kind }: PlainResponse,
  key: P256Jwk | null,
  { origin }: ResponseSource,
): PlainResponses {
  if (key !== null || kind === 'refused') return 'accepted'
  if (policyOf(tenant).presenting.requiresEncryptedResponses) return 'never'
  return origin === undefined ? 'by-default' : 'if-stated'
}

/** Returns the response, and the key that it was encrypted to; null if it was not. */
async function decrypted(
  platform: Needs,
  { id: tenantId }: Tenant,
  id: string,
  form: ResponseForm,
): Promise<{ readonly answer: PlainResponse; readonly key: P256Jwk | null }> {
  if (form.kind !== 'encrypted') return { answer: form, key: null }
  const { publicJwk, privateKey } = await responseKeyOf(platform, tenantId, id)
  return { answer: readEncryptedResponse(form.jwe, privateKey), key: publicJwk }
}

/** Reopens the request, with the reason in its `error`. */
async function releaseClaim(
  { store, clock }: Needs,
  { id: tenantId }: Tenant,
  request: ClaimedRequest,
  { details }: Inconclusive,
): Promise<Fault> {
  const error = {
    code: 503,
    message: 'A response could not be checked yet; the wallet may send it again.',
    details: [...details],
  }
  await untilConfirmed(() => store.single(tenantId, (tx) => releaseRequest(tx, request, error, clock.now())))
  return undecided()
}

function undecided(detail?: string): Fault {
  return new Fault('presentation_response.undecided', { detail, meta: { retryAfterSeconds: RETRY_SECONDS } })
}

/** OpenID4VP 1.0, 8.5 */
function declined({ error }: Extract<PlainResponse, { kind: 'refused' }>): RequestOutcome {
  if (error === 'access_denied') {
    const details = [issue('wallet.declined')]
    return {
      status: 'rejected',
      error: { code: 403, message: 'The wallet declined the request.', details },
      credentials: [],
    }
  }
  // Stores only an OAuth error code: `error_description` could contain personal data.
  const details = [issue('wallet.error', /^[a-z_]{1,64}$/.test(error) ? error : undefined)]
  return {
    status: 'failed',
    error: { code: 422, message: 'The wallet could not respond to the request.', details },
    credentials: [],
  }
}

async function complete(
  { store, clock, sealing }: Needs,
  { id: tenantId }: Tenant,
  request: ClaimedRequest,
  { status, error, credentials }: RequestOutcome,
  from: ResponseSource,
): Promise<string | null> {
  const { id, redirectUri, retentionSeconds } = request
  const responseCode = redirectUri === null ? null : await responseCodeOf({ sealing }, tenantId, id)
  const result = credentials.length === 0 ? null : await sealResult(sealing, tenantId, id, credentials)
  const now = clock.now()
  const completion = {
    status,
    error,
    result,
    resultUntil: result === null ? null : new Date(now.getTime() + retentionSeconds * 1000),
    responseCodeHash: responseCode === null ? null : sha256(responseCode),
  }
  const entry = {
    // There is no public event of its own for a holder who declines.
    action: status === 'verified' ? 'openid4vc.verification.verified' : 'openid4vc.verification.failed',
    subject: { kind: 'presentation_request', id },
    by: { kind: 'wallet', ...from },
    detail: { status },
  } as const
  const isCompleted = await untilConfirmed(() => completeOnce({ store }, tenantId, request, completion, entry, now))
  // The lease expired during the checks, and another response claimed the request.
  if (!isCompleted) throw new Fault('presentation_request.closed')
  return redirectUri === null || responseCode === null ? null : withResponseCode(redirectUri, responseCode)
}

/** [VP-S4] */
function withResponseCode(redirectUri: string, responseCode: string): string {
  const url = new URL(redirectUri)
  url.searchParams.set('response_code', responseCode)
  return url.href
}
