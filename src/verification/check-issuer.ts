import type { ResolvedIssuer } from '../trust/resolve-issuer.ts'
import { type Issue, issue } from './issue.ts'
import type { Expected } from './judged.ts'

/** An issuer as it was found, or as it calls itself. */
type Claimed = Pick<ResolvedIssuer, 'issuer' | 'mechanism' | 'trusted' | 'chain' | 'keyIds'>

/** 3.9 step 6: trusted for this credential, if the template says by whom it must be issued. */
export async function checkIssuer(
  issuer: Claimed,
  { credential, trust }: Pick<Expected, 'credential' | 'trust'>,
): Promise<readonly Issue[]> {
  const { issuers = [], trustedIssuers = [] } = credential
  if (issuers.length === 0 && trustedIssuers.length === 0) return [issue('issuer.not_restricted')]
  if (issuers.some((one) => one === issuer.issuer || issuer.keyIds.includes(one.toLowerCase()))) return []
  if (trustedIssuers.length === 0) return [issue('issuer.not_allowed')]
  return (await trust.vouchesFor(issuer, trustedIssuers)) ? [] : [issue('issuer.not_trusted')]
}
