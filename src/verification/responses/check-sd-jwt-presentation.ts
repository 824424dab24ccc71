import { sha256Base64url } from '../../crypto/digest.ts'
import { memberOf } from '../../crypto/json.ts'
import { parseCompact } from '../../crypto/jws.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { issuedPositions } from '../../protocols/dcql/claims-path.ts'
import { looksLikeDid } from '../../protocols/did/did.ts'
import { finding } from '../../protocols/sd-jwt-vc/findings.ts'
import { parseSdJwt, type SdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { type VerifiedPresentation, verifyPresentation } from '../../protocols/sd-jwt-vc/verify-presentation.ts'
import { type ResolvedIssuer, resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { isOutOfReach } from '../../trust/lookups/out-of-reach.ts'
import { checkStatus } from '../../trust/status-lists/check-status.ts'
import { type Issue, isDefect, issue } from '../requests/finding.ts'
import { checkIssuer } from './check-issuer.ts'
import { type CheckedCredential, type ExpectedPresentation, rejectedCredential } from './checked-credential.ts'

/**
 * Checks one SD-JWT VC by itself: form, issuer, signature, validity, key binding, then the status list.
 *
 * Issuer documents and status lists are fetched, bounded and cached. Whether it answers the query is NOT checked here.
 *
 * @see [OpenID4VP 1.0, 8.6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-vp-token-validation), protocol steps 5 to 9
 */
export async function checkSdJwtPresentation(
  platform: Pick<Platform, 'fetch' | 'config' | 'memory'>,
  compact: string,
  expected: ExpectedPresentation,
): Promise<CheckedCredential> {
  // 3.9 step 5: parsed by the format of the query only
  const sdJwt = read(compact)
  if (sdJwt === null) return rejectedCredential([issue('presentation.malformed')])
  // 14.1.2: one that was made for another request is refused before anybody is asked about it
  if (isForAnotherRequest(sdJwt, expected.nonce)) return rejectedCredential([finding('kb.nonce')])
  // nobody is asked for the key of an issuer that would be refused anyway
  const objections = await objectionsToClaimed(sdJwt, expected)
  if (objections.length > 0) return rejectedCredential(objections)
  const issuer = await resolved(platform, sdJwt, expected)
  if ('code' in issuer) return rejectedCredential([issuer])
  const verified = verify(sdJwt, issuer, expected)
  const issues: Issue[] = [...issuer.findings, ...verified.findings, ...(await checkIssuer(issuer, expected))]
  // Token Status List 8.3: not looked up for a credential that is invalid anyway
  if (!issues.some(isDefect)) {
    const { now, trust } = expected
    issues.push(...(await checkStatus(platform, memberOf(verified.payload, 'status'), issuer, now, trust.anchors)))
  }
  const isSigned = !verified.findings.some(({ code }) => code.startsWith('jwt.')) && issuer.trusted
  const presented = issues.some(isDefect) ? null : presentedOf(verified)
  return { issues, issuer: isSigned ? issuer.issuer : null, presented }
}

function read(compact: string): SdJwt | null {
  try {
    return parseSdJwt(compact)
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

function isForAnotherRequest({ keyBinding }: SdJwt, nonce: string): boolean {
  if (keyBinding === null) return false
  try {
    return memberOf(parseCompact(keyBinding).payload, 'nonce') !== nonce
  } catch {
    return false
  }
}

async function resolved(
  platform: Pick<Platform, 'fetch' | 'config' | 'memory'>,
  { jwt }: SdJwt,
  { now, trust }: ExpectedPresentation,
): Promise<ResolvedIssuer | Issue> {
  try {
    return await resolveIssuer(platform, jwt, now, trust.anchors)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return issue(isOutOfReach(error) ? 'issuer.unavailable' : 'issuer.unresolved')
  }
}

/** By its own word; whether that is true comes later. A certificate says it itself. */
async function objectionsToClaimed({ jwt }: SdJwt, expected: ExpectedPresentation): Promise<readonly Issue[]> {
  const iss = memberOf(jwt.payload, 'iss')
  if (typeof iss !== 'string' || Object.hasOwn(jwt.header, 'x5c')) return []
  const mechanism = looksLikeDid(iss) ? 'did' : 'jwt-vc-issuer'
  const claimed = { issuer: iss, mechanism, trusted: true, chain: null, keyIds: [] } as const
  return (await checkIssuer(claimed, expected)).filter(isDefect)
}

function verify(
  sdJwt: SdJwt,
  { key }: ResolvedIssuer,
  { nonce, aud, now }: ExpectedPresentation,
): VerifiedPresentation {
  // [SEC-56] the holder must always prove possession, whatever arrived
  return verifyPresentation(sdJwt, { issuerKey: key, now, keyBinding: 'required', nonce, aud, audience: aud })
}

function presentedOf({ claims, arrays, sdJwt, keyBinding }: VerifiedPresentation): CheckedCredential['presented'] {
  const type = memberOf(claims, 'vct')
  if (typeof type !== 'string') return null
  return {
    ...{ format: 'dc+sd-jwt', type, claims },
    // an index of the query means the array as it was issued
    positions: issuedPositions(claims, arrays),
    holderBound: keyBinding !== null,
    fingerprint: sha256Base64url(sdJwt.jwtCompact),
  }
}
