import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { buildOffer, offerLink } from '../../protocols/openid4vci/build-offer.ts'
import { offerUriOf } from '../issuances/issuance-view.ts'
import { offerToken, readOfferToken } from '../offers/offer-codes.ts'
import { txCodeOf } from '../templates/template.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { findOffer } from './redemption-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

/**
 * The credential offer that a link points at, as often as it is asked for until the offer's time is over.
 *
 * @throws Fault `resource.unknown`
 * @see [OpenID4VCI 1.0, 4.1.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-sending-credential-offer-by-r)
 */
export async function serveOffer(needs: Needs, tenant: Tenant, token: string): Promise<object> {
  const { store, sealing, clock, urls } = needs
  const id = await readOfferToken(sealing, tenant.id, 'offer-link', token)
  const offer = id === null ? null : await store.single(tenant.id, (tx) => findOffer(tx, id, clock.now()))
  if (id === null || offer === null) throw new Fault('resource.unknown')
  const { code, definition } = await templateVersion(needs, tenant.id, offer.templateId, offer.templateVersion)
  return buildOffer({
    credentialIssuer: urls.issuer(tenant.slug),
    configurationIds: [code],
    preAuthorizedCode: await offerToken(sealing, tenant.id, 'offer-code', id),
    txCode: offer.needsTxCode ? txCodeOf(definition) : null,
  })
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
