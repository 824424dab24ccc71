import { Fault } from '../../fault.ts'
import type { OutboundAnswer, Platform } from '../../platform.ts'
import { providerConfigurationUrl } from '../../protocols/oauth2/provider-configuration-url.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import {
  type CredentialOffer,
  type OfferState,
  PRE_AUTHORIZED_GRANT,
  readOffer,
  readOfferInput,
  readOfferState,
} from '../../protocols/openid4vci/credential-offer.ts'
import {
  authorizationServersFor,
  type IssuerMetadata,
  pickConfigurations,
  readIssuerMetadata,
} from '../../protocols/openid4vci/issuer-metadata.ts'
import { readServerMetadata, type ServerMetadata } from '../../protocols/openid4vci/server-metadata.ts'
import { draftMetadataUrl, wellKnownUrl } from '../../protocols/openid4vci/well-known.ts'
import { bytesMax, isOk, jsonOf, type OutboundPeer, peersOf, upstreamRefusal } from '../credentials/upstream.ts'
import type { MetadataVerifier } from '../issuer-access/signed-metadata.ts'

/** An offer with the metadata of its issuer. Nothing of the offer was consumed; nothing of it is verified. */
export type FetchedOffer = {
  readonly offer: CredentialOffer
  readonly metadata: IssuerMetadata
  /** The offered configurations that this wallet supports, at least one. */
  readonly configurations: readonly Configuration[]
  /**
   * When the offer ends, as its server states with `Sunset`; null: it does not state it, or the offer came by value.
   */
  readonly expiresAt: Date | null
  /** A wallet took it already, as an issuer of this deployment says it. */
  readonly isTaken: boolean
}

/** The formats and issuers that a wallet accepts. */
export type OfferTerms = {
  readonly refuse: (credentialIssuer: string) => Promise<void>
  readonly refuseFormats: (credentialIssuer: string, formats: readonly string[]) => Promise<void>
  readonly formats: readonly string[]
  /** Verifies signed metadata; null: plain metadata are requested. */
  readonly verifySigned: MetadataVerifier | null
  /** `Accept-Language` for the metadata of the issuer, e.g. `fr-CA, en;q=0.5`; malformed ones are not sent. */
  readonly languages?: string | undefined
}

type OfferPeer = OutboundPeer & Pick<Platform, 'urls'>

const SERVERS_MAX = 4
const LANGUAGES = /^[A-Za-z0-9,;=.*\- ]{1,200}$/
const accept = ['application/json']
const SIGNED = 'application/jwt'

/**
 * Fetches an offer in any form and the metadata of its issuer. Only GET requests: nothing is consumed.
 *
 * @param terms `refuse` throws if the wallet does not accept this Credential Issuer; until then only the offer itself
 *   is fetched. `refuseFormats` throws if it could not verify one of these formats. `formats`: identifiers of
 *   OpenID4VCI that it accepts.
 * @throws Fault what the terms throw, `offer.malformed`, `offer.unusable`, `offer.format`, `issuer_metadata.invalid`,
 *   `upstream.*`
 * @see [OpenID4VCI 1.0, 4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-offer-endpoint)
 */
export async function fetchOffer(
  platform: OfferPeer,
  credentialOffer: string,
  terms: OfferTerms,
): Promise<FetchedOffer> {
  const { offer, expiresAt, isTaken } = await offerByUri(platform, credentialOffer)
  return { ...(await withMetadata(platform, offer, terms)), expiresAt, isTaken }
}

/**
 * Fetches the metadata of an issuer without an offer, for the code flow.
 *
 * @throws Fault as {@link fetchOffer}
 */
export function fetchOffered(
  platform: OutboundPeer,
  credentialIssuer: string,
  configurationIds: readonly string[],
  terms: OfferTerms,
): Promise<FetchedOffer> {
  // checked like an offer that names them
  const offer = readOffer(
    { credential_issuer: credentialIssuer, credential_configuration_ids: configurationIds },
    peersOf(platform),
  )
  return withMetadata(platform, offer, terms)
}

async function withMetadata(platform: OutboundPeer, offer: CredentialOffer, terms: OfferTerms): Promise<FetchedOffer> {
  await terms.refuse(offer.credentialIssuer)
  const metadata = await fetchIssuerMetadata(platform, offer.credentialIssuer, terms)
  const configurations = supportedOf(metadata, offer.configurationIds, terms.formats)
  const offered = configurations.map(({ format }) => format)
  await terms.refuseFormats(offer.credentialIssuer, offered)
  return { offer, metadata, configurations, expiresAt: null, isTaken: false }
}

/**
 * Fetches the metadata of the authorization server for a grant.
 *
 * @param hint `authorization_server` of the grant, or null.
 * @throws Fault `issuer_metadata.invalid`, `upstream.*`
 */
export async function fetchServerMetadata(
  platform: OutboundPeer,
  metadata: IssuerMetadata,
  hint: string | null,
  grantType: string = PRE_AUTHORIZED_GRANT,
): Promise<ServerMetadata> {
  // [W-M5] the hint must be one of those listed
  const servers = authorizationServersFor(metadata, hint).slice(0, SERVERS_MAX)
  for (const server of servers) {
    const found = await fetchServer(platform, server)
    if (servers.length === 1 || found.grantTypes.includes(grantType)) return found
  }
  throw new Fault('issuer_metadata.invalid', { detail: 'No authorization server of the issuer redeems this offer.' })
}

