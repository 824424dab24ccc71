import { isJsonObject, type JsonObject, memberOf } from '../../crypto/json.ts'
import { canonical, type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import type { Jws } from '../../crypto/jws.ts'
import { faultOf } from '../../fault.ts'
import { looksLikeDid, parseDid, parseKeyUrl } from '../did/did.ts'
import { asPeerUrl } from '../shape.ts'

/** How an issuer publishes its key. */
export type KeyMechanism = 'x5c' | 'did' | 'jwt-vc-issuer'

/**
 * Where to find the key of an issuer. Nothing is verified: the caller validates the chain or fetches the document.
 */
export type IssuerKeySource =
  | { readonly mechanism: 'x5c'; readonly chain: readonly string[]; readonly iss: string | null }
  | { readonly mechanism: 'did'; readonly did: string; readonly kid: string | null }
  | { readonly mechanism: 'jwt-vc-issuer'; readonly issuer: string; readonly url: string; readonly kid: string | null }

/** Keys in JWT VC Issuer Metadata, by value or by reference. */
type IssuerKeys = { readonly jwks: JsonObject } | { readonly jwksUri: string }

const CHAIN_LENGTH_MAX = 5
const JWKS_KEYS_MAX = 100
const derInBase64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * `permitted`: mechanisms that policy allows for this issuer, by default all. `plainLoopback`: development only, http
 * loopback issuers.
 */
type DiscoveryPolicy = { readonly permitted?: readonly KeyMechanism[]; readonly plainLoopback?: boolean }

/**
 * Determines the key mechanism of a credential from its header and `iss`.
 *
 * @throws Fault `issuer.undiscoverable` if it has none, or one that is not permitted.
 * @see [SD-JWT VC, 2.5](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export function issuerKeySource(
  { header, payload }: Pick<Jws, 'header' | 'payload'>,
  policy: DiscoveryPolicy = {},
): IssuerKeySource {
  const source = sourceOf(header, payload, policy.plainLoopback ?? false)
  // [VC-20] policy determines the mechanism, or an attacker could
  if (policy.permitted !== undefined && !policy.permitted.includes(source.mechanism)) {
    throw undiscoverable('The issuer may not publish its key in this way.')
  }
  return source
}

/**
 * Returns the address of an issuer's metadata: the well-known part goes between host and path.
 *
 * @throws Fault `issuer.undiscoverable` if the identifier is no https URL without query, fragment and user.
 * @see [SD-JWT VC, 4.1](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export function jwtVcIssuerUrl(issuer: string, plainLoopback = false): string {
  const url = asPeerUrl(issuer, { allowHttpLoopback: plainLoopback })
  if (url === null || issuer.includes('?')) throw undiscoverable('The issuer is not an https URL.')
  return `${url.origin}/.well-known/jwt-vc-issuer${url.pathname.replace(/\/$/, '')}`
}

/**
 * Reads JWT VC Issuer Metadata.
 *
 * @throws Fault `issuer.undiscoverable` if it is that of another issuer or does not have exactly one of `jwks` and
 *   `jwks_uri`.
 * @see [SD-JWT VC, 4.2](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export function readJwtVcIssuer(metadata: unknown, issuer: string): IssuerKeys {
  if (!isJsonObject(metadata) || memberOf(metadata, 'issuer') !== issuer) {
    throw undiscoverable('The metadata is that of another issuer.')
  }
  const jwks = memberOf(metadata, 'jwks')
  const jwksUri = memberOf(metadata, 'jwks_uri')
  if (jwksUri === undefined && isJsonObject(jwks)) return { jwks }
  if (jwks === undefined && typeof jwksUri === 'string') return { jwksUri }
  throw undiscoverable('The metadata must have either keys or the address of keys.')
}

/**
 * Builds the JWT VC Issuer Metadata of an issuer, with its keys by value.
 *
 * @see [SD-JWT VC, 4.2](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export function buildJwtVcIssuer(
  issuer: string,
  keys: readonly { readonly kid: string; readonly alg: string; readonly jwk: PublicJwk }[],
): object {
  return { issuer, jwks: { keys: keys.map(({ kid, alg, jwk }) => ({ ...canonical(jwk), kid, alg, use: 'sig' })) } }
}

/**
 * Selects a key of a JWK Set.
 *
 * @param kid Name of the key; null takes the only usable one.
 * @throws Fault `issuer.undiscoverable` if no key or more than one fits.
 */
export function pickKey(jwks: unknown, kid: string | null): PublicJwk {
  const keys = isJsonObject(jwks) ? memberOf(jwks, 'keys') : undefined
  if (!Array.isArray(keys) || keys.length > JWKS_KEYS_MAX) throw undiscoverable('The key set is malformed.')
  const fitting = keys.flatMap((key) => usable(key)).filter((key) => kid === null || key.kid === kid)
  const [only, ...others] = fitting
  // [SEC-30] a key id must be unique
  if (only === undefined || others.length > 0) throw undiscoverable('The key set does not have exactly one such key.')
  return only
}

function sourceOf(header: JsonObject, payload: JsonObject, plainLoopback: boolean): IssuerKeySource {
  const iss = memberOf(payload, 'iss') ?? null
  const kid = memberOf(header, 'kid') ?? null
  if (iss !== null && typeof iss !== 'string') throw undiscoverable('The issuer is not a string.')
  // [VC-22] with a chain, every other key reference in the header is ignored
  if (Object.hasOwn(header, 'x5c')) return { mechanism: 'x5c', chain: chainOf(memberOf(header, 'x5c')), iss }
  if (iss === null) throw undiscoverable('The credential has neither an issuer nor a certificate.')
  if (kid !== null && typeof kid !== 'string') throw undiscoverable('The name of the key is not a string.')
  if (looksLikeDid(iss))
    return { mechanism: 'did', did: parseDid(iss).did, kid: kid === null ? null : keyUrl(iss, kid) }
  return { mechanism: 'jwt-vc-issuer', issuer: iss, url: jwtVcIssuerUrl(iss, plainLoopback), kid }
}

function keyUrl(did: string, kid: string): string {
  const url = kid.startsWith('#') ? did + kid : kid
  // with a key of another DID, that DID could sign for this one
  if (parseKeyUrl(url).did !== did) throw undiscoverable('The key belongs to another DID than the issuer.')
  return url
}

function chainOf(x5c: unknown): readonly string[] {
  // RFC 7515 4.1.6: standard base64 of DER, leaf first
  const fits = Array.isArray(x5c) && x5c.length > 0 && x5c.length <= CHAIN_LENGTH_MAX
  if (!fits || !x5c.every((one) => typeof one === 'string' && derInBase64.test(one))) {
    throw undiscoverable('The certificate chain is malformed.')
  }
  return x5c
}

function usable(key: unknown): PublicJwk[] {
  try {
    return [readPublicJwk(key)]
  } catch {
    return []
  }
}

const undiscoverable = faultOf('issuer.undiscoverable')
