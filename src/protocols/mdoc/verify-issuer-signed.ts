import { digestBytes, equalInConstantTime, type HashName } from '../../crypto/digest.ts'
import { type PublicJwk, thumbprint, type VerificationKey } from '../../crypto/jwk.ts'
import type { Cbor } from '../cbor/value.ts'
import type { CoseAlg } from '../cose/algorithms.ts'
import { findSign1Error } from '../cose/sign1.ts'
import { CLOCK_SKEW_SECONDS } from '../numeric-date.ts'
import { type MdocFinding, type MdocFindingCode, mdocFinding } from './findings.ts'
import type { IssuerSigned, IssuerSignedItem } from './issuer-signed.ts'
import { mdl } from './mdl.ts'
import { findMismatches, type SignerCertificate } from './signer-certificate.ts'

/** The leaf of an `x5chain`; the caller validates its path. */
export type IssuerCertificate = SignerCertificate & { readonly der: Uint8Array; readonly key: VerificationKey }

/** Policy of a recipient. */
export type MdocPolicy = {
  readonly certificate: IssuerCertificate
  readonly now: Date
  /** The requested document type. */
  readonly docType: string
  readonly algs?: readonly CoseAlg[]
}

const hashes: ReadonlyMap<string, HashName> = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
])

/**
 * Verifies the issuer-signed parts over the bytes as received.
 *
 * NOT checked: the path from the leaf to a trusted root and its revocation, the holder's signature, the status list,
 * and {@link outlivesSigner}.
 *
 * @returns Findings; none if everything is valid.
 * @see ISO/IEC 18013-5, 9.3.1 (2021)
 */
export function verifyIssuerSigned(mdoc: IssuerSigned, policy: MdocPolicy): readonly MdocFinding[] {
  const error = findSign1Error(mdoc.issuerAuth, policy.certificate.key, policy.algs && { algs: policy.algs })
  const codes: readonly MdocFindingCode[] = [
    ...checkLeaf(mdoc, policy.certificate),
    ...(error === null ? [] : [issuerAuthFindings[error.code]]),
    ...checkDigests(mdoc),
    ...checkObject(mdoc, policy),
    ...checkValidity(mdoc, policy),
    ...checkIssuer(mdoc, policy.certificate),
  ]
  return [...new Set(codes)].map(mdocFinding)
}

/** What a holder requested from the issuer. `holderKey`: the key in the key proof. */
type RequestedMdoc = MdocPolicy & { readonly holderKey: PublicJwk }

/**
 * Checks an mdoc on receipt by its holder: as {@link verifyIssuerSigned}, and that it is bound to the key in the key
 * proof.
 */
export function checkReceivedMdoc(mdoc: IssuerSigned, requested: RequestedMdoc): readonly MdocFinding[] {
  const findings = verifyIssuerSigned(mdoc, requested)
  const { deviceKey } = mdoc.mso
  if (deviceKey === null) return [...findings, mdocFinding('device_key.unsupported')]
  // [SEC-30] keys are compared by thumbprint
  const same = thumbprint(deviceKey) === thumbprint(requested.holderKey)
  return same ? findings : [...findings, mdocFinding('device_key.unexpected')]
}

/** [MD-4] The certificate that the caller validated must be the leaf of the issuer signature. */
function checkLeaf({ x5chain: [leaf] }: IssuerSigned, { der }: IssuerCertificate): MdocFindingCode[] {
  return leaf !== undefined && Buffer.compare(leaf, der) === 0 ? [] : ['issuer_auth.certificate']
}

const issuerAuthFindings = {
  crit: 'issuer_auth.critical',
  algorithm: 'issuer_auth.algorithm',
  payload: 'issuer_auth.payload',
  key: 'issuer_auth.key',
  signature: 'issuer_auth.signature',
} as const

/** ISO/IEC 18013-5, 9.3.1: every element occurs once and matches the digest of its namespace and id. */
function checkDigests({ mso, nameSpaces }: IssuerSigned): MdocFindingCode[] {
  const hash = hashes.get(mso.digestAlgorithm)
  if (hash === undefined) return ['mso.digest_algorithm']
  const codes: MdocFindingCode[] = []
  for (const [nameSpace, items] of nameSpaces) {
    const digests = mso.valueDigests.get(nameSpace)
    for (const { digestId, bytes } of items) {
      const expected = digests?.get(digestId)
      if (expected === undefined) codes.push('digest.unknown')
      // [SEC-22] digests of another length do not match
      else if (!equalInConstantTime(expected, digestBytes(hash, bytes))) codes.push('digest.mismatch')
    }
    if (!isDistinct(items, (one) => one.digestId)) codes.push('digest.duplicate')
    if (!isDistinct(items, (one) => one.elementIdentifier)) codes.push('element.duplicate')
  }
  return codes
}

function isDistinct(items: readonly IssuerSignedItem[], of: (item: IssuerSignedItem) => unknown): boolean {
  return new Set(items.map(of)).size === items.length
}

/** ISO/IEC 18013-5, 9.3.1: the signed document type; 9.1.2.4: the version. */
function checkObject({ mso }: IssuerSigned, { docType }: MdocPolicy): MdocFindingCode[] {
  const codes: MdocFindingCode[] = []
  if (mso.docType !== docType) codes.push('mso.doc_type')
  if (!/^1\.\d+$/.test(mso.version)) codes.push('mso.version')
  return codes
}

const DAY_MS = 86_400_000

/** ISO/IEC 18013-5, 9.3.1: the validity of the document, and that it was signed within that of its signer. */
function checkValidity({ mso }: IssuerSigned, { certificate, now }: MdocPolicy): MdocFindingCode[] {
  const { signed, validFrom, validUntil } = mso.validityInfo
  const skewMs = CLOCK_SKEW_SECONDS * 1000
  const codes: MdocFindingCode[] = []
  if (signed < certificate.notBefore || signed > certificate.notAfter) codes.push('validity.signed')
  if (validFrom.getTime() - skewMs > now.getTime()) codes.push('validity.early')
  if (validUntil.getTime() + skewMs < now.getTime()) codes.push('validity.expired')
  return codes
}

/**
 * Whether an mdoc is valid for longer than the certificate of its signer, which ISO/IEC 18013-5 9.1.2.4 forbids and
 * many issuers do. Compares days: times of an mdoc are coarse [MD-3], and the published document of Annex D ends half a
 * day after its signer's certificate.
 */
export function outlivesSigner(
  { mso }: Pick<IssuerSigned, 'mso'>,
  { notAfter }: Pick<SignerCertificate, 'notAfter'>,
): boolean {
  return Math.floor(mso.validityInfo.validUntil.getTime() / DAY_MS) > Math.floor(notAfter.getTime() / DAY_MS)
}

/** [MD-9] For the disclosed elements. */
function checkIssuer({ nameSpaces }: IssuerSigned, certificate: SignerCertificate): MdocFindingCode[] {
  const elements = new Map<string, Cbor>(
    (nameSpaces.get(mdl.nameSpace) ?? []).map((one) => [one.elementIdentifier, one.elementValue]),
  )
  const { country, jurisdiction } = findMismatches(elements, certificate)
  return [
    ...(country ? (['issuer.country'] as const) : []),
    ...(jurisdiction ? (['issuer.jurisdiction'] as const) : []),
  ]
}
