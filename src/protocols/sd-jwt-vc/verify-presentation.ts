import { digestBase64url, equalInConstantTime } from '../../crypto/digest.ts'
import { type JsonObject, memberOf } from '../../crypto/json.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { findJwsError, type Jws, type JwsAlg, parseCompact } from '../../crypto/jws.ts'
import { CLOCK_SKEW_SECONDS } from '../numeric-date.ts'
import {
  type CheckedSdJwtVc,
  type CredentialPolicy,
  checkSdJwtVc,
  holderKeyOf,
  isUnreadable,
} from './check-sd-jwt-vc.ts'
import { hashOf } from './disclosure.ts'
import { type FindingCode, finding } from './findings.ts'
import { type SdJwt, withoutKeyBinding } from './sd-jwt.ts'

/** Tolerance of the `iat` of a key binding: how far in the future, and by default how old. */
const KEY_BINDING_AGE_MAX_SECONDS = 300

/** Policy of a verifier. `keyBinding` is independent of the presentation [SEC-56]. */
export type PresentationPolicy = CredentialPolicy & {
  readonly keyBinding: 'required' | 'optional'
  readonly nonce: string
  /** Our full client identifier, as in the request; `origin:` and the origin over the Digital Credentials API. */
  readonly aud: string
  readonly keyBindingAlgs?: readonly JwsAlg[]
  /** How old a key binding may be; 5 minutes by default. */
  readonly keyBindingAgeMaxSeconds?: number
}

/**
 * A checked presentation. With findings, `claims` must not be used. `keyBinding`: the claims that the holder signed,
 * null without.
 */
export type VerifiedPresentation = CheckedSdJwtVc & {
  readonly claims: JsonObject
  readonly keyBinding: JsonObject | null
}

/**
 * Verifies a presentation: the credential, and its key binding to this verifier and request.
 *
 * NOT checked: whether `issuerKey` is the issuer's, trust in the issuer, the status list, whether the claims satisfy
 * the query.
 *
 * @see [RFC 9901, 7.3](https://www.rfc-editor.org/rfc/rfc9901#section-7.3)
 */
export function verifyPresentation(sdJwt: SdJwt, policy: PresentationPolicy): VerifiedPresentation {
  const checked = checkSdJwtVc(sdJwt, policy)
  if (isUnreadable(checked)) return { ...checked, claims: checked.payload, keyBinding: null }
  const { codes, keyBinding } = checkKeyBinding(sdJwt, checked, policy)
  return { ...checked, claims: checked.payload, keyBinding, findings: [...checked.findings, ...codes.map(finding)] }
}

type Outcome = { readonly codes: readonly FindingCode[]; readonly keyBinding: JsonObject | null }

function checkKeyBinding(sdJwt: SdJwt, { payload }: CheckedSdJwtVc, policy: PresentationPolicy): Outcome {
  // RFC 9901 7.3 (2): policy determines whether key binding is required
  if (sdJwt.keyBinding === null) {
    return { codes: policy.keyBinding === 'required' ? ['kb.missing'] : [], keyBinding: null }
  }
  // an optional key binding is verified too: a broken one is an attack
  const holderKey = holderKeyOf(payload)
  if (holderKey === null || holderKey === 'malformed') return { codes: ['kb.no_key'], keyBinding: null }
  let jwt: Jws
  try {
    jwt = parseCompact(sdJwt.keyBinding)
  } catch {
    return { codes: ['kb.malformed'], keyBinding: null }
  }
  const signature = checkSignature(jwt, holderKey, policy)
  return { codes: [...signature, ...checkBound(sdJwt, jwt.payload, policy)], keyBinding: jwt.payload }
}

const signatureFindings = {
  crit: 'kb.critical',
  algorithm: 'kb.algorithm',
  type: 'kb.type',
  key: 'kb.key',
  signature: 'kb.signature',
} as const

function checkSignature(jwt: Jws, holderKey: PublicJwk, { keyBindingAlgs }: PresentationPolicy): FindingCode[] {
  const error = findJwsError(jwt, holderKey, { typ: 'kb+jwt', ...(keyBindingAlgs && { algs: keyBindingAlgs }) })
  return error === null ? [] : [signatureFindings[error.code]]
}

function checkBound(sdJwt: SdJwt, payload: JsonObject, policy: PresentationPolicy): FindingCode[] {
  const codes: FindingCode[] = []
  if (!isTimely(payload, policy)) codes.push('kb.time')
  if (memberOf(payload, 'nonce') !== policy.nonce) codes.push('kb.nonce')
  // RFC 9901 4.3: `aud` is a single string
  if (memberOf(payload, 'aud') !== policy.aud) codes.push('kb.audience')
  const hash = hashOf(sdJwt.jwt.payload)
  const sdHash = memberOf(payload, 'sd_hash')
  const same =
    hash !== null &&
    typeof sdHash === 'string' &&
    equalInConstantTime(sdHash, digestBase64url(hash, withoutKeyBinding(sdJwt)))
  if (!same) codes.push('kb.sd_hash')
  return codes
}

/** RFC 9901 7.3 (5.d): `iat` is within the window, and `exp` and `nbf`, if present, are valid. */
function isTimely(
  payload: JsonObject,
  { now, keyBindingAgeMaxSeconds = KEY_BINDING_AGE_MAX_SECONDS }: PresentationPolicy,
): boolean {
  const seconds = now.getTime() / 1000
  const [iat, exp, nbf] = (['iat', 'exp', 'nbf'] as const).map((name) => memberOf(payload, name))
  if (typeof iat !== 'number' || iat - seconds > KEY_BINDING_AGE_MAX_SECONDS) return false
  if (seconds - iat > keyBindingAgeMaxSeconds) return false
  if (exp !== undefined && (typeof exp !== 'number' || exp + CLOCK_SKEW_SECONDS <= seconds)) return false
  return nbf === undefined || (typeof nbf === 'number' && nbf - CLOCK_SKEW_SECONDS <= seconds)
}
