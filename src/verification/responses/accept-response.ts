import { sha256 } from '../../crypto/digest.ts'
import { randomToken } from '../../crypto/random.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { AnonymousActor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { ResponseForm } from '../../protocols/openid4vp/response.ts'
import { newId } from '../../store/row-id.ts'
import { untilConfirmed } from '../../store/until-confirmed.ts'
import { trustOf } from '../../trust/issuers/is-trusted.ts'
import { issue } from '../requests/finding.ts'
import type { ClaimedRequest, Inconclusive, RequestOutcome } from '../requests/presentation-request.ts'
import { addressesOf } from '../requests/request-addresses.ts'
import { claimRequest, completeRequest, isClaimed, releaseRequest } from '../requests/request-store.ts'
import { readRequestToken } from '../requests/request-token.ts'
import { resultPlace } from '../requests/result-place.ts'
import { checkResponse } from './check-response.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'urls' | 'fetch' | 'config'>

/** When a wallet may send an answer again that could not be checked. */
const RETRY_SECONDS = 10

/** From whom the answer came, for the audit trail. */
export type ResponseSource = Pick<AnonymousActor, 'ip' | 'requestId'>

/**
 * Takes a wallet's answer to a request: claim, check, complete. Two statements, and all checks between them.
 *
 * Of several answers one is taken. An answer that fails the checks is taken too and makes a failed result, so that the wallet learns
 * nothing from it [VP-S9]; one that names another `state` leaves the request open, and so does one that cannot be checked because an
 * issuer or its status list is out of reach: what passes must not end a request for good.
 *
 * @returns where the holder's browser is to go, with a fresh response code; null if nowhere.
 * @throws Fault `resource.unknown` (no such request), `presentation_request.closed` (not open, or another state),
 *   `presentation_response.invalid` (no state), `presentation_response.undecided`
 */
export async function acceptResponse(
  platform: Needs,
  tenant: Tenant,
  token: string,
  answer: ResponseForm,
  from: ResponseSource,
): Promise<string | null> {
  const { store, clock } = platform
  const id = await readRequestToken(platform, tenant.id, token)
  if (id === null) throw new Fault('resource.unknown')
  const { state } = answer
  // [VP-S2] our requests have a state, so their answers have it too
  if (state === null) throw new Fault('presentation_response.invalid', { detail: 'state is missing.' })
  const now = clock.now()
  const claim = newId()
  const question = await untilConfirmed(() => store.single(tenant.id, (tx) => claimRequest(tx, id, state, now, claim)))
  // 3.9 step 1: open, in time, the right state, and once
  if (question === null) {
    if (await store.single(tenant.id, (tx) => isClaimed(tx, id, state, now)))
      throw undecided('Another answer to the request is being checked; this one may be sent again.')
    throw new Fault('presentation_request.closed')
  }
  const { clientId: aud, responseUri } = addressesOf(platform.urls, tenant.slug, token, question.clientId)
  const trust = trustOf(platform, tenant.id)
  const home = { urls: platform.urls, slug: tenant.slug }
  const outcome =
    answer.kind === 'refused'
      ? declined(answer)
      : await checkResponse(platform, question, answer.vpToken, { aud, responseUri, now, trust, home })
  if (outcome.status === 'undecided') throw await putOff(platform, tenant, question, outcome)
  return complete(platform, tenant, question, outcome, from)
}

/** The request is open again at once, and says why to whoever made it. */
async function putOff(
  { store, clock }: Needs,
  { id: tenantId }: Tenant,
  question: ClaimedRequest,
  { details }: Inconclusive,
): Promise<Fault> {
  const error = {
    code: 503,
    message: 'An answer came that could not be checked yet; the wallet may send it again.',
    details,
  }
  await untilConfirmed(() => store.single(tenantId, (tx) => releaseRequest(tx, question, error, clock.now())))
  return undecided()
}

function undecided(detail?: string): Fault {
  const meta = { retryAfterSeconds: RETRY_SECONDS }
  return new Fault('presentation_response.undecided', { meta, ...(detail !== undefined && { detail }) })
}

/** 3.9 step 3 */
function declined({ error }: Extract<ResponseForm, { kind: 'refused' }>): RequestOutcome {
  if (error === 'access_denied') {
    const details = [issue('wallet.declined')]
    return {
      status: 'rejected',
      error: { code: 403, message: 'The wallet declined the request.', details },
      credentials: [],
    }
  }
  // Only codes as RFC 6749 spells them, and no sentences: what a wallet writes about its holder is nothing to keep in the clear.
  const details = [issue('wallet.error', /^[a-z_]{1,64}$/.test(error) ? error : undefined)]
  return {
    status: 'failed',
    error: { code: 422, message: 'The wallet could not answer the request.', details },
    credentials: [],
  }
}

async function complete(
  { store, clock, sealing }: Needs,
  { id: tenantId }: Tenant,
  question: ClaimedRequest,
  { status, error, credentials }: RequestOutcome,
  from: ResponseSource,
): Promise<string | null> {
  const { id, redirectUri, retentionSeconds } = question
  const responseCode = redirectUri === null ? null : randomToken()
  const result =
    credentials.length === 0 ? null : await sealing.seal(resultPlace(tenantId, id), JSON.stringify(credentials))
  const now = clock.now()
  const completion = {
    ...{ status, error, result },
    resultUntil: result === null ? null : new Date(now.getTime() + retentionSeconds * 1000),
    responseCodeHash: responseCode === null ? null : sha256(responseCode),
  }
  const entry = {
    // Webhooks know no event of their own for a refusal by the holder.
    action: status === 'verified' ? 'openid4vc.verification.verified' : 'openid4vc.verification.failed',
    subject: { kind: 'presentation_request', id },
    by: { kind: 'wallet', ...from },
    detail: { status },
  } as const
  const isOurs = await untilConfirmed(() =>
    store.single(tenantId, (tx) => completeRequest(tx, question, completion, entry, now)),
  )
  // The checks took longer than a claim lasts, and another answer was taken meanwhile.
  if (!isOurs) throw new Fault('presentation_request.closed')
  return redirectUri === null || responseCode === null ? null : withResponseCode(redirectUri, responseCode)
}

/** [VP-S4] a fresh random value, so that only the browser that the wallet went back to can show it */
function withResponseCode(redirectUri: string, responseCode: string): string {
  const url = new URL(redirectUri)
  url.searchParams.set('response_code', responseCode)
  return url.href
}
