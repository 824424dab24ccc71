import { isJsonObject } from '../../crypto/json.ts'
import type { KeyPair } from '../../crypto/jwk.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import type { OutboundAnswer, Platform } from '../../platform.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import { PRE_AUTHORIZED_GRANT } from '../../protocols/openid4vci/credential-offer.ts'
import { buildCredentialRequest } from '../../protocols/openid4vci/credential-request.ts'
import { type CredentialResponse, readCredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import { buildJwtProof } from '../../protocols/openid4vci/jwt-proof.ts'
import type { ServerMetadata } from '../../protocols/openid4vci/server-metadata.ts'
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
import type { Dataset, OpenOrder, Order } from './order.ts'

const json = ['application/json']

/** The credentials that an issuer sent for one dataset, and the proved keys. Nothing of it is verified. */
export type Received = {
  readonly configuration: Configuration
  readonly raws: readonly string[]
  readonly keys: readonly KeyPair[]
  readonly notificationId: string | null
}

/** The token of a redeemed code. */
type Access = { readonly token: TokenResponse; readonly clientId: string | null }

type Needs = OutboundPeer & Pick<Platform, 'clock' | 'urls'>

/**
 * Redeems a pre-authorized code. From here on the offer is consumed.
 *
 * @throws Fault `offer.unusable` with the server's own error in `meta.upstream`; `issuer_answer.invalid`, `upstream.*`
 * @see [OpenID4VCI 1.0, 6](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-token-endpoint)
 */
export async function requestToken(
  { fetch, urls }: Needs,
  server: ServerMetadata,
  code: string,
  txCode: string | null,
): Promise<Access> {
  // [W-A3] a server without anonymous access gets a client_id that is the same for all users [W-I1]
  const clientId = server.anonymousAccess ? null : urls.publicUrl
  const form = new URLSearchParams({ grant_type: PRE_AUTHORIZED_GRANT, 'pre-authorized_code': code })
  if (txCode !== null) form.set('tx_code', txCode)
  if (clientId !== null) form.set('client_id', clientId)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = { method: 'POST', headers, body: form.toString(), accept: json, bytesMax: bytesMax.token } as const
  const answer = await fetch(server.tokenEndpoint, request)
  if (!isOk(answer))
    throw upstreamRefusal(
      answer,
      'offer.unusable',
      refusalText(answer, txCode, server.issuer.startsWith(`${urls.publicUrl}/`)),
    )
  return { token: readTokenResponse(jsonOf(answer, 'issuer_answer.invalid'), false), clientId }
}

/** Returns why a code was not redeemed; our own issuer states how many attempts are left. */
function refusalText(answer: OutboundAnswer, txCode: string | null, isOurs: boolean): string {
  const { errorDescription } = upstreamOf(answer)
  if (txCode === null || errorCodeOf(answer) !== 'invalid_grant')
    return 'The issuer does not redeem the offer (any more).'
  const detail =
    'The issuer does not redeem the offer: the transaction code may be wrong, or the offer was used or has expired.'
  return isOurs && errorDescription !== undefined ? `${detail} ${errorDescription}` : detail
}

/**
 * Requests the credentials that are not issued yet, one request for each dataset [W-C4]. May be repeated: the keys are those of the order.
 *
 * @throws Fault `offer.unusable`, `issuer_answer.invalid`, `upstream.*`
 * @see [OpenID4VCI 1.0, 8](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-endpoint) and [9](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-deferred-credential-endpoin)
 */
export async function fetchCredentials(platform: Needs, open: OpenOrder): Promise<void> {
  const nonces = nonceSource(platform, open.order)
  for (const [at, dataset] of open.order.datasets.entries()) {
    const answer = await fetchDataset(platform, open.order, dataset, nonces)
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
  order: Order,
  dataset: Dataset,
  nonces: NonceSource,
): Promise<CredentialResponse> {
  const { keys, answer: previous } = dataset
  if (previous?.kind === 'issued' || (previous !== null && !order.isDeferred)) return previous
  const answer =
    previous === null
      ? await requestWithProofs(platform, order, dataset, nonces)
      : await poll(platform, order, previous)
  if (!isOk(answer)) throw upstreamRefusal(answer, 'offer.unusable', 'The issuer does not issue the credential.')
  const response = readCredentialResponse(jsonOf(answer, 'issuer_answer.invalid'), keys.length)
  if (response.kind === 'deferred' && order.deferredEndpoint === null) {
    const detail = 'The issuer defers the credential, but has no deferred credential endpoint.'
    throw new Fault('issuer_answer.invalid', { detail })
  }
  return response
}

async function requestWithProofs(platform: Needs, order: Order, dataset: Dataset, nonces: NonceSource) {
  const answer = await requestDataset(platform, order, dataset, await nonces.current())
  // [W-C1] an expired nonce is replaced once
  if (errorCodeOf(answer) !== 'invalid_nonce' || order.nonceEndpoint === null) return answer
  return requestDataset(platform, order, dataset, await nonces.next())
}

function poll(platform: Needs, order: Order, { transactionId }: CredentialResponse & { kind: 'deferred' }) {
  return post(platform, order.deferredEndpoint ?? '', order, { transaction_id: transactionId })
}

async function requestDataset(
  platform: Needs,
  order: Order,
  { configuration, credentialIdentifier, keys }: Dataset,
  nonce: string | null,
): Promise<OutboundAnswer> {
  const now = platform.clock.now()
  // [W-C3] `aud` is the issuer identifier
  const claims = { issuer: order.credentialIssuer, nonce, clientId: order.clientId }
  const proofs = await Promise.all(keys.map(({ privateKey }) => buildJwtProof(claims, softwareKey(privateKey), now)))
  const id = credentialIdentifier === null ? { configurationId: configuration.id } : { credentialIdentifier }
  return post(platform, order.credentialEndpoint, order, buildCredentialRequest(id, proofs))
}

function post({ fetch }: Needs, url: string, { accessToken, datasets }: Order, body: object): Promise<OutboundAnswer> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify(body),
    accept: json,
    bytesMax: bytesMax.credentials(Math.max(...datasets.map(({ keys }) => keys.length))),
  })
}

type NonceSource = { readonly current: () => Promise<string | null>; readonly next: () => Promise<string | null> }

/** [W-C1] Fetches a `c_nonce` right before its first use, and uses it until the issuer requires a new one. */
function nonceSource({ fetch }: Needs, { nonceEndpoint }: Order): NonceSource {
  let nonce: Promise<string | null> | null = null
  const next = () => {
    nonce = nonceEndpoint === null ? Promise.resolve(null) : fetchNonce(fetch, nonceEndpoint)
    return nonce
  }
  return { current: () => nonce ?? next(), next }
}

async function fetchNonce(fetch: Needs['fetch'], nonceEndpoint: string): Promise<string> {
  const answer = await fetch(nonceEndpoint, { method: 'POST', accept: json, bytesMax: bytesMax.nonce })
  if (!isOk(answer)) throw upstreamRefusal(answer, 'offer.unusable', 'The issuer sends no nonce.')
  const value = jsonOf(answer, 'issuer_answer.invalid')
  const nonce = isJsonObject(value) ? value.c_nonce : undefined
  if (!isText(nonce, 1024)) throw new Fault('issuer_answer.invalid', { detail: 'The nonce response has no c_nonce.' })
  return nonce
}
