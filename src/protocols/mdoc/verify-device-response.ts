import { sha256Base64url } from '../../crypto/digest.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { CoseAlg } from '../cose/algorithms.ts'
import { findSign1Error } from '../cose/sign1.ts'
import { mdocClaims } from './claims.ts'
import { deviceAuthenticationBytes } from './device-authentication.ts'
import type { DeviceResponse, Document } from './device-response.ts'
import { type MdocFinding, type MdocFindingCode, mdocFinding } from './findings.ts'
import { isAuthorized } from './mobile-security-object.ts'
import { type MdocPolicy, verifyIssuerSigned } from './verify-issuer-signed.ts'

/** Policy of a verifier. `sessionTranscript`: encoded, computed from its own request, never from the response. */
export type DeviceResponsePolicy = MdocPolicy & {
  readonly sessionTranscript: Uint8Array
  readonly deviceAlgs?: readonly CoseAlg[]
}

/** A verified presentation. With findings, nothing in it may be used. */
export type VerifiedMdoc = {
  readonly findings: readonly MdocFinding[]
  /** The disclosed issuer-signed elements: `{namespace: {element: value}}`. */
  readonly claims: JsonObject
  /** The device-signed elements that the issuer authorized. */
  readonly deviceClaims: JsonObject
  /** Equal for all presentations of one credential. */
  readonly fingerprint: string
}

/**
 * Returns the one document of a response; null unless there is exactly one [VP-H4]. Its chain must be validated by the
 * caller before {@link verifyDeviceResponse}.
 */
export function onlyDocument({ documents }: DeviceResponse): Document | null {
  const [document] = documents
  return documents.length === 1 && document !== undefined ? document : null
}

/**
 * Verifies a presentation. Parsing checks the form.
 *
 * NOT checked: the path from the leaf to a trusted root, the status list, whether the claims satisfy the query.
 *
 * @see [OpenID4VP 1.0, B.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.2), ISO/IEC 18013-5, 9.3.1 (2021)
 */
export function verifyDeviceResponse(response: DeviceResponse, policy: DeviceResponsePolicy): VerifiedMdoc {
  const envelope = checkEnvelope(response)
  const document = onlyDocument(response)
  if (document === null) return { findings: envelope.map(mdocFinding), claims: {}, deviceClaims: {}, fingerprint: '' }
  const { docType, issuerSigned, deviceSigned } = document
  // the requested type; that the issuer signed it is checked with the other signed parts
  const typeFindings: readonly MdocFindingCode[] = docType === policy.docType ? [] : ['doc_type.unexpected']
  const findings = [
    ...[...envelope, ...typeFindings].map(mdocFinding),
    ...verifyIssuerSigned(issuerSigned, { ...policy, docType }),
    ...[...checkDeviceAuth(document, policy), ...checkDeviceElements(document)].map(mdocFinding),
  ]
  const claims = mdocClaims(issuerSigned.nameSpaces)
  // [SEC-26] over the signed bytes: signatures over them may differ
  return {
    findings,
    claims,
    deviceClaims: mdocClaims(deviceSigned.nameSpaces),
    fingerprint: sha256Base64url(issuerSigned.msoBytes),
  }
}

/** ISO/IEC 18013-5, 8.3.2.1.2.2: version and status of the response. [VP-H4] */
function checkEnvelope(response: DeviceResponse): MdocFindingCode[] {
  const codes: MdocFindingCode[] = []
  if (!/^1\.\d+$/.test(response.version)) codes.push('response.version')
  if (response.status !== 0) codes.push('response.status')
  if (onlyDocument(response) === null) codes.push('response.documents')
  return codes
}

const deviceAuthFindings = {
  crit: 'device_auth.critical',
  algorithm: 'device_auth.algorithm',
  payload: 'device_auth.payload',
  key: 'device_auth.key',
  signature: 'device_auth.signature',
} as const

/** [MD-20] */
function checkDeviceAuth(
  { docType, issuerSigned, deviceSigned }: Document,
  policy: DeviceResponsePolicy,
): MdocFindingCode[] {
  const { deviceKey } = issuerSigned.mso
  const { deviceSignature, nameSpacesBytes } = deviceSigned
  // [VP-H5] a verifier has no key for a MAC
  if (deviceSignature === null) return ['device_auth.mac']
  if (deviceKey === null) return ['device_key.unsupported']
  const { sessionTranscript, deviceAlgs } = policy
  const detached = deviceAuthenticationBytes({ sessionTranscript, docType, deviceNameSpaces: nameSpacesBytes })
  const error = findSign1Error(deviceSignature, deviceKey, { detached, ...(deviceAlgs && { algs: deviceAlgs }) })
  return error === null ? [] : [deviceAuthFindings[error.code]]
}

/** [MD-23] */
function checkDeviceElements({ issuerSigned, deviceSigned }: Document): MdocFindingCode[] {
  const codes = new Set<MdocFindingCode>()
  for (const [nameSpace, elements] of deviceSigned.nameSpaces) {
    const issued = new Set(issuerSigned.nameSpaces.get(nameSpace)?.map((one) => one.elementIdentifier))
    for (const { elementIdentifier } of elements) {
      if (!isAuthorized(issuerSigned.mso.keyAuthorizations, nameSpace, elementIdentifier))
        codes.add('device_signed.unauthorized')
      if (issued.has(elementIdentifier)) codes.add('device_signed.duplicate')
    }
  }
  return [...codes]
}
