import { authorityKeyIdsOf } from '../../crypto/x509/authority-key-ids.ts'
import { presentedMdoc } from '../../protocols/mdoc/dcql-candidate.ts'
import { type DeviceResponse, parseDeviceResponse } from '../../protocols/mdoc/device-response.ts'
import { mdocFinding } from '../../protocols/mdoc/findings.ts'
import { browserTranscript, redirectTranscript } from '../../protocols/mdoc/session-transcript.ts'
import { onlyDocument, type VerifiedMdoc, verifyDeviceResponse } from '../../protocols/mdoc/verify-device-response.ts'
import { outlivesSigner } from '../../protocols/mdoc/verify-issuer-signed.ts'
import { type MdocIssuer, resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import { trustFinding } from '../../trust/lookups/finding.ts'
import type { TrustNeeds } from '../../trust/lookups/needs.ts'
import { readStatus } from '../../trust/status-lists/check-status.ts'
import { type Issue, isDefect, issue } from '../findings/finding.ts'
import { checkIssuer } from './check-issuer.ts'
import {
  type CheckedCredential,
  type ExpectedPresentation,
  factsOf,
  issuerOrIssue,
  nullIfFault,
  rejectedCredential,
} from './checked-credential.ts'

/**
 * Checks one mdoc on its own, over the bytes as received, in this order: form, the chain of its signer, what the issuer
 * signed, the device signature over the request, whether the template accepts the issuer, then the status list.
 *
 * Device-signed elements do not satisfy a query.
 *
 * @param presentation A DeviceResponse as base64url.
 * @see [OpenID4VP 1.0, B.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.2)
 */
export async function checkMdocPresentation(
  platform: TrustNeeds,
  presentation: string,
  expected: ExpectedPresentation,
): Promise<CheckedCredential> {
  const response = nullIfFault(() => parseDeviceResponse(presentation))
  if (response === null) return rejectedCredential([issue('presentation.malformed')])
  const document = onlyDocument(response)
  // [VP-H4] a response with an error status has no document
  if (document === null)
    return rejectedCredential([mdocFinding(response.status === 0 ? 'response.documents' : 'response.status')])
  const { now, trust } = expected
  const { issuerSigned } = document
  // ISO/IEC 18013-5, 9.3.1: the chain comes first
  const issuer = await issuerOrIssue(resolveMdocIssuer(platform, issuerSigned, now, trust.anchors))
  if ('code' in issuer) return rejectedCredential([issuer])
  const verified = verify(response, issuer, expected)
  const issues: Issue[] = [...issuerIssues(issuer, expected), ...verified.findings]
  if (outlivesSigner(issuerSigned, issuer.certificate)) {
    issues.push(issue(expected.credential.strictValidity ? 'validity.strict' : 'validity.certificate'))
  }
  const acceptance = await checkIssuer(issuer, expected)
  issues.push(...acceptance.issues)
  // Token Status List 8.3: only for a credential that is otherwise valid
  const status = issues.some(isDefect)
    ? null
    : await readStatus(platform, issuerSigned.mso.status, issuer, now, trust.anchors, 'cwt')
  issues.push(...(status?.findings ?? []))
  const isSigned = issuer.trusted && !verified.findings.some(({ code }) => code.startsWith('issuer_auth.'))
  return {
    issues,
    issuer: isSigned ? issuer.issuer : null,
    facts: factsOf(acceptance.acceptedAs, true, status),
    presented: issues.some(isDefect)
      ? null
      : {
          ...presentedMdoc(document.docType, verified),
          claims: verified.claims,
          signedByHolder: verified.deviceClaims,
          authorityKeyIds: authorityKeyIdsOf(issuerSigned.x5chain),
        },
  }
}

/** The chain must be valid at the time of signing, its leaf also at the time of this check (ISO/IEC 18013-5, 9.3.1). */
function issuerIssues({ findings, certificate }: MdocIssuer, { now }: ExpectedPresentation): readonly Issue[] {
  // RFC 5280 4.1.2.5: through the second of notAfter
  const hasEnded = now.getTime() >= certificate.notAfter.getTime() + 1000
  const isReported = findings.some(({ code }) => code === 'certificate.expired')
  return hasEnded && !isReported ? [...findings, trustFinding('certificate.expired')] : findings
}

/** ISO/IEC 18013-5, 9.3.1, and 9.1.3 for the device signature */
function verify(response: DeviceResponse, { certificate }: MdocIssuer, expected: ExpectedPresentation): VerifiedMdoc {
  const { aud: clientId, origin, nonce, responseUri, encryptionKey, now, credential } = expected
  // [VP-H1] [VP-H2] every value is from the request, none from the response
  const sessionTranscript =
    origin === null
      ? redirectTranscript({ clientId, nonce, responseUri, encryptionKey })
      : browserTranscript(origin, nonce, encryptionKey)
  return verifyDeviceResponse(response, { certificate, now, docType: credential.type, sessionTranscript })
}
