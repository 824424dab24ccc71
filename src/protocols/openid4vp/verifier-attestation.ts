import { isJsonObject, type Json, memberOf } from '../../crypto/json.ts'
import { importPublicJwk, type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import { findJwsHeaderError, type Jws, parseCompact } from '../../crypto/jws.ts'
import { Fault, faultOf } from '../../fault.ts'
import { CLOCK_SKEW_SECONDS, isNumericDate } from '../numeric-date.ts'
import { isText, isTextList } from '../shape.ts'
import type { ClientId } from './client-id.ts'

const TYPE = 'verifier-attestation+jwt'
const CHARS_MAX = 65_536

/**
 * A parsed attestation about a verifier. `key`: proves that a request is the verifier's. `redirectUris`: null: not
 * restricted.
 */
type VerifierAttestation = {
  readonly jws: Jws
  readonly issuer: string
  readonly key: PublicJwk
  readonly redirectUris: readonly string[] | null
}

/**
 * Parses the Verifier Attestation JWT in the header of a request object and checks its claims.
 *
 * NOT checked: its signature, and trust in its issuer.
 *
 * @param jwt The member `jwt` of the header.
 * @throws Fault `presentation_request.invalid`
 * @see [OpenID4VP 1.0, 12](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-12)
 */
export function readVerifierAttestation(jwt: Json | undefined, client: ClientId, now: Date): VerifierAttestation {
  const jws = parsed(jwt)
  const { iss, sub, exp, nbf, iat, cnf, redirect_uris: redirectUris } = jws.payload
  const seconds = now.getTime() / 1000
  if (!isText(iss)) throw refused('The attestation of the verifier has no issuer.')
  // OpenID4VP 1.0, 5.9.3: sub is the client identifier without its prefix
  if (sub !== client.id) throw refused('The attestation is about another verifier.')
  if (!isNumericDate(exp) || exp <= seconds - CLOCK_SKEW_SECONDS)
    throw refused('The attestation of the verifier has expired.')
  if ([nbf, iat].some((one) => one !== undefined && !(isNumericDate(one) && one <= seconds + CLOCK_SKEW_SECONDS)))
    throw refused('The attestation of the verifier is not valid yet.')
  if (redirectUris !== undefined && !isTextList(redirectUris))
    throw refused('redirect_uris of the attestation is not a list.')
  return { jws, issuer: iss, key: confirmedKey(cnf), redirectUris: redirectUris ?? null }
}

/** Returns the `sub` of a Verifier Attestation JWT, by its form only; null if it is none. */
export function subjectOfAttestation(jwt: string): string | null {
  try {
    const { sub } = parsed(jwt).payload
    return isText(sub, 1024) ? sub : null
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

function parsed(jwt: Json | undefined): Jws {
  if (!isText(jwt, CHARS_MAX)) throw refused('The request object has no attestation of the verifier.')
  let jws: Jws
  try {
    jws = parseCompact(jwt, { charsMax: CHARS_MAX })
  } catch (cause) {
    throw new Fault('presentation_request.invalid', { detail: 'The attestation is not a well-formed JWT.', cause })
  }
  // 12: the type is required
  const error = findJwsHeaderError(jws.header, { typ: TYPE })
  if (error !== null) throw refused(error.message)
  return jws
}

function confirmedKey(cnf: Json | undefined): PublicJwk {
  try {
    const jwk = readPublicJwk(isJsonObject(cnf) ? memberOf(cnf, 'jwk') : undefined)
    importPublicJwk(jwk)
    return jwk
  } catch (cause) {
    throw new Fault('presentation_request.invalid', { detail: 'The attestation names no usable key.', cause })
  }
}

const refused = faultOf('presentation_request.invalid')
