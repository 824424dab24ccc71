import type { JsonObject } from '../../crypto/json.ts'
import { canonical, importPublicJwk, type PublicJwk, readPublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { findJwsError, type JwsAlg, jwsAlgs, parseCompact, signCompact } from '../../crypto/jws.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { Fault, faultOf } from '../../fault.ts'
import { CLOCK_SKEW_SECONDS, toNumericDate } from '../numeric-date.ts'
import { isText } from '../shape.ts'
import { ATTESTATION_CHARS_MAX, type AttestedKeys } from './key-attestation.ts'

const PROOF_TYPE = 'openid4vci-proof+jwt'
const PROOF_CHARS_MAX = 16_384
/** With an attestation, which is encoded twice. */
const ATTESTED_CHARS_MAX = PROOF_CHARS_MAX + 2 * ATTESTATION_CHARS_MAX

/** What a proof must fit to. */
type ProofExpectation = {
  /** Our Credential Issuer Identifier. */
  readonly issuer: string
  /** `proof_signing_alg_values_supported` of the configuration; by default {@link jwsAlgs}. */
  readonly algs?: readonly JwsAlg[]
  /** The client that the access token was issued to; null for anonymous access. */
  readonly clientId?: string | null
  /** How old `iat` may be. By default unlimited: the nonce of the server has the time that counts. [VCI-P7] */
  readonly maxAgeSeconds?: number
  /**
   * The verified attestations by text. If present, each proof must embed one of them, and proves all of its keys.
   * [VCI-K5]
   */
  readonly attestations?: ReadonlyMap<string, AttestedKeys>
  /** Finds the key that a `kid` names (a DID URL). Absent: proofs by `kid` are refused. */
  readonly resolveKid?: (kid: string) => PublicJwk | null
}

/** A key that a wallet proved to hold, with nothing but its public members, and the nonce that it used. */
export type ProvedKey = { readonly jwk: PublicJwk; readonly thumbprint: string; readonly nonce: string }

/**
 * Checks one key proof of type `jwt` and returns the key it proves.
 *
 * Form, signature and claims are checked here. Whether `nonce` was ever handed out, and only once, is the caller's to
 * check. Without `attestations` a `key_attestation` in the header is neither demanded nor believed.
 *
 * @param proof Compact JWS, as the wallet sent it.
 * @param now The moment of the check; nothing in `protocols/` reads a clock.
 * @throws Fault `key_proof.invalid`
 * @see [OpenID4VCI 1.0, F.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#jwt-proof-type) and [F.4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#verifying-key-proof)
 */
export function verifyJwtProof(proof: string, expected: ProofExpectation, now: Date): ProvedKey {
  try {
    const jws = parseCompact(proof, { charsMax: charsMaxOf(expected) })
    const jwk = keyOf(jws.header, expected)
    // OpenID4VCI 1.0, F.1 and F.4: typ, a registered asymmetric algorithm of our list, a signature by the key of the
    // header.
    const error = findJwsError(jws, importPublicJwk(jwk), { algs: expected.algs ?? jwsAlgs, typ: PROOF_TYPE })
    if (error !== null) throw invalid(error.message)
    return { jwk: canonical(jwk), thumbprint: thumbprint(jwk), nonce: checkClaims(jws.payload, expected, now) }
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code === 'key_proof.invalid') throw cause
    throw new Fault('key_proof.invalid', { detail: 'The key proof is not a well-formed JWT with a usable key.', cause })
  }
}

/**
 * Checks all proofs of a credential request. One bad proof fails the whole request. [VCI-P5]
 *
 * @returns The keys in the order of the proofs, and the distinct nonces, usually one.
 * @throws Fault `key_proof.invalid`
 */
export function verifyProofs(proofs: readonly string[], expected: ProofExpectation, now: Date) {
  const keys = proofs.map((proof) => verifyJwtProof(proof, expected, now))
  const attested = expected.attestations
  // [VCI-C6] OpenID4VCI 1.0, 8.3: one key binds at most one credential.
  if (distinct(keys.map((one) => one.thumbprint)).length !== keys.length)
    throw invalid('Two proofs are by the same key.')
  if (attested === undefined) return { keys, nonces: distinct(keys.map((one) => one.nonce)) }
  const all = [...attested.values()].flatMap((one) => one.keys.map((key) => ({ ...key, nonce: one.nonce })))
  const byThumbprint = new Map(all.map((one) => [one.thumbprint, one]))
  return { keys: [...byThumbprint.values()], nonces: distinct([...keys, ...all].map((one) => one.nonce)) }
}