async function offerByUri(
  platform: OfferPeer,
  credentialOffer: string,
): Promise<Pick<FetchedOffer, 'offer' | 'expiresAt' | 'isTaken'>> {
  const input = readOfferInput(credentialOffer, peersOf(platform))
  if ('offer' in input) return { offer: input.offer, expiresAt: null, isTaken: false }
  // [W-O2] application/json, 64 KiB, no redirects
  const answer = await platform.fetch(platform.tenantId, input.offerUri, { accept, bytesMax: bytesMax.offer })
  // What another deployment says about itself beside the protocol is not read.
  const state = ownIssuerOf(platform, input.offerUri) === null ? null : readOfferState(answer)
  if (!isOk(answer)) {
    const meta = state === null ? {} : { offer: { state } }
    throw upstreamRefusal(answer, 'offer.unusable', 'The offer was not found at its address.', meta)
  }
  const offer = readOffer(jsonOf(answer, 'offer.malformed'), peersOf(platform))
  return { offer, expiresAt: sunsetOf(answer), isTaken: state === 'taken' }
}

/**
 * Returns the Credential Issuer of this deployment that an address belongs to; null for any other address. That it
 * exists is NOT checked.
 */
export function ownIssuerOf({ urls }: Pick<Platform, 'urls'>, address: string): string | null {
  const url = URL.parse(address)
  const [, slug] = /^\/issuers\/([a-z0-9-]{1,63})(?:\/|$)/.exec(url?.pathname ?? '') ?? []
  return slug === undefined || url?.origin !== new URL(urls.publicUrl).origin ? null : urls.issuer(slug)
}

/**
 * Returns what the link of an offer of this deployment tells about it; null for an offer by value or of others, or
 * where it does not tell.
 */
export async function offerStateAt(platform: OfferPeer, credentialOffer: string): Promise<OfferState | null> {
  const input = readOfferInput(credentialOffer, peersOf(platform))
  if ('offer' in input || ownIssuerOf(platform, input.offerUri) === null) return null
  return readOfferState(await platform.fetch(platform.tenantId, input.offerUri, { accept, bytesMax: bytesMax.offer }))
}

/** @see [RFC 8594, 3](https://www.rfc-editor.org/rfc/rfc8594#section-3) */
function sunsetOf({ headers }: Pick<OutboundAnswer, 'headers'>): Date | null {
  const at = new Date(headers.sunset ?? '')
  return Number.isNaN(at.getTime()) ? null : at
}

/** Fetches the metadata of an issuer. @throws Fault `issuer_metadata.invalid`, `upstream.*` */
export async function fetchIssuerMetadata(
  platform: OutboundPeer,
  issuer: string,
  { languages = '', verifySigned }: Pick<OfferTerms, 'languages' | 'verifySigned'>,
): Promise<IssuerMetadata> {
  // [W-M1] the well-known part goes between host and path
  const url = wellKnownUrl(issuer, 'openid-credential-issuer')
  // OpenID4VCI 1.0, 12.2.2: the issuer may filter what it displays
  const headers = LANGUAGES.test(languages) ? { 'accept-language': languages } : {}
  const types = verifySigned === null ? accept : [SIGNED, ...accept]
  const read = (address: string) =>
    platform.fetch(platform.tenantId, address, { accept: types, headers, bytesMax: bytesMax.metadata })
  const found = await read(url)
  const older = draftMetadataUrl(issuer)
  // [W-M2] whichever address has them, they must name the issuer
  const answer = found.status === 404 && older !== url ? await read(older) : found
  if (!isOk(answer))
    throw upstreamRefusal(answer, 'issuer_metadata.invalid', 'The issuer has no metadata at its address.')
  const isSigned = verifySigned !== null && answer.contentType === SIGNED
  const document = isSigned
    ? await verifySigned(answer.body.toString('latin1').trim(), issuer)
    : jsonOf(answer, 'issuer_metadata.invalid')
  return readIssuerMetadata(document, issuer, peersOf(platform))
}

async function fetchServer(platform: OutboundPeer, server: string): Promise<ServerMetadata> {
  const read = (url: string) => platform.fetch(platform.tenantId, url, { accept, bytesMax: bytesMax.metadata })
  const found = await read(wellKnownUrl(server, 'oauth-authorization-server'))
  // RFC 8414 5: servers of OpenID Connect may have the same document at the address of that only
  const answer = found.status === 404 ? await read(providerConfigurationUrl(server)) : found
  if (!isOk(answer))
    throw upstreamRefusal(answer, 'issuer_metadata.invalid', 'The authorization server has no metadata.')
  return readServerMetadata(jsonOf(answer, 'issuer_metadata.invalid'), server, peersOf(platform))
}

function supportedOf(
  metadata: IssuerMetadata,
  ids: readonly string[],
  formats: readonly string[],
): readonly Configuration[] {
  const offered = ids.flatMap((id) => metadata.configurations.get(id) ?? [])
  // [W-M4] unsupported formats are skipped; if none is left the offer is refused before anything is consumed
  if (offered.length === ids.length && !offered.some((one) => formats.includes(one.format))) {
    const found = [...new Set(offered.map((one) => one.format))].slice(0, 8)
    throw new Fault('offer.format', { meta: { formats: found } })
  }
  return pickConfigurations(metadata, ids, formats)
}
