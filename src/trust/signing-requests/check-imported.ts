import { type Certificate, isSelfIssued } from '../../crypto/x509/certificate.ts'
import { exceededDays } from '../../crypto/x509/lint.ts'
import { oids } from '../../crypto/x509/oids.ts'
import { readSigningRequest } from '../../crypto/x509/signing-request.ts'
import { type AnchorSet, anchorSetOf } from '../../crypto/x509-path/anchor.ts'
import type { PathFindingCode } from '../../crypto/x509-path/path-findings.ts'
import { type PathResult, validatePath } from '../../crypto/x509-path/validate-path.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import { kindOf } from '../certificates/certificate.ts'
import { leafProfile } from '../certificates/make-leaf.ts'
import type { TenantSigningRequest } from './signing-request.ts'

type Imported = {
  readonly leaf: Certificate
  /** Certificates above it in the request body, nearest first. */
  readonly chain: readonly Certificate[]
  /** Anchors that the tenant trusts. */
  readonly trusted: AnchorSet
}

/**
 * Checks a certificate that another authority signed for a signing request. [CSR-2] NOT checked: revocation.
 *
 * @throws Fault `certificate.key_mismatch`, `certificate.other_country`, `certificate.wrong_usage`,
 *   `certificate.not_valid_now`, `certificate.valid_too_long`, `certificate.chain_broken`; each names the certificate
 *   and, in `meta.rule`, the rule
 */
export function checkImported(imported: Imported, request: TenantSigningRequest, now: Date): void {
  const { leaf } = imported
  const refuse = (code: FaultCode, rule: string, detail: string) => {
    throw new Fault(code, { detail: `The certificate of "${leaf.subject.text}" ${detail}`, meta: { rule } })
  }
  if (!leaf.spki.equals(readSigningRequest(request.der).spki)) {
    refuse('certificate.key_mismatch', 'key', 'is for another key than that of the signing request.')
  }
  if (leaf.subject.country !== request.country) {
    const found = leaf.subject.country ?? 'none'
    refuse(
      'certificate.other_country',
      'country',
      `names the country ${found}, the signing request ${request.country}.`,
    )
  }
  const usage = usageProblem(leaf, request)
  if (usage !== null) refuse('certificate.wrong_usage', ...usage)
  if (now < leaf.notBefore)
    refuse('certificate.not_valid_now', 'validity.start', `is valid from ${leaf.notBefore.toISOString()} on.`)
  if (now > leaf.notAfter)
    refuse('certificate.not_valid_now', 'validity.end', `expired at ${leaf.notAfter.toISOString()}.`)
  const daysMax = exceededDays(leaf, leafProfile(request.type, request.signMdl, {}))
  if (daysMax !== null) {
    refuse('certificate.valid_too_long', 'validity.length', `is valid for more than ${daysMax} days.`)
  }
  const [finding] = pathOf(imported, request, now).findings
  if (finding !== undefined) {
    refuse(faultFor(finding.code), finding.code, `does not hold together with its chain: ${finding.message}`)
  }
}

function usageProblem({ extensions }: Certificate, { type, signMdl }: TenantSigningRequest): [string, string] | null {
  if (extensions.basicConstraints?.isCa === true) {
    return ['basic_constraints', 'is that of a certification authority, which signs certificates only.']
  }
  // ISO/IEC 18013-5, B.1.4 and B.1.5
  if (extensions.keyUsage?.has('digitalSignature') !== true) {
    return ['key_usage', 'lacks the key usage digitalSignature.']
  }
  const purposes = extensions.extendedKeyUsage ?? []
  if (type === 'verifierSignRequest' && !purposes.includes(oids.mdlReaderAuth)) {
    return ['extended_key_usage', `lacks the extended key usage ${oids.mdlReaderAuth} (mdoc reader authentication).`]
  }
  const isForMdl = purposes.includes(oids.mdlDocumentSigner)
  if (signMdl && !isForMdl) {
    return ['extended_key_usage', `lacks the extended key usage ${oids.mdlDocumentSigner} (mDL document signer).`]
  }
  // [X5-6]
  if (!signMdl && isForMdl) {
    return ['extended_key_usage', `has the extended key usage ${oids.mdlDocumentSigner}, which was not requested.`]
  }
  return null
}

/**
 * Accepts the topmost certificate of the request body as an anchor: whether to trust it is decided by those who verify
 * signatures.
 */
function pathOf({ leaf, chain, trusted }: Imported, request: TenantSigningRequest, now: Date): PathResult {
  const ask = { purpose: kindOf(request.type), at: now, iaca: request.signMdl }
  const selfSigned = chain.filter(isSelfIssued)
  const tops = selfSigned.length > 0 ? selfSigned : chain.slice(-1)
  const own = tops.map((certificate) => ({ certificate, purposes: [ask.purpose], owner: 'sent along' }))
  const below = [leaf, ...chain.filter((one) => !tops.includes(one))].map(({ der }) => der)
  const byItself = validatePath({ ...ask, chain: below, anchors: anchorSetOf(own) })
  if (byItself.ok) return byItself
  const known = validatePath({ ...ask, chain: [leaf, ...chain].map(({ der }) => der), anchors: trusted })
  // Findings are about the chain in the request body, if there is one.
  return known.ok || chain.length === 0 ? known : byItself
}

/** Returns the fault for a finding of path validation. */
function faultFor(finding: PathFindingCode): FaultCode {
  if (finding.startsWith('leaf.')) return 'certificate.wrong_usage'
  return finding === 'certificate.expired' || finding === 'certificate.not_yet_valid'
    ? 'certificate.not_valid_now'
    : 'certificate.chain_broken'
}
