import type { Tenant } from '../directory/tenant.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { buildOffer, offerLink } from '../protocols/openid4vci/build-offer.ts'
import { offerUriOf } from './issuance-view.ts'
import { knownOffer } from './offer-cache.ts'
import { offerToken, readOfferToken } from './offer-codes.ts'
import { findOffer, type Offered } from './redemption-store.ts'
import { txCodeOf } from './template.ts'
import { templateVersion } from './template-cache.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls'>

/**
 * The credential offer that a link points at, as often as it is asked for until the offer's time is over.
 *
 * @throws Fault `resource.unknown`
 * @see [OpenID4VCI 1.0, 4.1.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-sending-credential-offer-by-r)
 */
export async function serveOffer(needs: Needs, tenant: Tenant, token: string): Promise<object> {
  const { sealing, urls } = needs
  const id = await readOfferToken(sealing, tenant.id, 'offer-link', token)
  const offer = id === null ? null : await offerOf(needs, tenant, id)
  if (id === null || offer === null) throw new Fault('resource.unknown')
  const { code, definition } = await templateVersion(needs, tenant.id, offer.templateId, offer.templateVersion)
  return buildOffer({
    credentialIssuer: urls.issuer(tenant.slug),
    configurationIds: [code],
    preAuthorizedCode: await offerToken(sealing, tenant.id, 'offer-code', id),
    txCode: offer.needsTxCode ? txCodeOf(definition) : null,
  })
}

async function offerOf(needs: Needs, tenant: Tenant, id: string): Promise<Offered | null> {
  const { store, clock } = needs
  return knownOffer(needs, tenant.id, id) ?? store.single(tenant.id, (tx) => findOffer(tx, id, clock.now()))
}

/**
 * The text of an offer's QR code.
 *
 * @param offerUri What the address of the picture carries; anything but a link of an offer of this tenant gets no picture.
 * @throws Fault `resource.unknown`
 */
export async function offerQrText({ sealing, urls }: Needs, tenant: Tenant, offerUri: string): Promise<string> {
  const prefix = offerUriOf(urls.issuer(tenant.slug), '')
  const token = offerUri.startsWith(prefix) ? offerUri.slice(prefix.length) : ''
  if ((await readOfferToken(sealing, tenant.id, 'offer-link', token)) === null) throw new Fault('resource.unknown')
  return offerLink(offerUri)
}
