import type { Urls } from '../../platform.ts'
import type { ResolvedIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { type Issue, issue } from '../requests/finding.ts'
import { ANY_ISSUER } from '../templates/presentation-template.ts'
import type { ExpectedPresentation } from './checked-credential.ts'

/** An issuer as it was found, or as it calls itself. */
type Claimed = Pick<ResolvedIssuer, 'issuer' | 'mechanism' | 'trusted' | 'chain' | 'keyIds'>

/**
 * 3.9 step 6: whether the issuer counts for this credential. Without named issuers the tenant and its trusted entities count; a type under an
 * issuer address of this deployment then counts from that tenant only, since the address names its issuer.
 */
export async function checkIssuer(
  issuer: Claimed,
  { credential, trust, home }: Pick<ExpectedPresentation, 'credential' | 'trust' | 'home'>,
): Promise<readonly Issue[]> {
  const { issuers = [], trustedIssuers = [] } = credential
  if (issuers.includes(ANY_ISSUER)) return [issue('issuer.not_restricted')]
  if (issuers.some((one) => one === issuer.issuer || issuer.keyIds.includes(one.toLowerCase()))) return []
  if (trustedIssuers.length > 0) {
    return (await trust.vouchesFor(issuer, trustedIssuers)) ? [] : [issue('issuer.not_trusted')]
  }
  const owner = ownerOf(home.urls, credential.type)
  if (issuers.length > 0 || owner !== null) {
    return issuers.length === 0 && isTenant(home.urls, owner, issuer) ? [] : [issue('issuer.not_allowed')]
  }
  if (isTenant(home.urls, home.slug, issuer) || (await trust.vouchesFor(issuer))) return []
  return [issue('issuer.not_trusted')]
}

/** The slug of the tenant whose issuer address a type is under; null for types of other places. */
function ownerOf(urls: Urls, type: string): string | null {
  const root = urls.issuer('')
  return (type.startsWith(root) && type.slice(root.length).split('/')[0]) || null
}

function isTenant(urls: Urls, slug: string | null, { issuer }: Claimed): boolean {
  return slug !== null && (issuer === urls.issuer(slug) || issuer === urls.did(slug))
}
