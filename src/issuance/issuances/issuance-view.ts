import { type Caller, holds, type TenantId } from '../../caller.ts'
import type { IssuanceView } from '../../contract/issuance/issuances.ts'
import { shownOf } from '../../keys/sealed-column.ts'
import type { Platform } from '../../platform.ts'
import { offerLink } from '../../protocols/openid4vci/build-offer.ts'
import { DEFAULT_OFFER_SCHEME } from '../../protocols/openid4vci/credential-offer.ts'
import { showOfferMail } from '../mails/show-offer-mail.ts'
import { offerToken } from '../offers/offer-codes.ts'
import { offerPageUri } from '../offers/offer-page.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { validityOf } from '../templates/validity.ts'
import { credentialIdOf } from './credential-id.ts'
import type { Issuance, ShownIssuance } from './issuance.ts'
import { labelColumn } from './label.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>
type ViewNeeds = Needs & Pick<Platform, 'log'>
type Owner = { readonly tenantId: TenantId; readonly tenantSlug: string }
/** A caller who reads issuances. */
type Reader = Owner & Pick<Caller, 'scopes'>

/** Returns an issuance as in our API, with its offer links for a caller who may issue, without its transaction code. */
export async function showIssuance(needs: ViewNeeds, owner: Reader, issuance: ShownIssuance): Promise<IssuanceView> {
  const label = await shownLabel(needs, owner, issuance)
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
    templateName: issuance.templateName,
    ...(issuance.reference !== null && { reference: issuance.reference }),
    ...(issuance.batchId !== null && { batchId: issuance.batchId }),
    ...(issuance.holderId !== null && {
      recipient: {
        userId: issuance.holderId,
        ...(issuance.holderName !== null && { username: issuance.holderName }),
      },
    }),
    ...(label !== null && { label }),
    ...(issuance.offerMail !== null && { offerMail: showOfferMail(issuance.offerMail) }),
    ...timesOf(issuance),
    ...(issuance.statusReason !== null && { reason: issuance.statusReason }),
    ...replacementOf(issuance),
    ...((await shownLinksOf(needs, owner, issuance)) ?? hiddenLinks),
  }
}

/** Returns what an issuance replaces as in our API. */
export function showReplaces({ id, revoke }: NonNullable<Issuance['replaces']>) {
  return { ...bothIdsOf(id), revoke }
}

function replacementOf({ replaces, replacedBy }: Issuance) {
  return {
    ...(replaces !== null && { replaces: showReplaces(replaces) }),
    ...(replacedBy !== null && { replacedBy: bothIdsOf(replacedBy) }),
  }
}

function bothIdsOf(id: string) {
  return { issuanceId: id, credentialId: credentialIdOf(id) }
}

async function shownLabel({ sealing, log }: ViewNeeds, { tenantId }: Owner, { id, sealedLabel }: Issuance) {
  if (sealedLabel === null) return null
  return shownOf(log, labelColumn.open(sealing, tenantId, id, sealedLabel), { tenantId, issuanceId: id })
}

function timesOf({ issuedAt, acceptedAt, validUntil, ownValidFrom, ownValidUntil }: Issuance) {
  const byTemplate = issuedAt === null || validUntil === null ? undefined : validityOf({ validUntil }, issuedAt).exp
  const ends = ownValidUntil ?? byTemplate
  return {
    ...(issuedAt !== null && { issuedAt: issuedAt.toISOString() }),
    ...(acceptedAt !== null && { acceptedAt: acceptedAt.toISOString() }),
    ...(ownValidFrom !== null && { validFrom: ownValidFrom.toISOString() }),
    ...(ends !== undefined && { validUntil: ends.toISOString() }),
  }
}

/**
 * Returns the offer links of an issuance for a caller who may issue: an offer without a transaction code is a bearer
 * secret, and who may only read must not take the credential of another person.
 */
export async function shownLinksOf(needs: Needs, reader: Reader, of: Offered): Promise<OfferLinks | null> {
  return holds(reader, 'issuance:write') ? offerLinksOf(needs, reader, of) : null
}

/**
 * An issuance, and the version of its template that names the scheme of its link; null: it has ended, and has no
 * version.
 */
type Offered = { readonly id: string; readonly templateId: string; readonly templateVersion: number | null }

/** The shape of an issuance is that of the contract for every caller. */
const hiddenLinks: OfferLinks = { offerPageUri: '', offerPageQrUri: '', offerUri: '', offerQrUri: '' }

type OfferLinks = Pick<IssuanceView, 'offerPageUri' | 'offerPageQrUri' | 'offerUri' | 'offerQrUri'>

/** Returns the offer links of an issuance: for a person and for a wallet, each also as a QR code image. */
export async function offerLinksOf(needs: Needs, owner: Owner, of: Offered): Promise<OfferLinks> {
  const { id, templateId, templateVersion: version } = of
  const issuer = needs.urls.issuer(owner.tenantSlug)
  const token = await offerToken(needs.sealing, owner.tenantId, 'offer-link', id)
  const offerUri = offerUriOf(issuer, token)
  const template = version === null ? null : await templateVersion(needs, owner.tenantId, templateId, version)
  const scheme = template?.definition.offerScheme ?? DEFAULT_OFFER_SCHEME
  const shown = scheme === DEFAULT_OFFER_SCHEME ? '' : `&scheme=${scheme}`
  return {
    offerPageUri: await offerPageUri(needs, owner, id),
    offerPageQrUri: `${offerUri}/page-qr`,
    offerUri: offerLink(offerUri, scheme),
    offerQrUri: `${issuer}/offer-qr?credential_offer_uri=${encodeURIComponent(offerUri)}${shown}`,
  }
}

/** Returns the `credential_offer_uri` of an offer. */
export function offerUriOf(issuer: string, token: string): string {
  return `${issuer}/offers/${token}`
}