/** Returns the attestation in the header of a proof. Verifies nothing. @throws Fault `key_proof.invalid` */
export function embeddedAttestation(proof: string): string {
  try {
    const { key_attestation: attestation } = parseCompact(proof, { charsMax: ATTESTED_CHARS_MAX }).header
    if (isText(attestation, ATTESTATION_CHARS_MAX)) return attestation
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('key_proof.invalid', { detail: 'The key proof is not a well-formed JWT.', cause })
  }
  throw invalid('The key proof has no key_attestation in its header, which this credential requires.')
}

/**
 * Creates a key proof for a credential request.
 *
 * @param input `issuer`: the Credential Issuer Identifier, never an endpoint [W-C3]. `nonce`: null only without a nonce
 * endpoint. `clientId`: null after anonymous pre-authorized access. `keyAttestation`: of this key and others.
 */
export function buildJwtProof(
  input: {
    readonly issuer: string
    readonly nonce: string | null
    readonly clientId: string | null
    readonly keyAttestation?: string | undefined
  },
  key: SigningKey,
  now: Date,
): Promise<string> {
  const claims = {
    ...(input.clientId === null ? {} : { iss: input.clientId }),
    aud: input.issuer,
    iat: toNumericDate(now),
    ...(input.nonce === null ? {} : { nonce: input.nonce }),
  }
  const attested = input.keyAttestation === undefined ? {} : { key_attestation: input.keyAttestation }
  return signCompact({ typ: PROOF_TYPE, jwk: canonical(key.publicJwk), ...attested }, claims, key)
}

function charsMaxOf({ attestations }: ProofExpectation): number {
  return attestations === undefined ? PROOF_CHARS_MAX : ATTESTED_CHARS_MAX
}

function keyOf(header: JsonObject, expected: ProofExpectation): PublicJwk {
  const { attestations } = expected
  if (attestations === undefined) return namedKey(header, expected)
  const { keys, expires } = attestations.get(String(header.key_attestation)) ?? { keys: [], expires: false }
  // [VCI-K1]
  if (!expires) throw invalid('exp of the key attestation is missing.')
  const resolveKid = (kid: string) => attestedBy(keys, kid)
  const found = namedKey(header, { ...expected, resolveKid })
  // [VCI-K3]
  if (!keys.some((one) => one.thumbprint === thumbprint(found))) throw invalid('The key of the proof is not attested.')
  return found
}

/** The attested key that a `kid` names: its own `kid`, its thumbprint, or its position in `attested_keys`. */
function attestedBy(keys: AttestedKeys['keys'], kid: string): PublicJwk | null {
  const named = keys.find((one) => one.kid === kid) ?? keys.find((one) => one.thumbprint === kid)
  return (named ?? (/^\d{1,2}$/.test(kid) ? keys[Number(kid)] : undefined))?.jwk ?? null
}

function namedKey(header: JsonObject, { resolveKid }: ProofExpectation): PublicJwk {
  const { jwk, kid, x5c } = header
  // [VCI-P1] OpenID4VCI 1.0, F.1: exactly one of jwk, kid, x5c
  if ([jwk, kid, x5c, header.trust_chain].filter((one) => one !== undefined).length !== 1) {
    throw invalid('The header of the key proof does not name its key in exactly one way.')
  }
  // OpenID4VCI 1.0, F.4: readPublicJwk refuses private members
  if (jwk !== undefined) return readPublicJwk(jwk)
  const found = isText(kid, 2048) ? resolveKid?.(kid) : null
  if (found === null || found === undefined)
    throw invalid('The key proof names its key in a way that is not supported; send it as jwk.')
  return found
}

function checkClaims({ aud, iat, nonce, iss }: JsonObject, expected: ProofExpectation, now: Date): string {
  // OpenID4VCI 1.0, F.1: `aud` is the issuer identifier itself, so a list with it is refused.
  if (aud !== expected.issuer) throw invalid('aud of the key proof is not the Credential Issuer Identifier.')
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw invalid('iat of the key proof is missing.')
  const age = now.getTime() / 1000 - iat
  // [VCI-P7]
  if (age < -CLOCK_SKEW_SECONDS) throw invalid('iat of the key proof lies in the future.')
  if (expected.maxAgeSeconds !== undefined && age > expected.maxAgeSeconds) throw invalid('The key proof is too old.')
  // [VCI-P6] iss, when present, is the client; an anonymous client should not send it, but may.
  if (iss !== undefined && typeof expected.clientId === 'string' && iss !== expected.clientId) {
    throw invalid('iss of the key proof is another client.')
  }
  // [VCI-P5] a proof without nonce is invalid_proof, a bad nonce invalid_nonce
  if (!isText(nonce, 1024)) throw invalid('nonce of the key proof is missing.')
  return nonce
}

function distinct(texts: readonly string[]): readonly string[] {
  return texts.length < 2 ? texts : [...new Set(texts)]
}

const invalid = faultOf('key_proof.invalid')
