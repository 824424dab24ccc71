import { type AnchorSet, noAnchors } from '../../crypto/x509-path/anchor.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import { sizeOf, statusOfEntry, statusValues } from '../../protocols/status-list/packed-list.ts'
import { hasOtherStatus, readStatusClaim, type StatusReference } from '../../protocols/status-list/status-claim.ts'
import type { VerifiedList } from '../../protocols/status-list/status-list-token.ts'
import { type TrustFinding, type TrustFindingCode, trustFinding } from '../lookups/finding.ts'
import type { TrustNeeds } from '../lookups/needs.ts'
import { isOutOfReach } from '../lookups/out-of-reach.ts'
import { type FetchedListForm, fetchedList, type StatusIssuer } from './fetched-status-list.ts'

/**
 * Checks the status of a credential that is valid otherwise in the issuer's status list. Any failure is a finding.
 * Lists are cached for their `ttl` (a minute to a day); lists of this deployment are revalidated each time, so that a
 * revocation shows at once.
 *
 * @param status The `status` claim as received; undefined: the credential has none and cannot be revoked, so there are
 *   no findings.
 * @param issuer The issuer of the credential, who must have signed the list.
 * @param anchors Where the chain of a list may end, if it is not signed with the key of the credential.
 * @param form `cwt` for an mdoc; `certified-jwt` where signers must be named by `x5c`.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/)
 */
export async function checkStatus(...input: Parameters<typeof readStatus>): Promise<readonly TrustFinding[]> {
  return (await readStatus(...input)).findings
}

/**
 * The status of a credential. `hasList`: false if the credential has none and cannot be revoked. `freshUntil`: when to
 * check again, `readAt`: when the list was fetched, and `issuedAt`: when it was signed; null if there is no list or it
 * was unavailable.
 */
export type ReadStatus = {
  readonly findings: readonly TrustFinding[]
  readonly hasList: boolean
  readonly freshUntil: Date | null
  readonly readAt: Date | null
  readonly issuedAt: Date | null
}

const unread = { hasList: true, freshUntil: null, readAt: null, issuedAt: null }

/**
 * As {@link checkStatus}, with the time until which the result is fresh.
 *
 * @param ageMsMax A list that was fetched longer ago is fetched again, also before its `ttl` is over.
 */
export async function readStatus(
  platform: TrustNeeds,
  status: unknown,
  issuer: StatusIssuer,
  now: Date,
  anchors: () => Promise<AnchorSet> = async () => noAnchors,
  form: FetchedListForm = 'jwt',
  ageMsMax = Number.POSITIVE_INFINITY,
): Promise<ReadStatus> {
  let reference: StatusReference | null
  try {
    reference = readStatusClaim(status, { allowHttpLoopback: platform.config.isDevelopment })
  } catch {
    return { ...unread, findings: [trustFinding(hasOtherStatus(status) ? 'status.unsupported' : 'status.malformed')] }
  }
  if (reference === null) return { ...unread, findings: [], hasList: false }
  try {
    const source = { status: reference, issuer, now, anchors, form, ageMsMax }
    const { list, freshUntil, readAt } = await fetchedList(platform, source)
    const times = { freshUntil, readAt, issuedAt: list.issuedAt }
    return { findings: statusFindings(list, reference.index), hasList: true, ...times }
  } catch (error) {
    return { ...unread, findings: [trustFinding(codeOf(error))] }
  }
}

function statusFindings(list: VerifiedList, index: number): readonly TrustFinding[] {
  // Token Status List 8.3: an index outside the list MUST lead to rejection
  if (index >= sizeOf(list)) return [trustFinding('status.out_of_range')]
  switch (statusOfEntry(list, index)) {
    case statusValues.valid:
      return []
    case statusValues.revoked:
      return [trustFinding('status.revoked')]
    case statusValues.suspended:
      return [trustFinding('status.suspended')]
    default:
      return [trustFinding('status.other')]
  }
}

function codeOf(error: unknown): TrustFindingCode {
  if (!(error instanceof Fault)) throw error
  return findings[error.code] ?? (isOutOfReach(error) ? 'status.unavailable' : 'status.untrusted')
}

const findings: Partial<Record<FaultCode, TrustFindingCode>> = {
  'status_list.invalid': 'status.invalid',
  'status_list.uncertified': 'status.not_certified',
  'upstream.too_large': 'status.invalid',
  'upstream.media_type': 'status.invalid',
  'upstream.refused': 'status.missing',
}
