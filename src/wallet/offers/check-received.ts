import { Fault } from '../../fault.ts'
import { describeRoot, trustOperation, unknownRootOf } from '../../trust/issuers/unanchored.ts'
import type { TrustFindingCode } from '../../trust/lookups/finding.ts'
import { checkStatus } from '../../trust/status-lists/check-status.ts'
import type { VerifiedCopy } from '../credentials/sealed-copy.ts'
import type { OutboundPeer } from '../credentials/upstream.ts'
import { type CopyFinding, type CopyOutcome, type CredentialFacts, type ReadCopy, UnusedKeys } from './check-copy.ts'
import { mdocChecks } from './check-mdoc-copy.ts'
import { sdJwtChecks } from './check-sd-jwt-copy.ts'
import type { SignerTrust } from './issuer-policy.ts'
import type { Received } from './redeem-offer.ts'

/** A failed check of a received credential. `copy`: its position in the response, from 0. */
type ReceivedFinding = CopyFinding & { readonly copy: number }

/** A verified credential. `copies` is never empty. `hasStatus`: it may be revoked later. */
export type Verified = CredentialFacts & {
  readonly received: Received
  readonly copies: readonly VerifiedCopy[]
  readonly hasStatus: boolean
}

/**
 * Verifies all copies of a received credential. If one fails, all are refused [W-R7].
 *
 * @param trust Who may have signed it.
 * @throws Fault `credential.invalid`, or `credential.untrusted` if only trust is missing; the findings are in
 *   `meta.findings`
 * @see [RFC 9901, 7.2](https://www.rfc-editor.org/rfc/rfc9901#section-7.2), ISO/IEC 18013-5, 9.3.1 (2021)
 */
export async function checkReceived(
  platform: OutboundPeer,
  received: Received,
  trust: SignerTrust,
  now: Date,
): Promise<Verified> {
  const checks = received.configuration.format === 'mso_mdoc' ? mdocChecks : sdJwtChecks
  const check = checks({ platform, received, trust, now })
  const unused = new UnusedKeys(received.keys)
  const outcomes: CopyOutcome[] = []
  for (const raw of received.raws) outcomes.push(await check(raw, unused).catch(unreadable))
  const findings = outcomes.flatMap((one, copy) => one.findings.map((finding) => ({ copy, ...finding })))
  const copies = outcomes.flatMap(({ copy }) => copy ?? [])
  // Token Status List 8.3: an invalid credential is not looked up
  if (findings.length === 0) findings.push(...(await checkStatuses(platform, received, copies, trust, now)))
  const [first] = copies
  if (findings.length > 0 || first === undefined) throw refusalOf(platform, findings, outcomes)
  const hasStatus = first.status !== undefined
  return { received, hasStatus, copies: copies.map(({ raw, key }) => ({ raw, key })), ...first.facts }
}

function unreadable(error: unknown): CopyOutcome {
  // an issuer or host out of reach is no finding about the credential
  if (!(error instanceof Fault) || error.code.startsWith('upstream.')) throw error
  return { copy: null, findings: [{ code: error.code, message: error.message }] }
}

async function checkStatuses(
  platform: OutboundPeer,
  { configuration }: Received,
  copies: readonly ReadCopy[],
  { anchors, policy }: SignerTrust,
  now: Date,
): Promise<ReceivedFinding[]> {
  const form = configuration.format === 'mso_mdoc' ? 'cwt' : (await policy()).statusListForm
  const findings: ReceivedFinding[] = []
  for (const [position, { status, issuer, content }] of copies.entries()) {
    const found = await checkStatus(platform, status, issuer, now, anchors, form)
    // a list out of reach is no finding about the credential
    if (found.some(({ code }) => code === 'status.unavailable')) {
      throw new Fault('upstream.unreachable', { detail: 'The status list of the credential could not be fetched.' })
    }
    findings.push(...found.map((one) => ({ copy: position, ...one })))
    // the holder consents to the first copy, so the others must have the same claims
    if (content !== copies[0]?.content) {
      findings.push({
        copy: position,
        code: 'batch.differs',
        message: 'The copies of the credential do not say the same.',
      })
    }
  }
  return findings
}

/** The findings of a credential that is valid but not trusted. */
const trustFindings: ReadonlySet<string> = new Set<TrustFindingCode>(['issuer.not_trusted', 'chain.no_anchor'])

function refusalOf(
  platform: OutboundPeer,
  findings: readonly ReceivedFinding[],
  outcomes: readonly CopyOutcome[],
): Fault {
  const detail = [...new Set(findings.map(({ message }) => message))].slice(0, 5).join(' ')
  const shown = findings.slice(0, 50)
  const issuer = outcomes.find(({ copy }) => copy !== null)?.copy?.issuer
  if (issuer === undefined || !findings.every(({ code }) => trustFindings.has(code)))
    return new Fault('credential.invalid', { detail, meta: { findings: shown } })
  const root = issuer.chain === null ? null : unknownRootOf(issuer.chain.der)
  const operation = trustOperation(platform)
  const whom = root === null ? issuer.issuer : `the root ${describeRoot(root)}`
  return new Fault('credential.untrusted', {
    detail: `${detail} Trust ${whom} with ${operation}, and repeat the call: the credential stays sealed until then.`,
    meta: { findings: shown, trust: { operation, issuer: issuer.issuer, ...(root !== null && { root }) } },
  })
}
