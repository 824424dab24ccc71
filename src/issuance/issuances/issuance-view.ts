import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { offerLink } from '../../protocols/openid4vci/build-offer.ts'
import { offerToken } from '../offers/offer-codes.ts'
import { credentialIdOf } from './credential-id.ts'
import type { Issuance } from './issuance.ts'
import type { IssuanceView } from './schemas.ts'

type Needs = Pick<Platform, 'sealing' | 'urls'>
type Owner = { readonly tenantId: TenantId; readonly tenantSlug: string }

/** Returns an issuance as in our API, with its offer links, without its transaction code. */
export async function showIssuance(needs: Needs, owner: Owner, issuance: Issuance): Promise<IssuanceView> {
  return {
    id: issuance.id,
    status: issuance.status,
    error: issuance.error === null ? null : { ...issuance.error, details: [...issuance.error.details] },
    credentials: [
      {
        id: credentialIdOf(issuance.id),
        status: issuance.credentialStatus,
        credentialTemplateId: issuance.templateId,
        exchange: 'openid4vc',
        format: issuance.format,
        revocable: issuance.revocable,
      },
    ],
    createdAt: issuance.createdAt.toISOString(),
    updatedAt: issuance.updatedAt.toISOString(),
    expiresAt: issuance.expiresAt.toISOString(),
    ...(issuance.reference !== null && { reference: issuance.reference }),
    ...(await offerLinksOf(needs, owner, issuance.id)),
  }
}

/** Returns the offer links of an issuance: for a wallet, and as a QR code image. */
export async function offerLinksOf(
  { sealing, urls }: Needs,
  { tenantId, tenantSlug }: Owner,
  id: string,
): Promise<Pick<IssuanceView, 'offerUri' | 'offerQrUri' | 'offerPageUri'>> {
  const issuer = urls.issuer(tenantSlug)
  const token = await offerToken(sealing, tenantId, 'offer-link', id)
  const offerUri = offerUriOf(issuer, token)
  return {
    offerUri: offerLink(offerUri),
    offerPageUri: `${urls.publicUrl}/offer/${tenantSlug}/${token}`,
    offerQrUri: `${issuer}/offer-qr?credential_offer_uri=${encodeURIComponent(offerUri)}`,
  }
}

/** Returns the `credential_offer_uri` of an offer. */
export function offerUriOf(issuer: string, token: string): string {
  return `${issuer}/offers/${token}`
}
