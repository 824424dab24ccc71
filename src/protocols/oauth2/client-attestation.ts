import type { JsonObject } from '../../crypto/json.ts'
import { importPublicJwk, readPublicJwk, thumbprint, type VerificationKey } from '../../crypto/jwk.ts'
import { findJwsError, findJwsHeaderError, type Jws, parseCompact } from '../../crypto/jws.ts'
import { Fault, faultOf } from '../../fault.ts'
import { CLOCK_SKEW_SECONDS } from '../numeric-date.ts'
import { isText } from '../shape.ts'

/** Algorithms of client attestations and of their proofs of possession, as the metadata name them. */
export const ATTESTATION_ALGS = ['ES256', 'EdDSA', 'Ed25519'] as const

/** A chain of certificates fits; the HTTP server accepts 16 KiB of headers in all. */
const ATTESTATION_CHARS_MAX = 12_288
const POP_CHARS_MAX = 4096
const ID_CHARS_MAX = 256
/** How old `iat` of a proof of possession may be. [SEC-80] */
const AGE_SECONDS_MAX = 300

/** A client instance as its attester describes it. `jkt`: thumbprint of the key of the instance. */
type AttestedInstance = { readonly clientId: string; readonly key: VerificationKey; readonly jkt: string }

/** A verified proof of possession. `jti` is to be spent until `expiresAt`; `challenge` is to be checked. */
type AttestationPop = { readonly jti: string; readonly challenge: string | null; readonly expiresAt: Date }

/**
 * Parses a client attestation, so that the caller can resolve the key of its attester. Type and algorithm are checked.
 *
 * @param text Value of the header `OAuth-Client-Attestation`; several headers arrive joined by commas, which no JWT
 *   contains.
 * @throws Fault `client_attestation.invalid`
 */
export function parseClientAttestation(text: string): Jws {
  const jws = parsed(text, ATTESTATION_CHARS_MAX, 'attestation')
  // [SEC-21] draft 10, 8.1: algorithm and type
  const error = findJwsHeaderError(jws.header, { algs: ATTESTATION_ALGS, typ: 'oauth-client-attestation+jwt' })
  if (error !== null) throw invalid(`The client attestation is refused. ${error.message}`)
  return jws
}

/**
 * Verifies a client attestation that {@link parseClientAttestation} returned.
 *
 * NOT checked: that the attester is trusted, and that the instance holds its key. `iss` is required by draft 07 only,
 * and ignored.
 *
 * @param key The key of the attester.
 * @throws Fault `client_attestation.invalid`, `client_attestation.stale` if it has expired
 * @see draft-ietf-oauth-attestation-based-client-auth-10, 5.1 and 8.1
 */
export function checkClientAttestation(jws: Jws, key: VerificationKey, now: Date): AttestedInstance {
  const error = findJwsError(jws, key, { algs: ATTESTATION_ALGS })
  if (error !== null) throw invalid(`The client attestation is refused. ${error.message}`)
  const { sub, exp, cnf } = jws.payload
  if (!isText(sub, ID_CHARS_MAX)) throw invalid('sub of the client attestation is missing.')
  if (typeof exp !== 'number') throw invalid('exp of the client attestation is missing.')
  checkStart('client attestation', jws.payload, now)
  if (exp + CLOCK_SKEW_SECONDS <= now.getTime() / 1000) throw new Fault('client_attestation.stale')
  return { clientId: sub, ...instanceKeyOf(cnf) }
}

/**
 * Verifies the proof that a client instance holds its attested key.
 *
 * NOT checked: that the challenge is one of ours, and that the `jti` was not used before.
 *
 * @param text Value of the header `OAuth-Client-Attestation-PoP`.
 * @param audience Our issuer identifier, which `aud` must be.
 * @throws Fault `client_attestation.invalid`
 * @see draft-ietf-oauth-attestation-based-client-auth-10, 5.2 and 8.2
 */
export function checkAttestationPop(
  text: string,
  { key, clientId }: Pick<AttestedInstance, 'key' | 'clientId'>,
  { audience, now }: { readonly audience: string; readonly now: Date },
): AttestationPop {
  const jws = parsed(text, POP_CHARS_MAX, 'proof of possession')
  const error = findJwsError(jws, key, { algs: ATTESTATION_ALGS, typ: 'oauth-client-attestation-pop+jwt' })
  if (error !== null) throw invalid(`The proof of possession is refused. ${error.message}`)
  const { iss, aud, jti, iat, challenge } = jws.payload
  // Draft 07 requires `iss`; draft 08 removed it.
  if (iss !== undefined && iss !== clientId) throw invalid('iss of the proof of possession is another client.')
  // The identifier itself: with another audience in a list, that server could replay the proof here.
  if (aud !== audience) throw invalid('The proof of possession is for another audience.')
  if (!isText(jti, ID_CHARS_MAX)) throw invalid('jti of the proof of possession is missing.')
  if (challenge !== undefined && !isText(challenge, ID_CHARS_MAX)) throw invalid('challenge is not a string.')
  if (typeof iat !== 'number' || iat < now.getTime() / 1000 - AGE_SECONDS_MAX) {
    throw invalid('The proof of possession is too old or has no iat.')
  }
  checkStart('proof of possession', jws.payload, now)
  const expiresAt = new Date((iat + AGE_SECONDS_MAX + CLOCK_SKEW_SECONDS) * 1000)
  return { jti, challenge: challenge ?? null, expiresAt }
}

function parsed(text: string, charsMax: number, what: string): Jws {
  try {
    return parseCompact(text, { charsMax })
  } catch (cause) {
    throw new Fault('client_attestation.invalid', { detail: `The ${what} is not one signed JWT.`, cause })
  }
}

/** The key must be public, and a point on its curve. */
function instanceKeyOf(cnf: JsonObject[string] | undefined): Pick<AttestedInstance, 'key' | 'jkt'> {
  try {
    const jwk = readPublicJwk(typeof cnf === 'object' && cnf !== null && 'jwk' in cnf ? cnf.jwk : undefined)
    return { key: importPublicJwk(jwk), jkt: thumbprint(jwk) }
  } catch (cause) {
    throw new Fault('client_attestation.invalid', { detail: 'cnf of the client attestation has no public key.', cause })
  }
}

/** `iat` and `nbf` are optional, and not in the future. */
function checkStart(what: string, { iat, nbf }: JsonObject, now: Date): void {
  for (const time of [iat, nbf]) {
    if (time === undefined) continue
    if (typeof time !== 'number' || time > now.getTime() / 1000 + CLOCK_SKEW_SECONDS) {
      throw invalid(`The ${what} is not valid yet.`)
    }
  }
}

const invalid = faultOf('client_attestation.invalid')
