import { sha256Base64url } from '../../crypto/digest.ts'
import { memberOf } from '../../crypto/json.ts'
import { parseCompact } from '../../crypto/jws.ts'
import { authorityKeyIdsOf } from '../../crypto/x509/authority-key-ids.ts'
import { isUnanchoredChain } from '../../crypto/x509-path/unanchored-chain.ts'
import { issuedPositions } from '../../protocols/dcql/claims-path.ts'
import { looksLikeDid } from '../../protocols/did/did.ts'
import { alsoTypesOf } from '../../protocols/sd-jwt-vc/also-types.ts'
import { finding } from '../../protocols/sd-jwt-vc/findings.ts'
import { parseSdJwt, type SdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { type VerifiedPresentation, verifyPresentation } from '../../protocols/sd-jwt-vc/verify-presentation.ts'
import { type ResolvedIssuer, resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
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
 * Checks one SD-JWT VC on its own: form, issuer, signature, validity, key binding, then the status list.
 *
 * @see [OpenID4VP 1.0, 8.6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-vp-token-validation)
 */
export async function checkSdJwtPresentation(
  platform: TrustNeeds,
  compact: string,
  expected: ExpectedPresentation,
): Promise<CheckedCredential> {
  const sdJwt = nullIfFault(() => parseSdJwt(compact))
  if (sdJwt === null) return rejectedCredential([issue('presentation.malformed')])
  const { trusting } = expected.policy
  if (trusting.requiresCertifiedIssuers && !isUnanchoredChain(sdJwt.jwt.header.x5c))
    return rejectedCredential([issue('issuer.not_certified')])
  // OpenID4VP 1.0, 14.2.2: refused before anything is fetched
  if (isForAnotherRequest(sdJwt, expected.nonce)) return rejectedCredential([finding('kb.nonce')])
  // no key is fetched for an issuer that would be refused
  const issuerDefects = await claimedIssuerDefects(sdJwt, expected)
  if (issuerDefects.length > 0) return rejectedCredential(issuerDefects)
  const { now, trust } = expected
  const issuer = await issuerOrIssue(resolveIssuer(platform, sdJwt.jwt, now, trust.anchors))
  if ('code' in issuer) return rejectedCredential([issuer])
  const verified = verify(sdJwt, issuer, expected)
  const acceptance = await checkIssuer(issuer, expected)
  const issues: Issue[] = [...issuer.findings, ...verified.findings, ...acceptance.issues]
  // Token Status List 8.3: only for a credential that is otherwise valid
  const status = issues.some(isDefect)
    ? null
    : await readStatus(
        platform,
        memberOf(verified.payload, 'status'),
        issuer,
        now,
        trust.anchors,
        trusting.statusListForm,
      )
  issues.push(...(status?.findings ?? []))
  const isSigned = !verified.findings.some(({ code }) => code.startsWith('jwt.')) && issuer.trusted
  const presented = issues.some(isDefect) ? null : presentedOf(verified, issuer)
  const isBound = !isBindingWaived(sdJwt, expected) || verified.keyBinding !== null
  const facts = factsOf(acceptance.acceptedAs, isBound, status)
  return { issues, issuer: isSigned ? issuer.issuer : null, presented, facts }
}

function isForAnotherRequest({ keyBinding }: SdJwt, nonce: string): boolean {
  if (keyBinding === null) return false
  try {
    return memberOf(parseCompact(keyBinding).payload, 'nonce') !== nonce
  } catch {
    return false
  }
}

/** Checks the unverified `iss`. With a certificate the issuer is known only after its chain was validated. */
async function claimedIssuerDefects({ jwt }: SdJwt, expected: ExpectedPresentation): Promise<readonly Issue[]> {
  const iss = memberOf(jwt.payload, 'iss')
  if (typeof iss !== 'string' || Object.hasOwn(jwt.header, 'x5c')) return []
  const mechanism = looksLikeDid(iss) ? 'did' : 'jwt-vc-issuer'
  const claimed = { issuer: iss, mechanism, trusted: true, chain: null, keyIds: [] } as const
  return (await checkIssuer(claimed, expected)).issues.filter(isDefect)
}

function verify(sdJwt: SdJwt, { key }: ResolvedIssuer, expected: ExpectedPresentation): VerifiedPresentation {
  const { nonce, aud, now, keyBindingAgeMaxSeconds } = expected
  const age = keyBindingAgeMaxSeconds === undefined ? {} : { keyBindingAgeMaxSeconds }
  const keyBinding = isBindingWaived(sdJwt, expected) ? 'optional' : 'required'
  return verifyPresentation(sdJwt, { issuerKey: key, now, keyBinding, nonce, aud, audience: aud, ...age })
}

/** [SEC-56], [HAIP-32]: a credential with a key is always presented with it */
function isBindingWaived({ jwt }: SdJwt, { credential, policy }: ExpectedPresentation): boolean {
  return (
    credential.requireCryptographicHolderBinding === false &&
    !(policy.presenting.requiresHolderBinding && memberOf(jwt.payload, 'cnf') !== undefined)
  )
}

function presentedOf(
  { claims, arrays, sdJwt, keyBinding }: VerifiedPresentation,
  { chain }: ResolvedIssuer,
): CheckedCredential['presented'] {
  const type = memberOf(claims, 'vct')
  if (typeof type !== 'string') return null
  return {
    format: 'dc+sd-jwt',
    type,
    alsoTypes: alsoTypesOf(claims),
    claims,
    // an index in the query refers to the array as issued
    positions: issuedPositions(claims, arrays),
    holderBound: keyBinding !== null,
    signedByHolder: keyBinding ?? {},
    fingerprint: sha256Base64url(sdJwt.jwtCompact),
    authorityKeyIds: authorityKeyIdsOf(chain?.der ?? []),
  }
}
