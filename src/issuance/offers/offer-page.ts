import type { TenantId } from '../../caller.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { offerToken, readOfferToken } from './offer-codes.ts'

/**
 * Returns the address of the page of an offer, for people: take it here, open another wallet, or scan it with another
 * device.
 */
export async function offerPageUri(
  { sealing, urls }: Pick<Platform, 'sealing' | 'urls'>,
  { tenantId, tenantSlug }: { readonly tenantId: TenantId; readonly tenantSlug: string },
  id: string,
): Promise<string> {
  return pageUriOf(urls, tenantSlug, await offerToken(sealing, tenantId, 'offer-link', id))
}

/**
 * Returns the text of the QR code of an offer's page.
 *
 * @throws Fault `resource.unknown` for a token of another tenant, or of none
 */
export async function offerPageQrText(
  { sealing, urls }: Pick<Platform, 'sealing' | 'urls'>,
  { id: tenantId, slug }: Pick<Tenant, 'id' | 'slug'>,
  token: string,
): Promise<string> {
  if ((await readOfferToken(sealing, tenantId, 'offer-link', token)) === null) throw new Fault('resource.unknown')
  return pageUriOf(urls, slug, token)
}

function pageUriOf({ publicUrl }: Platform['urls'], slug: string, token: string): string {
  return `${publicUrl}/offer/${slug}/${token}`
}
