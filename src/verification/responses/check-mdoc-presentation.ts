import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { presentedMdoc } from '../../protocols/mdoc/dcql-candidate.ts'
import { type DeviceResponse, type Document, parseDeviceResponse } from '../../protocols/mdoc/device-response.ts'
import { mdocFinding } from '../../protocols/mdoc/findings.ts'
import { redirectTranscript } from '../../protocols/mdoc/session-transcript.ts'
import { onlyDocument, type VerifiedMdoc, verifyDeviceResponse } from '../../protocols/mdoc/verify-device-response.ts'
import { outlivesSigner } from '../../protocols/mdoc/verify-issuer-signed.ts'
import { type MdocIssuer, resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import { trustFinding } from '../../trust/lookups/finding.ts'
import { isOutOfReach } from '../../trust/lookups/out-of-reach.ts'
import { checkStatus } from '../../trust/status-lists/check-status.ts'
import { type Issue, isDefect, issue } from '../requests/finding.ts'
import { checkIssuer } from './check-issuer.ts'
import { type CheckedCredential, type ExpectedPresentation, rejectedCredential } from './checked-credential.ts'

type Needs = Pick<Platform, 'fetch' | 'config' | 'memory'>

/**
 * Checks one mdoc by itself, over the bytes as they came and in the order of 6.5: form, the chain of its signer, what the issuer signed, the
 * signature of the holder over our request, then whom the template allows, then the status list.
 *
 * Elements that the holder states itself are no answer to a query.
 *
 * @param presentation A DeviceResponse as base64url.
 * @see [OpenID4VP 1.0, B.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.2)
 */
export async function checkMdocPresentation(
  platform: Needs,
  presentation: string,
  expected: ExpectedPresentation,
): Promise<CheckedCredential> {
  const response = read(presentation)
  if (response === null) return rejectedCredential([issue('presentation.malformed')])
  const document = onlyDocument(response)
  // [VP-H4] a wallet that has an error to tell sends no document
  if (document === null)
    return rejectedCredential([mdocFinding(response.status === 0 ? 'response.documents' : 'response.status')])
  const issuer = await resolved(platform, document, expected)
  if ('code' in issuer) return rejectedCredential([issuer])
  const verified = verify(response, issuer, expected)
  const issues: Issue[] = [...issuerIssues(issuer, expected), ...verified.findings]
  if (outlivesSigner(document.issuerSigned, issuer.certificate)) {
    issues.push(issue(expected.credential.strictValidity ? 'validity.strict' : 'validity.certificate'))
  }
  issues.push(...(await checkIssuer(issuer, expected)))
  // Token Status List 8.3: not looked up for a credential that is invalid anyway
  if (!issues.some(isDefect)) issues.push(...(await statusIssues(platform, document, issuer, expected)))
  const isSigned = issuer.trusted && !verified.findings.some(({ code }) => code.startsWith('issuer_auth.'))
  return {
    issues,
    issuer: isSigned ? issuer.issuer : null,
    presented: issues.some(isDefect) ? null : { ...presentedMdoc(document.docType, verified), claims: verified.claims },
  }
}

function read(presentation: string): DeviceResponse | null {
  try {
    return parseDeviceResponse(presentation)
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

/** 6.5, step 3 */
async function resolved(
  platform: Needs,
  { issuerSigned }: Document,
  { now, trust }: ExpectedPresentation,
): Promise<MdocIssuer | Issue> {
  try {
    return await resolveMdocIssuer(platform, issuerSigned, now, trust.anchors)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return issue(isOutOfReach(error) ? 'issuer.unavailable' : 'issuer.unresolved')
  }
}

/** The chain must have been valid when it signed; its leaf must be so now too: no mdoc counts for longer, whatever it says (6.5, step 7). */
function issuerIssues({ findings, certificate }: MdocIssuer, { now }: ExpectedPresentation): readonly Issue[] {
  // RFC 5280 4.1.2.5: through the second of notAfter
  const hasEnded = now.getTime() >= certificate.notAfter.getTime() + 1000
  const isTold = findings.some(({ code }) => code === 'certificate.expired')
  return hasEnded && !isTold ? [...findings, trustFinding('certificate.expired')] : findings
}

/** 6.5, steps 2 and 4 to 10 */
function verify(response: DeviceResponse, { certificate }: MdocIssuer, expected: ExpectedPresentation): VerifiedMdoc {
  const { aud: clientId, nonce, responseUri, now, credential } = expected
  // [VP-H1] our answers are not encrypted. [VP-H2] everything else is from our own request, nothing from what arrived
  const sessionTranscript = redirectTranscript({ clientId, nonce, responseUri, encryptionKey: null })
  return verifyDeviceResponse(response, { certificate, now, docType: credential.type, sessionTranscript })
}

/** 6.5, step 11 */
function statusIssues(
  platform: Needs,
  { issuerSigned }: Document,
  issuer: MdocIssuer,
  { now, trust }: ExpectedPresentation,
): Promise<readonly Issue[]> {
  return checkStatus(platform, issuerSigned.mso.status, issuer, now, trust.anchors, 'cwt')
}
