import { isJsonObject } from '../../crypto/json.ts'
import type { KeyPair } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import type { OutboundAnswer, Platform } from '../../platform.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import { PRE_AUTHORIZED_GRANT } from '../../protocols/openid4vci/credential-offer.ts'
import { buildCredentialRequest } from '../../protocols/openid4vci/credential-request.ts'
import { type CredentialResponse, readCredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import { readTokenResponse, type TokenResponse } from '../../protocols/openid4vci/token-response.ts'
import { isText } from '../../protocols/shape.ts'
import {
  bytesMax,
  errorCodeOf,
  isOk,
  jsonOf,
  type OutboundPeer,
  upstreamOf,
  upstreamRefusal,
} from '../credentials/upstream.ts'
import { type GrantClient, sendAsClient } from '../issuer-access/grant-client.ts'
import { keepServerNonce } from '../issuer-access/server-nonces.ts'
import { buildProofs } from './build-proofs.ts'
import { callIssuer } from './call-issuer.ts'
import type { Dataset, OpenOrder, Order } from './order.ts'

const json = ['application/json']

/** The credentials that an issuer sent for one dataset, and the proved keys. Nothing of it is verified. */
export type Received = {
  readonly configuration: Configuration
  readonly raws: readonly string[]
  readonly keys: readonly KeyPair[]
  readonly notificationId: string | null
}

type Needs = OutboundPeer & Pick<Platform, 'clock' | 'urls' | 'keys' | 'store'>

/**
 * Redeems a pre-authorized code. From here on the offer is consumed.
 *
 * @returns the token, and the client that the server accepted.
 * @throws Fault `offer.unusable` with the server's own error in `meta.upstream`; `issuer_answer.invalid`, `upstream.*`
 * @see [OpenID4VCI 1.0, 6](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-token-endpoint)
 */
export async function requestToken(
  platform: Needs,
  client: GrantClient,
  code: string,
  txCode: string | null,
): Promise<{ readonly token: TokenResponse; readonly client: GrantClient }> {
  const form = {
    grant_type: PRE_AUTHORIZED_GRANT,
    'pre-authorized_code': code,
    ...(txCode !== null && { tx_code: txCode }),
  }
  const { answer, client: accepted } = await sendAsClient(platform, client, client.tokenEndpoint, form)
  const isOurs = client.server.startsWith(`${platform.urls.publicUrl}/`)
  if (!isOk(answer)) throw notRedeemed(answer, txCode, isOurs)
  return { token: readTokenResponse(jsonOf(answer, 'issuer_answer.invalid'), client.usesDpop), client: accepted }
}

/**
 * Says why a code was not redeemed, in words and as `meta.txCode`; our own issuer states how many attempts are left.
 */
function notRedeemed(answer: OutboundAnswer, txCode: string | null, isOurs: boolean): Fault {
  const { errorDescription, triesLeft } = upstreamOf(answer)
  if (txCode === null || errorCodeOf(answer) !== 'invalid_grant')
    return upstreamRefusal(answer, 'offer.unusable', 'The issuer does not redeem the offer (any more).')
  const detail =
    'The issuer does not redeem the offer: the transaction code may be wrong, or the offer was used or has expired.'
  const said = isOurs && errorDescription !== undefined ? `${detail} ${errorDescription}` : detail
  const meta = { txCode: isOurs && triesLeft !== undefined ? { triesLeft } : {} }
  // A repetition must not cost one more of the few attempts.
  return upstreamRefusal(answer, 'offer.unusable', said, meta, true)
}

/**
 * Requests the credentials that are not issued yet, one request for each dataset [W-C4]. May be repeated: the keys are
 * those of the order.
 *
 * @throws Fault `offer.unusable`, `issuer_answer.invalid`, `upstream.*`
 * @see [OpenID4VCI 1.0, 8](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-endpoint) and [9](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-deferred-credential-endpoin)
 */
export async function fetchCredentials(platform: Needs, open: OpenOrder): Promise<void> {
  const nonces = nonceSource(platform, open.order)
  for (const [at, dataset] of open.order.datasets.entries()) {
    const answer = await fetchDataset(platform, open, dataset, nonces)
    open.order = { ...open.order, datasets: open.order.datasets.with(at, { ...dataset, answer }) }
  }
}

/** Returns the credentials of an order that were issued. */
export function receivedOf({ datasets }: Order): readonly Received[] {
  return datasets.flatMap(({ configuration, keys, answer }) =>
    answer?.kind === 'issued'
      ? { configuration, keys, raws: answer.credentials, notificationId: answer.notificationId }
      : [],
  )
}

async function fetchDataset(
  platform: Needs,
  open: OpenOrder,
  dataset: Dataset,
  nonces: NonceSource,
): Promise<CredentialResponse> {
  const { keys, answer: previous } = dataset
  if (previous?.kind === 'issued' || (previous !== null && !open.order.isDeferred)) return previous
  const answer =
    previous === null ? await requestWithProofs(platform, open, dataset, nonces) : await poll(platform, open, previous)
  // the answer to a poll in the drafts of OpenID4VCI up to 15
  if (previous !== null && errorCodeOf(answer) === 'issuance_pending') return previous
  if (!isOk(answer)) throw upstreamRefusal(answer, 'offer.unusable', 'The issuer does not issue the credential.')
  const response = readCredentialResponse(jsonOf(answer, 'issuer_answer.invalid'), keys.length)
  if (response.kind === 'deferred' && open.order.deferredEndpoint === null) {
    const detail = 'The issuer defers the credential, but has no deferred credential endpoint.'
    throw new Fault('issuer_answer.invalid', { detail })
  }
  return response
}

async function requestWithProofs(platform: Needs, open: OpenOrder, dataset: Dataset, nonces: NonceSource) {
  const answer = await requestDataset(platform, open, dataset, await nonces.current())
  // [W-C1] an expired nonce is replaced once
  if (errorCodeOf(answer) !== 'invalid_nonce' || open.order.nonceEndpoint === null) return answer
  return requestDataset(platform, open, dataset, await nonces.next())
}

function poll(platform: Needs, open: OpenOrder, { transactionId }: CredentialResponse & { kind: 'deferred' }) {
  return callIssuer(platform, open, open.order.deferredEndpoint ?? '', { transaction_id: transactionId })
}

async function requestDataset(
  platform: Needs,
  open: OpenOrder,
  dataset: Dataset,
  nonce: string | null,
): Promise<OutboundAnswer> {
  const { configuration, credentialIdentifier } = dataset
  const proofs = await buildProofs(platform, open.order, dataset, nonce)
  const id = credentialIdentifier === null ? { configurationId: configuration.id } : { credentialIdentifier }
  return callIssuer(platform, open, open.order.credentialEndpoint, buildCredentialRequest(id, proofs))
}

type NonceSource = { readonly current: () => Promise<string | null>; readonly next: () => Promise<string | null> }

/** [W-C1] Fetches a `c_nonce` right before its first use, and uses it until the issuer requires a new one. */
function nonceSource(platform: Needs, { nonceEndpoint }: Order): NonceSource {
  let nonce: Promise<string | null> | null = null
  const next = () => {
    nonce = nonceEndpoint === null ? Promise.resolve(null) : fetchNonce(platform, nonceEndpoint)
    return nonce
  }
  return { current: () => nonce ?? next(), next }
}

async function fetchNonce(platform: Needs, nonceEndpoint: string): Promise<string> {
  const answer = await platform.fetch(platform.tenantId, nonceEndpoint, {
    method: 'POST',
    accept: json,
    bytesMax: bytesMax.nonce,
  })
  // [HAIP-2] the nonce endpoint may send a nonce for DPoP too
  keepServerNonce(platform, nonceEndpoint, answer)
  if (!isOk(answer)) throw upstreamRefusal(answer, 'offer.unusable', 'The issuer sends no nonce.')
  const value = jsonOf(answer, 'issuer_answer.invalid')
  const nonce = isJsonObject(value) ? value.c_nonce : undefined
  if (!isText(nonce, 1024)) throw new Fault('issuer_answer.invalid', { detail: 'The nonce response has no c_nonce.' })
  return nonce
}
