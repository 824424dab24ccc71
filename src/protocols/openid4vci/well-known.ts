import { asPeerUrl, type PeerPolicy } from '../shape.ts'

/** Documents at well-known addresses of an issuer. */
type WellKnown = 'openid-credential-issuer' | 'oauth-authorization-server'

/**
 * Returns the URL of an issuer's document: `/.well-known/<name>` goes between host and path. [VCI-M2]
 *
 * @param issuer An identifier that passed {@link isIssuerIdentifier}.
 * @see [OpenID4VCI 1.0, 12.2.2](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata-r) and [RFC 8414, 3.1](https://www.rfc-editor.org/rfc/rfc8414#section-3.1)
 */
export function wellKnownUrl(issuer: string, name: WellKnown): string {
  const { origin, pathname } = new URL(issuer)
  // RFC 8414 3.1: a terminating slash is removed before the insertion. OpenID4VCI 12.2.2 removes nothing, but an
  // identifier may have no path
  const isKept = name === 'openid-credential-issuer' && issuer.endsWith('/')
  return `${origin}/.well-known/${name}${isKept ? pathname : pathname.replace(/\/$/, '')}`
}

/** Returns where issuers written to the drafts of OpenID4VCI up to 15 have their metadata: below their identifier. */
export function draftMetadataUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-credential-issuer`
}

/** Whether a value is a Credential Issuer Identifier: https, no query, no fragment. [VCI-M1] */
export function isIssuerIdentifier(value: unknown, policy: PeerPolicy): value is string {
  return typeof value === 'string' && !value.includes('?') && asPeerUrl(value, policy) !== null
}
