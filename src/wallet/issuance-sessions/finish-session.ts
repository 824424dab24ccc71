import type { Actor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import { readBearerSecret } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { readAuthorizationResponse } from '../../protocols/openid4vci/authorization-request.ts'
import { readTokenResponse } from '../../protocols/openid4vci/token-response.ts'
import type { Holder } from '../credentials/holder.ts'
import { isOk, isTransientFault, jsonOf, upstreamRefusal, withError } from '../credentials/upstream.ts'
import { deliveryErrorOf } from '../delivery-records/delivery.ts'
import { sendAsClient } from '../issuer-access/grant-client.ts'
import { type Accepted, type OrderRun, placeOrder, receiveOrder } from '../offers/accept-offer.ts'
import { orderOf } from '../offers/order.ts'
import { ISSUANCE_CALLBACK_PATH, type SessionWork, sealedWork } from './session.ts'
import { endIssuanceSession, findIssuanceSession, isSessionOf, takeSession } from './session-store.ts'

/** The user who is signed in in the browser that brings the response. */
type Visitor = Pick<Holder, 'tenantId' | 'tenantSlug' | 'userId'> & { readonly by: Actor }

/** How a session ended. */
type Outcome = { readonly kind: 'completed' | 'deferred' } | { readonly kind: 'failed'; readonly fault: Fault }

type Taken = { readonly id: string; readonly work: SessionWork; readonly offerHash: string }

/**
 * Takes the response to an authorization request from the browser of the holder: redeems the code once, and receives
 * the credentials as with an offer. The session ends with it, whatever the response is. [W-A2]
 *
 * @throws Fault `resource.unknown` if the user of the browser has no session with this `state`; nothing is changed
 *   then. `state.invalid` if the session was used or has expired
 */
export async function finishSession(platform: Platform, visitor: Visitor, query: URLSearchParams): Promise<Outcome> {
  const taken = await take(platform, visitor, query)
  const end = (outcome: Parameters<typeof endIssuanceSession>[2]) =>
    platform.store.single(visitor.tenantId, (tx) => endIssuanceSession(tx, taken.id, outcome, platform.clock.now()))
  let run: OrderRun | null = null
  try {
    run = await redeemCode(platform, { ...visitor, deliveryId: null }, taken, query)
    const { credentials, deferred } = await receiveOrder(platform, run)
    const status = deferred.length > 0 ? 'deferred' : 'completed'
    await end({ status, credentialIds: idsOf(credentials), error: null })
    return { kind: status }
  } catch (error) {
    // a job resumes what was ordered
    if (run !== null && isTransientFault(error)) {
      await end({ status: 'deferred', credentialIds: [], error: null })
      return { kind: 'deferred' }
    }
    const fault = error instanceof Fault ? error : new Fault('server.unexpected', { cause: error })
    await end({ status: 'failed', credentialIds: [], error: deliveryErrorOf(fault) })
    if (!(error instanceof Fault)) throw error
    return { kind: 'failed', fault }
  }
}

/**
 * Returns how a session of the visitor ended that was finished before: the page that said so may not have arrived.
 * null: it has not ended with a result, or is not the visitor's.
 */
export async function findEnding(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId, userId }: Visitor,
  query: URLSearchParams,
): Promise<'completed' | 'deferred' | 'failed' | null> {
  const secret = readBearerSecret(query.get('state') ?? '')
  if (secret === null || secret.tenantId !== tenantId) return null
  const isOurs = await store.single(tenantId, (tx) => isSessionOf(tx, { id: secret.id, hash: secret.hash, userId }))
  const found = isOurs
    ? await store.single(tenantId, (tx) => findIssuanceSession(tx, userId, secret.id, clock.now()))
    : null
  const status = found?.status
  return status === 'completed' || status === 'deferred' || status === 'failed' ? status : null
}

async function take({ store, sealing, clock }: Platform, visitor: Visitor, query: URLSearchParams): Promise<Taken> {
  const { tenantId, userId } = visitor
  const [state = '', ...others] = query.getAll('state')
  const secret = others.length === 0 ? readBearerSecret(state) : null
  if (secret === null || secret.tenantId !== tenantId) throw new Fault('resource.unknown')
  const callback = { id: secret.id, hash: secret.hash, userId }
  const taken = await store.single(tenantId, (tx) => takeSession(tx, callback, clock.now()))
  if (taken !== null) {
    const work = await sealedWork.open(sealing, tenantId, secret.id, taken.sealedWork)
    return { id: secret.id, work, offerHash: taken.offerHash }
  }
  const isOurs = await store.single(tenantId, (tx) => isSessionOf(tx, callback))
  throw new Fault(isOurs ? 'state.invalid' : 'resource.unknown')
}

/**
 * Redeems the code of a response.
 *
 * @throws Fault `authorization_response.invalid`, `offer.unusable`, `issuer_answer.invalid`, `upstream.*`
 */
async function redeemCode(
  platform: Platform,
  holder: Holder,
  { work, offerHash }: Taken,
  query: URLSearchParams,
): Promise<OrderRun> {
  const { client: known, issuer, configurations, sendsIss, codeVerifier } = work
  const response = readAuthorizationResponse(query, { issuer: known.server, sendsIss })
  if ('error' in response) {
    const detail = response.error === 'access_denied' ? 'The authorization was denied at the issuer.' : undefined
    const errorDescription = response.description
    const upstream = { error: response.error, ...(errorDescription !== null && { errorDescription }) }
    throw new Fault('offer.unusable', {
      detail: detail ?? withError('The authorization server of the issuer refused the request.', response.error),
      meta: { upstream },
    })
  }
  const form = {
    grant_type: 'authorization_code',
    code: response.code,
    code_verifier: codeVerifier,
    redirect_uri: `${platform.urls.publicUrl}${ISSUANCE_CALLBACK_PATH}`,
  }
  const peer = { ...platform, tenantId: holder.tenantId }
  const { answer, client } = await sendAsClient(peer, known, known.tokenEndpoint, form)
  if (!isOk(answer)) throw upstreamRefusal(answer, 'offer.unusable', 'The issuer does not redeem the code.')
  const token = readTokenResponse(jsonOf(answer, 'issuer_answer.invalid'), client.usesDpop)
  return placeOrder(platform, holder, orderOf(issuer, configurations, token, { client, offerHash }))
}

function idsOf(credentials: Accepted['credentials']): string[] {
  return credentials.map(({ id }) => id)
}
