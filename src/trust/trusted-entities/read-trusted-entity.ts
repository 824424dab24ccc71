import type { TrustedEntityBody } from '../../contract/trust/trusted-entities.ts'
import type { Certificate } from '../../crypto/x509/certificate.ts'
import { readPem, toPem } from '../../crypto/x509/pem.ts'
import { checkAnchor } from '../../crypto/x509-path/anchor.ts'
import { isSelfSigned } from '../../crypto/x509-path/build-path.ts'
import { pathFindingMessages } from '../../crypto/x509-path/path-findings.ts'
import { Fault, type Violation } from '../../fault.ts'
import { isDid } from '../../protocols/did/did.ts'
import { asPeerUrl, type PeerPolicy } from '../../protocols/shape.ts'
import type { TrustedEntityContent } from './trusted-entity.ts'

/**
 * Returns the trusted entity of a body that matches its schema: checks every DID, address and certificate, and
 * normalizes the PEM.
 *
 * @throws Fault `request.invalid` with every violation, or, if only certificates are wrong, `certificate.invalid` with
 *   one each.
 */
export function readTrustedEntity(
  body: TrustedEntityBody,
  policy: PeerPolicy & { readonly allowPinned: boolean },
  now: Date,
): TrustedEntityContent {
  const { name, dids = [], certificates = [], issuers = [], purposes = ['issuer'], signerUsages = [] } = body
  const violations = [...didViolations(dids), ...issuerViolations(issuers, policy)]
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const isVerifier = purposes.length === 1 && purposes[0] === 'verifier'
  const allowPinned = policy.allowPinned && isVerifier
  return { name, dids, certificates: readCertificates(certificates, allowPinned, now), issuers, purposes, signerUsages }
}

function didViolations(dids: NonNullable<TrustedEntityBody['dids']>): readonly Violation[] {
  const all = dids.map(({ did }) => did)
  return dids.flatMap(({ did }, index) => {
    const pointer = `/dids/${index}/did`
    if (!isDid(did)) return [{ detail: 'It is not a DID without path, query and fragment.', pointer }]
    return all.indexOf(did) < index ? [{ detail: 'The DID is in the list twice.', pointer }] : []
  })
}

function issuerViolations(issuers: readonly string[], peers: PeerPolicy): readonly Violation[] {
  return issuers.flatMap((issuer, index) => {
    const pointer = `/issuers/${index}`
    if (asPeerUrl(issuer, peers) === null || issuer.includes('?')) {
      return [{ detail: 'It is not an https URL without query and fragment.', pointer }]
    }
    return issuers.indexOf(issuer) < index ? [{ detail: 'The address is in the list twice.', pointer }] : []
  })
}

function readCertificates(texts: readonly string[], allowPinned: boolean, now: Date): readonly string[] {
  const violations: Violation[] = []
  const known = new Set<string>()
  const read = texts.flatMap((text, index) => {
    const found = readOne(text, allowPinned, now)
    const detail =
      typeof found === 'string' ? found : known.has(found.fingerprint) ? 'The certificate is in the list twice.' : null
    if (typeof found !== 'string') known.add(found.fingerprint)
    if (detail !== null) violations.push({ detail, pointer: `/certificates/${index}` })
    return typeof found === 'string' ? [] : [toPem('CERTIFICATE', found.der)]
  })
  if (violations.length > 0) throw new Fault('certificate.invalid', { violations })
  return read
}

/**
 * Returns the certificate, or the reason why it cannot be trusted.
 *
 * @param allowPinned Whether a self-signed certificate that signs itself alone is trusted as itself.
 */
function readOne(text: string, allowPinned: boolean, now: Date): Certificate | string {
  let certificate: Certificate
  try {
    certificate = readPem(text)
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
  const objections = checkAnchor(certificate, now)
  if (objections.length === 0) return certificate
  const isPinned = allowPinned && objections.every((code) => code === 'ca.missing') && isSelfSigned(certificate)
  if (isPinned) return certificate
  if (objections.includes('ca.missing')) {
    return `${certificate.subject.text} is not a certification authority. Send the certificate that signs those of the issuer.`
  }
  return `${certificate.subject.text}: ${objections.map((code) => pathFindingMessages[code]).join(' ')}`
}
