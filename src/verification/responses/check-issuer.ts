import type { IssuerBasis } from '../../contract/verification/checks.ts'
import type { Urls } from '../../platform.ts'
import type { ResolvedIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { type Issue, issue } from '../findings/finding.ts'
import { ANY_ISSUER } from '../templates/presentation-template.ts'
import type { ExpectedPresentation } from './checked-credential.ts'

type Issuer = Pick<ResolvedIssuer, 'issuer' | 'mechanism' | 'trusted' | 'chain' | 'keyIds'>

/** Whether an issuer is accepted, and on what ground. */
type Acceptance = { readonly issues: readonly Issue[]; readonly acceptedAs: IssuerBasis | null }

const accepted = (acceptedAs: IssuerBasis): Acceptance => ({ issues: [], acceptedAs })
const refused = (code: 'issuer.not_trusted' | 'issuer.not_allowed'): Acceptance => {
  return { issues: [issue(code)], acceptedAs: null }
}

/**
 * Checks whether the template accepts the issuer of a credential (OpenID4VP 1.0, 8.6: the policy of the verifier).
 *
 * A template without `issuers` and `trustedIssuers` accepts the tenant and its trusted entities. A type under an issuer
 * address of this deployment names its issuer: without names in the template it is accepted from that issuer only, also
 * where the template accepts any.
 */
export async function checkIssuer(
  issuer: Issuer,
  { credential, trust, verifier }: Pick<ExpectedPresentation, 'credential' | 'trust' | 'verifier'>,
): Promise<Acceptance> {
  const { issuers: allowed = [], trustedIssuers = [] } = credential
  const issuers = allowed.filter((one) => one !== ANY_ISSUER)
  const owner = ownerOf(verifier.urls, credential.type)
  if (owner === null && issuers.length < allowed.length) {
    return { issues: [issue('issuer.not_restricted')], acceptedAs: 'any' }
  }
  if (issuers.some((one) => one === issuer.issuer || issuer.keyIds.includes(one.toLowerCase())))
    return accepted('named')
  if (trustedIssuers.length > 0) {
    return (await trust.vouchesFor(issuer, trustedIssuers)) ? accepted('trusted_entity') : refused('issuer.not_trusted')
  }
  if (issuers.length > 0 || owner !== null) {
    return issuers.length === 0 && isTenant(verifier.urls, owner, issuer)
      ? accepted(owner === verifier.slug ? 'own' : 'type_owner')
      : refused('issuer.not_allowed')
  }
  if (isTenant(verifier.urls, verifier.slug, issuer)) return accepted('own')
  return (await trust.vouchesFor(issuer)) ? accepted('trusted_entity') : refused('issuer.not_trusted')
}

/** The slug of the tenant whose issuer address is a prefix of the type; null if there is none. */
function ownerOf(urls: Urls, type: string): string | null {
  const root = urls.issuer('')
  return (type.startsWith(root) && type.slice(root.length).split('/')[0]) || null
}

function isTenant(urls: Urls, slug: string | null, { issuer }: Issuer): boolean {
  return slug !== null && (issuer === urls.issuer(slug) || issuer === urls.did(slug))
}
