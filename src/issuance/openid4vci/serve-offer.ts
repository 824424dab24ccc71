import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { buildOffer, offerLink } from '../../protocols/openid4vci/build-offer.ts'
import { DEFAULT_OFFER_SCHEME, type OfferScheme, offerSchemes } from '../../protocols/openid4vci/credential-offer.ts'
import { offerUriOf } from '../issuances/issuance-view.ts'
import { offerToken, readOfferToken } from '../offers/offer-codes.ts'
import { nameIn, txCodeOf } from '../templates/template.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { findOffer, findOfferEnd } from './redemption-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

/**
 * Returns the credential offer of a link, when it ends and whether a wallet took it, any number of times until the
 * offer ends. [VCI-O7]
 *
 * @throws Fault `resource.unknown`; with `meta.offerState` for a link of this tenant whose offer has ended. Who has no
 *   such link learns nothing.
 * @see [OpenID4VCI 1.0, 4.1.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-sending-credential-offer-by-r)
 */
export async function serveOffer(
  needs: Needs,
  tenant: Tenant,
  token: string,
  language: string,
): Promise<{
  readonly offer: object
  readonly expiresAt: Date
  readonly isTaken: boolean
  readonly scheme: OfferScheme
  /** What the credential is called, in the language. */
  readonly name: string
}> {
  const { store, sealing, clock, urls } = needs
  const id = await readOfferToken(sealing, tenant.id, 'offer-link', token)
  if (id === null) throw new Fault('resource.unknown')
  const offer = await store.single(tenant.id, (tx) => findOffer(tx, id, clock.now()))
  if (offer === null) {
    const offerState = await store.single(tenant.id, (tx) => findOfferEnd(tx, id))
    throw new Fault('resource.unknown', { meta: { offerState } })
  }
  const template = await templateVersion(needs, tenant.id, offer.templateId, offer.templateVersion)
  const { code, definition } = template
  const built = buildOffer({
    credentialIssuer: urls.issuer(tenant.slug),
    configurationIds: [code],
    preAuthorizedCode: offer.byCode ? await offerToken(sealing, tenant.id, 'offer-code', id) : null,
    issuerState: offer.bySignIn ? await offerToken(sealing, tenant.id, 'issuer-state', id) : null,
    txCode: offer.needsTxCode ? txCodeOf(definition) : null,
  })
  const scheme = definition.offerScheme ?? DEFAULT_OFFER_SCHEME
  const name = nameIn(language, { name: template.name, display: definition.display })
  return { offer: built, expiresAt: offer.expiresAt, isTaken: offer.isTaken, scheme, name }
}

/**
 * Returns the id of the issuance whose offer a wallet can still take.
 *
 * @throws Fault `resource.unknown`
 */
export async function findOpenOffer({ store, sealing, clock }: Needs, tenant: Tenant, token: string): Promise<string> {
  const id = await readOfferToken(sealing, tenant.id, 'offer-link', token)
  const offer = id === null ? null : await store.single(tenant.id, (tx) => findOffer(tx, id, clock.now()))
  // One for a user who signs in is not for whoever holds the link.
  if (id === null || offer === null || offer.isTaken || !offer.byCode) throw new Fault('resource.unknown')
  return id
}

/**
 * Returns the text of an offer's QR code.
 *
 * @param offerUri From the query of the image; it must be an offer link of this tenant. `scheme`: from there too, one
 * that a template may name.
 * @throws Fault `resource.unknown`
 */
export async function offerQrText(
  { sealing, urls }: Needs,
  tenant: Tenant,
  { offerUri, scheme = DEFAULT_OFFER_SCHEME }: { readonly offerUri: string; readonly scheme?: string | undefined },
): Promise<string> {
  const prefix = offerUriOf(urls.issuer(tenant.slug), '')
  const token = offerUri.startsWith(prefix) ? offerUri.slice(prefix.length) : ''
  if ((await readOfferToken(sealing, tenant.id, 'offer-link', token)) === null) throw new Fault('resource.unknown')
  const known = offerSchemes.find((one) => one === scheme)
  if (known === undefined) throw new Fault('resource.unknown')
  return offerLink(offerUri, known)
}
