import { isJsonObject } from '../crypto/json.ts'
import { generateKeyPair, type KeyPair } from '../crypto/jwk.ts'
import { softwareKey } from '../crypto/signing-key.ts'
import { Fault } from '../fault.ts'
import type { OutboundAnswer, Platform } from '../platform.ts'
import type { Configuration } from '../protocols/openid4vci/credential-configuration.ts'
import { PRE_AUTHORIZED_GRANT } from '../protocols/openid4vci/credential-offer.ts'
import { buildCredentialRequest } from '../protocols/openid4vci/credential-request.ts'
import { readCredentialResponse } from '../protocols/openid4vci/credential-response.ts'
import type { IssuerMetadata } from '../protocols/openid4vci/issuer-metadata.ts'
import { buildJwtProof } from '../protocols/openid4vci/jwt-proof.ts'
import type { ServerMetadata } from '../protocols/openid4vci/server-metadata.ts'
import { readTokenResponse, type TokenResponse } from '../protocols/openid4vci/token-response.ts'
import { isText } from '../protocols/shape.ts'
import { bytesMax, errorCodeOf, isOk, jsonOf, type Outward, refusalOf } from './upstream.ts'

/** How many copies of a credential a wallet asks for at most, however many the issuer would give. */
export const COPIES_MAX = 10
const DATASETS_MAX = 16
const json = ['application/json']

/** What an issuer sent for one dataset, and the keys that it was asked to bind. Nothing of it is verified. */
export type Received = {
  readonly configuration: Configuration
  readonly raws: readonly string[]
  readonly keys: readonly KeyPair[]
  readonly notificationId: string | null
}

/** A credential that the issuer will give later, for the same keys. */
export type Deferred = {
  readonly configuration: Configuration
  readonly keys: readonly KeyPair[]
  readonly transactionId: string
  readonly intervalSeconds: number
}

/** What an issuer gave, and what it will give. */
export type Fetched = { readonly received: readonly Received[]; readonly deferred: readonly Deferred[] }

/** A redeemed code: what may be fetched with it. */
export type Access = { readonly token: TokenResponse; readonly clientId: string | null }

type Needs = Outward & Pick<Platform, 'clock' | 'urls'>
type Dataset = { readonly configuration: Configuration; readonly credentialIdentifier: string | null }

/**
 * Redeems a pre-authorized code. From here on the offer is consumed.
 *
 * @throws Fault `offer.unusable` with the server's own error in `meta.upstream`; `issuer_answer.invalid`, `upstream.*`
 * @see [OpenID4VCI 1.0, 6](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-token-endpoint)
 */
export async function redeemCode(
  { fetch, urls }: Needs,
  server: ServerMetadata,
  code: string,
  txCode: string | null,
): Promise<Access> {
  // [W-A3] a server that wants to know the client is told the name of this wallet product, the same for all its users [W-I1]
  const clientId = server.anonymousAccess ? null : urls.publicUrl
  const form = new URLSearchParams({ grant_type: PRE_AUTHORIZED_GRANT, 'pre-authorized_code': code })
  if (txCode !== null) form.set('tx_code', txCode)
  if (clientId !== null) form.set('client_id', clientId)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = { method: 'POST', headers, body: form.toString(), accept: json, bytesMax: bytesMax.token } as const
  const answer = await fetch(server.tokenEndpoint, request)
  if (!isOk(answer)) throw refusalOf(answer, 'offer.unusable', 'The issuer does not redeem the offer (any more).')
  return { token: readTokenResponse(jsonOf(answer, 'issuer_answer.invalid'), false), clientId }
}

/**
 * Fetches the offered credentials: one request for each dataset, and in it a new key for each copy [W-C2].
 *
 * @throws Fault `offer.unusable`, `issuer_answer.invalid`, `upstream.*`
 * @see [OpenID4VCI 1.0, 8](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-endpoint)
 */
export async function fetchCredentials(
  platform: Needs,
  metadata: IssuerMetadata,
  configurations: readonly Configuration[],
  access: Access,
): Promise<Fetched> {
  const nonces = nonceSource(platform, metadata)
  const received: Received[] = []
  const deferred: Deferred[] = []
  // [W-C4] different datasets need separate requests
  for (const dataset of datasetsOf(configurations, access.token)) {
    const one = await fetchDataset(platform, metadata, dataset, access, nonces)
    if ('raws' in one) received.push(one)
    else deferred.push(one)
  }
  return { received, deferred }
}

