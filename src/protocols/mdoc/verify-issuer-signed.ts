import { digestBytes, equalInConstantTime, type HashName } from '../../crypto/digest.ts'
import { type PublicJwk, thumbprint, type VerificationKey } from '../../crypto/jwk.ts'
import type { Cbor } from '../cbor/value.ts'
import type { CoseAlg } from '../cose/algorithms.ts'
import { objectionToSign1 } from '../cose/sign1.ts'
import { type MdocFinding, type MdocFindingCode, mdocFinding } from './findings.ts'
import type { IssuerSigned, IssuerSignedItem } from './issuer-signed.ts'
import { mdl } from './mdl.ts'
import { disagreements, type SignerCertificate } from './signer-certificate.ts'

/** [SEC-80] By how much two clocks may differ. */
const MDOC_CLOCK_SKEW_SECONDS = 60

/** The leaf of an `x5chain`, as the caller read it; its path was or will be validated by the caller. */
export type IssuerCertificate = SignerCertificate & { readonly der: Uint8Array; readonly key: VerificationKey }

/** What a recipient demands. */
export type MdocPolicy = {
  readonly certificate: IssuerCertificate
  readonly now: Date
  /** The type of the document that carries it, or that was ordered. */
  readonly docType: string
  readonly algs?: readonly CoseAlg[]
}

const hashes: ReadonlyMap<string, HashName> = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
])

/**
 * Verifies what an issuer signed, over the bytes as they came: 6.5, steps 4 to 8.
 *
 * NOT checked: the path from the leaf to a trusted root and its revocation (step 3), the holder's signature, the status list; of step 7
 * {@link outlivesSigner}.
 *
 * @returns Findings; none if everything holds.
 */
export function verifyIssuerSigned(mdoc: IssuerSigned, policy: MdocPolicy): readonly MdocFinding[] {
  const objection = objectionToSign1(mdoc.issuerAuth, policy.certificate.key, policy.algs && { algs: policy.algs })
  const codes: readonly MdocFindingCode[] = [
    ...checkLeaf(mdoc, policy.certificate),
    ...(objection === null ? [] : [issuerAuthFindings[objection.code]]),
    ...checkDigests(mdoc),
    ...checkObject(mdoc, policy),
    ...checkValidity(mdoc, policy),
    ...checkIssuer(mdoc, policy.certificate),
  ]
  return [...new Set(codes)].map(mdocFinding)
}

/** What a holder agreed on with the issuer. `holderKey`: the key that was sent with the proof. */
type RequestedMdoc = MdocPolicy & { readonly holderKey: PublicJwk }

/**
 * Checks an mdoc that an issuer just sent to its holder: as {@link verifyIssuerSigned}, and that it is bound to the key that was sent.
 */
export function checkReceivedMdoc(mdoc: IssuerSigned, agreed: RequestedMdoc): readonly MdocFinding[] {
  const findings = verifyIssuerSigned(mdoc, agreed)
  const { deviceKey } = mdoc.mso
  if (deviceKey === null) return [...findings, mdocFinding('device_key.unsupported')]
  // [SEC-30] keys are compared by thumbprint
  const same = thumbprint(deviceKey) === thumbprint(agreed.holderKey)
  return same ? findings : [...findings, mdocFinding('device_key.unexpected')]
}

/** [MD-4] The signature says by whose certificate it is; what the caller validated must be that one. */
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

/** 6.5, step 5: every element has its digest, under its namespace and its id, and is there once. */
function checkDigests({ mso, nameSpaces }: IssuerSigned): MdocFindingCode[] {
  const hash = hashes.get(mso.digestAlgorithm)
  if (hash === undefined) return ['mso.digest_algorithm']
  const codes: MdocFindingCode[] = []
  for (const [nameSpace, items] of nameSpaces) {
    const digests = mso.valueDigests.get(nameSpace)
    for (const { digestId, bytes } of items) {
      const expected = digests?.get(digestId)
      if (expected === undefined) codes.push('digest.unknown')
      // [SEC-22] a digest of another length is no digest
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

/** 6.5, step 6. */
function checkObject({ mso }: IssuerSigned, { docType }: MdocPolicy): MdocFindingCode[] {
  const codes: MdocFindingCode[] = []
  if (mso.docType !== docType) codes.push('mso.doc_type')
  if (!/^1\.\d+$/.test(mso.version)) codes.push('mso.version')
  return codes
}

const DAY_MS = 86_400_000

/** 6.5, step 7. */
function checkValidity({ mso }: IssuerSigned, { certificate, now }: MdocPolicy): MdocFindingCode[] {
  const { signed, validFrom, validUntil } = mso.validityInfo
  const skewMs = MDOC_CLOCK_SKEW_SECONDS * 1000
  const codes: MdocFindingCode[] = []
  if (signed < certificate.notBefore || signed > certificate.notAfter) codes.push('validity.signed')
  if (validFrom.getTime() - skewMs > now.getTime()) codes.push('validity.early')
  if (validUntil.getTime() + skewMs < now.getTime()) codes.push('validity.expired')
  return codes
}

/**
 * Whether an mdoc says that it is valid for longer than the certificate of its signer, which ISO/IEC 18013-5 9.1.2.4 forbids and many issuers
 * do. By the day: times of an mdoc are coarse on purpose [MD-3], and the published document of Annex D ends half a day after its signer's
 * certificate, on the same day.
 */
export function outlivesSigner(
  { mso }: Pick<IssuerSigned, 'mso'>,
  { notAfter }: Pick<SignerCertificate, 'notAfter'>,
): boolean {
  return Math.floor(mso.validityInfo.validUntil.getTime() / DAY_MS) > Math.floor(notAfter.getTime() / DAY_MS)
}

/** 6.5, step 8, as far as the elements were returned [MD-9]. */
function checkIssuer({ nameSpaces }: IssuerSigned, certificate: SignerCertificate): MdocFindingCode[] {
  const elements = new Map<string, Cbor>(
    (nameSpaces.get(mdl.nameSpace) ?? []).map((one) => [one.elementIdentifier, one.elementValue]),
  )
  const { country, jurisdiction } = disagreements(elements, certificate)
  return [
    ...(country ? (['issuer.country'] as const) : []),
    ...(jurisdiction ? (['issuer.jurisdiction'] as const) : []),
  ]
}
