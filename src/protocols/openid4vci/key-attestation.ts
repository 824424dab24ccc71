import type { JsonObject } from '../../crypto/json.ts'
import { canonical, type PublicJwk, readPublicJwk, thumbprint, type VerificationKey } from '../../crypto/jwk.ts'
import { findJwsError, type Jws, type JwsAlg, parseCompact } from '../../crypto/jws.ts'
import { Fault, faultOf } from '../../fault.ts'
import { CLOCK_SKEW_SECONDS } from '../numeric-date.ts'
import { isText, isTextList } from '../shape.ts'

/**
 * Levels of key storage and user authentication that an issuer accepts, at least one of each list. An absent list
 * accepts every level.
 */
export type AttestationPolicy = {
  readonly keyStorage?: readonly string[] | undefined
  readonly userAuthentication?: readonly string[] | undefined
}

/** The keys of a verified attestation, with nothing but their public members, and its nonce. */
export type AttestedKeys = {
  readonly keys: readonly { readonly jwk: PublicJwk; readonly thumbprint: string; readonly kid: string | null }[]
  readonly nonce: string
  readonly expires: boolean
}

/** Maximum length of an attestation, in characters: 50 keys and a chain. */
export const ATTESTATION_CHARS_MAX = 32_768
/** [SEC-41] Keys of one attestation. */
const KEYS_MAX = 50

/**
 * Parses an attestation, so that the caller can resolve the key of its signer. Verifies nothing.
 *
 * @throws Fault `key_proof.invalid`
 */
export function parseKeyAttestation(text: string): Jws {
  try {
    return parseCompact(text, { charsMax: ATTESTATION_CHARS_MAX })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('key_proof.invalid', { detail: 'The key attestation is not a well-formed JWT.', cause })
  }
}

/**
 * Verifies a key attestation. [VCI-K1]
 *
 * NOT checked: whether its signer is trusted, whether the nonce was handed out and is unused, and its status.
 *
 * @param key The key of its signer.
 * @param algs Accepted algorithms; by default all that are supported.
 * @throws Fault `key_proof.invalid`
 * @see [OpenID4VCI 1.0, D](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-key-attestations)
 */
export function verifyKeyAttestation(
  jws: Jws,
  key: VerificationKey,
  { policy, algs }: { readonly policy: AttestationPolicy; readonly algs?: readonly JwsAlg[] },
  now: Date,
): AttestedKeys {
  const error = findJwsError(jws, key, { ...(algs && { algs }), typ: 'key-attestation+jwt' })
  if (error !== null) throw invalid(`The key attestation is refused. ${error.message}`)
  const { nonce } = jws.payload
  const expires = checkTimes(jws.payload, now)
  // [VCI-K2] This issuer has a nonce endpoint.
  if (!isText(nonce, 1024)) throw invalid('nonce of the key attestation is missing.')
  checkLevels('key_storage', jws.payload.key_storage, policy.keyStorage)
  checkLevels('user_authentication', jws.payload.user_authentication, policy.userAuthentication)
  return { keys: keysOf(jws.payload), nonce, expires }
}

/** Returns whether the attestation has an `exp`. */
function checkTimes({ iat, exp }: JsonObject, now: Date): boolean {
  const seconds = now.getTime() / 1000
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw invalid('iat of the key attestation is missing.')
  if (iat - seconds > CLOCK_SKEW_SECONDS) throw invalid('iat of the key attestation lies in the future.')
  if (exp === undefined) return false
  if (typeof exp !== 'number' || exp + CLOCK_SKEW_SECONDS <= seconds) throw invalid('The key attestation has expired.')
  return true
}

/** [VCI-K5] At least one of the listed values. */
function checkLevels(name: string, value: unknown, accepted: readonly string[] | undefined): void {
  if (accepted === undefined) return
  if (isTextList(value) && value.some((one) => accepted.includes(one))) return
  throw invalid(`${name} of the key attestation has none of the required values.`)
}

function keysOf({ attested_keys: value }: JsonObject): AttestedKeys['keys'] {
  if (!Array.isArray(value) || value.length === 0 || value.length > KEYS_MAX) {
    throw invalid(`attested_keys is not an array of 1 to ${KEYS_MAX} keys.`)
  }
  const keys = value.map((one) => {
    const jwk = usable(one)
    return { jwk: canonical(jwk), thumbprint: thumbprint(jwk), kid: jwk.kid ?? null }
  })
  if (new Set(keys.map((one) => one.thumbprint)).size < keys.length) throw invalid('attested_keys has a key twice.')
  return keys
}

function usable(value: unknown): PublicJwk {
  try {
    return readPublicJwk(value)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('key_proof.invalid', { detail: 'attested_keys has a key that is not usable.', cause })
  }
}

const invalid = faultOf('key_proof.invalid')
