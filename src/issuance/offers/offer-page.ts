import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { offerToken } from './offer-codes.ts'

/** Returns the address of the page of an offer, for people: take it here, open another wallet, or scan it with another device. */
export async function offerPageUri(
  { sealing, urls }: Pick<Platform, 'sealing' | 'urls'>,
  { tenantId, tenantSlug }: { readonly tenantId: TenantId; readonly tenantSlug: string },
  id: string,
): Promise<string> {
  return `${urls.publicUrl}/offer/${tenantSlug}/${await offerToken(sealing, tenantId, 'offer-link', id)}`
}
