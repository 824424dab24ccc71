import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { type PublicJwk, readPublicJwk, thumbprint, type VerificationKey } from '../../crypto/jwk.ts'
import { findJwsError, type JwsAlg } from '../../crypto/jws.ts'
import { CLOCK_SKEW_SECONDS } from '../numeric-date.ts'
import { type FindingCode, finding, type SdJwtFinding } from './findings.ts'
import { type ProcessedSdJwt, processSdJwt } from './process-sd-jwt.ts'
import type { SdJwt } from './sd-jwt.ts'

/** [VC-1] Accepted types of the header; the second one is that of earlier drafts. */
const types = ['dc+sd-jwt', 'vc+sd-jwt'] as const

/** Policy of a recipient. The caller has verified that the key is the issuer's. */
export type CredentialPolicy = {
  readonly issuerKey: VerificationKey
  readonly now: Date
  readonly algs?: readonly JwsAlg[]
  /** The recipient, for a credential with an audience, which is refused if this is absent. */
  readonly audience?: string
  /** Required validity claims. */
  readonly required?: readonly ('iat' | 'nbf' | 'exp')[]
}

/** A checked credential. With findings, nothing in it is trustworthy. */
export type CheckedSdJwtVc = ProcessedSdJwt & { readonly sdJwt: SdJwt }

/**
 * Checks a credential without its key binding: signature, type, disclosures, validity.
 *
 * NOT checked: whether the key is the issuer's, the status list, trust in the issuer, Type Metadata.
 *
 * @see [RFC 9901, 7.1](https://www.rfc-editor.org/rfc/rfc9901#section-7.1)
 */
export function checkSdJwtVc(sdJwt: SdJwt, policy: CredentialPolicy): CheckedSdJwtVc {
  const findings: SdJwtFinding[] = []
  const error = findJwsError(sdJwt.jwt, policy.issuerKey, {
    typ: types,
    ...(policy.algs && { algs: policy.algs }),
  })
  if (error !== null) findings.push(finding(jwtFindings[error.code]))
  const processed = processSdJwt(sdJwt)
  findings.push(...processed.findings)
  // without valid digests the claims are not checked
  if (processed.findings.length === 0) findings.push(...checkClaims(processed.payload, policy).map(finding))
  return { ...processed, findings, sdJwt }
}

/** What a holder requested from the issuer. `holderKey`: the key in the key proof, null without key binding. */
export type RequestedSdJwtVc = CredentialPolicy & { readonly holderKey: PublicJwk | null; readonly vct?: string }

/**
 * Checks a credential on receipt by its holder.
 *
 * Missing disclosures cannot be detected: they look like decoys.
 *
 * @see [RFC 9901, 7.2](https://www.rfc-editor.org/rfc/rfc9901#section-7.2)
 */
export function checkReceivedSdJwtVc(sdJwt: SdJwt, requested: RequestedSdJwtVc): CheckedSdJwtVc {
  const checked = checkSdJwtVc(sdJwt, requested)
  if (isUnreadable(checked)) return checked
  const codes: FindingCode[] = []
  // [SD-20] an issuer cannot create a key binding of the holder
  if (sdJwt.keyBinding !== null) codes.push('kb.unexpected')
  if (requested.vct !== undefined && memberOf(checked.payload, 'vct') !== requested.vct) codes.push('vct.unexpected')
  const bound = holderKeyOf(checked.payload)
  // [SEC-30] keys are compared by thumbprint
  const same =
    bound === null || requested.holderKey === null || bound === 'malformed'
      ? bound === requested.holderKey
      : thumbprint(bound) === thumbprint(requested.holderKey)
  if (!same) codes.push('cnf.unexpected')
  return { ...checked, findings: [...checked.findings, ...codes.map(finding)] }
}

/** Whether the payload was not processed, because the hash is not accepted; further checks would be meaningless. */
export function isUnreadable({ findings }: Pick<CheckedSdJwtVc, 'findings'>): boolean {
  return findings.some(({ code }) => code === 'sd_alg.unsupported')
}

/**
 * Returns the key to which a payload is bound; null without key binding, `malformed` if the key is not supported
 * [VC-4].
 */
export function holderKeyOf(payload: JsonObject): PublicJwk | null | 'malformed' {
  const cnf = memberOf(payload, 'cnf')
  if (cnf === undefined) return null
  try {
    // only `jwk`: a `jku` or a `kid` that is a URL is never followed
    return isJsonObject(cnf) ? readPublicJwk(memberOf(cnf, 'jwk')) : 'malformed'
  } catch {
    return 'malformed'
  }
}

const jwtFindings = {
  crit: 'jwt.critical',
  algorithm: 'jwt.algorithm',
  type: 'jwt.type',
  key: 'jwt.key',
  signature: 'jwt.signature',
} as const

function checkClaims(payload: JsonObject, policy: CredentialPolicy): FindingCode[] {
  const codes: FindingCode[] = []
  const vct = memberOf(payload, 'vct')
  // [VC-2] [VC-3] the type is required, and it is a string
  if (typeof vct !== 'string' || vct === '') codes.push('vct.missing')
  const iss = memberOf(payload, 'iss')
  if (iss !== undefined && typeof iss !== 'string') codes.push('claim.malformed')
  if (holderKeyOf(payload) === 'malformed') codes.push('cnf.malformed')
  if (!(policy.required ?? []).every((name) => Object.hasOwn(payload, name))) codes.push('claim.missing')
  codes.push(...checkTimes(payload, policy.now), ...checkAudience(memberOf(payload, 'aud'), policy.audience))
  return codes
}

/** Checks `exp`, `nbf` and `iat`, with {@link CLOCK_SKEW_SECONDS}. */
function checkTimes(payload: JsonObject, now: Date): FindingCode[] {
  const seconds = now.getTime() / 1000
  const codes: FindingCode[] = []
  const [exp, nbf, iat] = (['exp', 'nbf', 'iat'] as const).map((name) => memberOf(payload, name))
  for (const time of [exp, nbf, iat]) if (time !== undefined && typeof time !== 'number') codes.push('claim.malformed')
  // RFC 7519 4.1.4: on or after this time it is not accepted
  if (typeof exp === 'number' && exp + CLOCK_SKEW_SECONDS <= seconds) codes.push('validity.expired')
  if (typeof nbf === 'number' && nbf - CLOCK_SKEW_SECONDS > seconds) codes.push('validity.early')
  if (typeof iat === 'number' && iat - CLOCK_SKEW_SECONDS > seconds) codes.push('validity.future')
  return codes
}

function checkAudience(aud: Json | undefined, us: string | undefined): FindingCode[] {
  if (aud === undefined) return []
  // RFC 7519 4.1.3: a recipient that is not in it refuses the JWT
  const named = Array.isArray(aud) ? aud : [aud]
  return us !== undefined && named.includes(us) ? [] : ['audience.other']
}