function datasetsOf(configurations: readonly Configuration[], { credentialIdentifiers }: TokenResponse): Dataset[] {
  const datasets = configurations.flatMap((configuration): Dataset[] => {
    // [W-A4] the identifiers of the token response if there are any, else the configuration id
    if (credentialIdentifiers === null) return [{ configuration, credentialIdentifier: null }]
    const ids = credentialIdentifiers.get(configuration.id) ?? []
    return ids.map((credentialIdentifier) => ({ configuration, credentialIdentifier }))
  })
  if (datasets.length > 0 && datasets.length <= DATASETS_MAX) return datasets
  throw new Fault('issuer_answer.invalid', {
    detail: 'The token is for none of the offered credentials, or for too many.',
  })
}

async function fetchDataset(
  platform: Needs,
  metadata: IssuerMetadata,
  dataset: Dataset,
  access: Access,
  nonces: NonceSource,
): Promise<Received | Deferred> {
  const { configuration } = dataset
  const copies = configuration.proofAlgs === null ? 0 : Math.min(metadata.batchSizeMax, COPIES_MAX)
  const keys = Array.from({ length: copies }, generateKeyPair)
  let answer = await askFor(platform, metadata, dataset, access, keys, await nonces.current())
  // [W-C1] a nonce that ran out is replaced once
  if (errorCodeOf(answer) === 'invalid_nonce' && metadata.nonceEndpoint !== null) {
    answer = await askFor(platform, metadata, dataset, access, keys, await nonces.next())
  }
  if (!isOk(answer)) throw refusalOf(answer, 'offer.unusable', 'The issuer does not give the credential.')
  const response = readCredentialResponse(jsonOf(answer, 'issuer_answer.invalid'), keys.length)
  if (response.kind === 'issued') {
    return { configuration, raws: response.credentials, keys, notificationId: response.notificationId }
  }
  if (metadata.deferredEndpoint === null) {
    throw new Fault('issuer_answer.invalid', {
      detail: 'The issuer defers the credential, but has no endpoint for that.',
    })
  }
  return { configuration, keys, transactionId: response.transactionId, intervalSeconds: response.intervalSeconds }
}

async function askFor(
  { fetch, clock }: Needs,
  metadata: IssuerMetadata,
  { configuration, credentialIdentifier }: Dataset,
  { token, clientId }: Access,
  keys: readonly KeyPair[],
  nonce: string | null,
): Promise<OutboundAnswer> {
  const now = clock.now()
  // [W-C3] `aud` is the issuer identifier
  const ask = { issuer: metadata.credentialIssuer, nonce, clientId }
  const proofs = keys.map(({ privateKey }) => buildJwtProof(ask, softwareKey(privateKey), now))
  const id = credentialIdentifier === null ? { configurationId: configuration.id } : { credentialIdentifier }
  return fetch(metadata.credentialEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token.accessToken}` },
    body: JSON.stringify(buildCredentialRequest(id, proofs)),
    accept: json,
    bytesMax: bytesMax.credentials,
  })
}

type NonceSource = { readonly current: () => Promise<string | null>; readonly next: () => Promise<string | null> }

/** [W-C1] A `c_nonce` is fetched right before the first use and used until the issuer wants a new one. */
function nonceSource({ fetch }: Needs, { nonceEndpoint }: IssuerMetadata): NonceSource {
  let nonce: Promise<string | null> | null = null
  const next = () => {
    nonce = nonceEndpoint === null ? Promise.resolve(null) : fetchNonce(fetch, nonceEndpoint)
    return nonce
  }
  return { current: () => nonce ?? next(), next }
}

async function fetchNonce(fetch: Needs['fetch'], nonceEndpoint: string): Promise<string> {
  const answer = await fetch(nonceEndpoint, { method: 'POST', accept: json, bytesMax: bytesMax.nonce })
  if (!isOk(answer)) throw refusalOf(answer, 'offer.unusable', 'The issuer gives no nonce.')
  const value = jsonOf(answer, 'issuer_answer.invalid')
  const nonce = isJsonObject(value) ? value.c_nonce : undefined
  if (!isText(nonce, 1024)) throw new Fault('issuer_answer.invalid', { detail: 'The nonce response has no c_nonce.' })
  return nonce
}
