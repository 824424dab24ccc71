import type { Caller } from '../../caller.ts'
import type { SessionBody } from '../../contract/wallet/issuance-sessions.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import { thumbprint } from '../../crypto/jwk.ts'
import { randomToken } from '../../crypto/random.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import { makeBearerSecret } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { buildAuthorizationRequest } from '../../protocols/openid4vci/authorization-request.ts'
import type { ServerMetadata } from '../../protocols/openid4vci/server-metadata.ts'
import { holderOf } from '../credentials/holder.ts'
import { type GrantClient, grantClientFor } from '../issuer-access/grant-client.ts'
import { keyOf } from '../issuer-access/send-protected.ts'
import { refuseUnprovable } from '../offers/check-grant.ts'
import { type FetchedOffer, fetchOffer, fetchOffered, fetchServerMetadata } from '../offers/fetch-offer.ts'
import { offerHashOf, orderedIssuerOf } from '../offers/order.ts'
import { offerTerms } from '../offers/resolve-offer.ts'
import { authorizationAddress } from './authorization-address.ts'
import { refuseUnsecuredFlow } from './secured-flow.ts'
import { ISSUANCE_CALLBACK_PATH, sealedWork } from './session.ts'
import { insertIssuanceSession } from './session-store.ts'

const SESSION_MS = 15 * 60_000
const CODE_GRANT = 'authorization_code'

/**
 * Creates a session in which the holder signs in at an issuer, for an offer or without one. All that can be refused is
 * refused before the holder opens the address. [W-A1]
 *
 * @throws Fault `holder.missing`, `request.invalid`, `offer.*`, `issuer.untrusted`, `issuer_metadata.invalid`,
 *   `upstream.*`, and `state.invalid` if the user has 20 open sessions
 * @see [OpenID4VCI 1.0, 5](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-authorization-endpoint)
 */
export async function createSession(platform: Platform, caller: Caller, body: SessionBody, id: string): Promise<void> {
  const owner = { ...caller, userId: holderOf(caller) }
  const peer = { ...platform, tenantId: caller.tenantId }
  const fetched = await fetchIssuer(platform, owner, body)
  const { offer, metadata, configurations } = fetched
  refuseUnprovable(metadata, configurations)
  const hint = offer.authorizationCode?.authorizationServer ?? null
  const server = await fetchServerMetadata(peer, metadata, hint, CODE_GRANT)
  const { holding } = await findPolicyOf(platform, caller.tenantId)
  if (holding.requiresSecuredFlow) refuseUnsecuredFlow(metadata, server, configurations)
  const client = grantClientFor(platform, server, false, holding.authenticates)
  const secret = makeBearerSecret(caller.tenantId, id)
  const codeVerifier = randomToken(32)
  const request = requestFor(platform, fetched, client, { state: secret.text, codeVerifier })
  const now = platform.clock.now()
  const expiresAt = new Date(now.getTime() + SESSION_MS)
  const address = await authorizationAddress(peer, client, { ...server, endpoint: endpointOf(server) }, request)
  const work = {
    authorizationUrl: address.url,
    openBefore: new Date(Math.min(expiresAt.getTime(), address.expiresAt.getTime())).toISOString(),
    issuer: orderedIssuerOf(metadata),
    client: address.client,
    configurations,
    sendsIss: server.sendsIss,
    codeVerifier,
  }
  const row = {
    id,
    userId: owner.userId,
    stateHash: secret.hash,
    expiresAt,
    credentialIssuer: metadata.credentialIssuer,
    // a refusal for lack of trust is resumed by a repetition of the offer
    offerHash: offerHashOf(body.credentialOffer ?? `issuance-session:${id}`),
    sealedWork: await sealedWork.seal(platform.sealing, caller.tenantId, id, work),
  }
  if (!(await platform.store.single(caller.tenantId, (tx) => insertIssuanceSession(tx, row, now))))
    throw new Fault('state.invalid', { detail: 'The user has 20 open issuance sessions.' })
}

async function fetchIssuer(
  platform: Platform,
  owner: Parameters<typeof offerTerms>[1],
  { credentialOffer, credentialIssuer, credentialConfigurationIds }: SessionBody,
): Promise<FetchedOffer> {
  const isWhole = (credentialIssuer === undefined) === (credentialConfigurationIds === undefined)
  if (!isWhole || (credentialOffer === undefined) === (credentialIssuer === undefined)) {
    const detail = 'Send either credentialOffer, or credentialIssuer and credentialConfigurationIds.'
    throw new Fault('request.invalid', { violations: [{ detail, pointer: '/credentialOffer' }] })
  }
  const terms = await offerTerms(platform, owner)
  const peer = { ...platform, tenantId: owner.tenantId }
  if (credentialOffer === undefined)
    return fetchOffered(peer, credentialIssuer ?? '', credentialConfigurationIds ?? [], terms)
  const fetched = await fetchOffer(peer, credentialOffer, terms)
  if (fetched.offer.authorizationCode !== null) return fetched
  throw new Fault('offer.unusable', { detail: 'The offer needs no sign-in: redeem it with POST /v2/credentials.' })
}

function requestFor(
  { urls }: Pick<Platform, 'urls'>,
  { offer, metadata, configurations }: FetchedOffer,
  client: GrantClient,
  { state, codeVerifier }: { readonly state: string; readonly codeVerifier: string },
): URLSearchParams {
  const ask = {
    clientId: urls.publicUrl,
    redirectUri: `${urls.publicUrl}${ISSUANCE_CALLBACK_PATH}`,
    state,
    codeChallenge: sha256Base64url(codeVerifier),
    issuerState: offer.authorizationCode?.issuerState ?? null,
    credentialIssuer: metadata.credentialIssuer,
    hasServers: metadata.authorizationServers !== null,
    dpopJkt: client.usesDpop ? thumbprint(keyOf(client.key).publicJwk) : null,
  }
  return buildAuthorizationRequest(ask, configurations)
}

function endpointOf({ authorizationEndpoint, grantTypes, acceptsS256 }: ServerMetadata): string {
  if (authorizationEndpoint === null || !grantTypes.includes(CODE_GRANT))
    throw new Fault('offer.unusable', { detail: 'The authorization server of the issuer has no code flow.' })
  if (acceptsS256) return authorizationEndpoint
  throw new Fault('offer.unusable', { detail: 'The authorization server does not accept S256 code challenges.' })
}
