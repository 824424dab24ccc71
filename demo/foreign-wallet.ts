import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type Json, read, text } from './json.ts'

/** Sends an HTTP request for the wallet. */
export type Call = (
  method: 'GET' | 'POST',
  url: string,
  more?: { readonly form?: Record<string, string>; readonly json?: Json; readonly token?: string },
) => Promise<Json>

/** A P-256 holder key. */
export type HolderKey = { readonly private: KeyObject; readonly jwk: Json }

/** Generates a holder key. */
export function holderKey(): HolderKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return holderKeyOf(privateKey)
}

/** Reads a holder key from a PKCS #8 PEM. */
export function holderKeyOf(pem: KeyObject | string): HolderKey {
  const key = typeof pem === 'string' ? createPrivateKey(pem) : pem
  const { kty = '', crv = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return { private: key, jwk: { kty, crv, x, y } }
}

/**
 * Redeems an offer with OpenID4VCI only, as a wallet of another vendor does: offer, both metadata documents, token,
 * nonce, credential. NOT checked: anything that it receives; a real wallet must.
 *
 * @returns the SD-JWT VC.
 * @see [OpenID4VCI 1.0, section 3.5](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-pre-authorized-code-flow)
 */
export async function redeem(call: Call, offerUri: string, key: HolderKey): Promise<string> {
  const offer = await call('GET', new URL(offerUri).searchParams.get('credential_offer_uri') ?? '')
  const issuer = text(offer, 'credential_issuer')
  const metadata = await call('GET', wellKnown(issuer, 'openid-credential-issuer'))
  const server = await call('GET', wellKnown(issuer, 'oauth-authorization-server'))
  const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
  const tokens = await call('POST', text(server, 'token_endpoint'), {
    form: { grant_type: grant, 'pre-authorized_code': text(offer, 'grants', grant, 'pre-authorized_code') },
  })
  const nonce = await call('POST', text(metadata, 'nonce_endpoint'))
  const answer = await call('POST', text(metadata, 'credential_endpoint'), {
    token: text(tokens, 'access_token'),
    json: {
      credential_configuration_id: text(offer, 'credential_configuration_ids', 0),
      proofs: { jwt: [keyProof(key, issuer, text(nonce, 'c_nonce'))] },
    },
  })
  return text(answer, 'credentials', 0, 'credential')
}

/**
 * Responds to a presentation request with an SD-JWT VC, all of its disclosures, and a key binding.
 *
 * @param change Changes the credential before the key binding is signed, e.g. {@link forge}.
 * @see [OpenID4VP 1.0, section 8.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-response-mode-direct_post)
 */
export async function present(
  call: Call,
  requestUri: string,
  credential: string,
  key: HolderKey,
  change: (credential: string) => string = (same) => same,
): Promise<void> {
  const request = claimsOf(text(await call('GET', new URL(requestUri).searchParams.get('request_uri') ?? '')))
  const shown = change(credential)
  const binding = signJwt(
    key,
    { typ: 'kb+jwt' },
    {
      iat: seconds(),
      aud: text(request, 'client_id'),
      nonce: text(request, 'nonce'),
      sd_hash: createHash('sha256').update(shown).digest('base64url'),
    },
  )
  const query = text(request, 'dcql_query', 'credentials', 0, 'id')
  await call('POST', text(request, 'response_uri'), {
    form: { state: text(request, 'state'), vp_token: JSON.stringify({ [query]: [`${shown}${binding}`] }) },
  })
}

/** Replaces the value in the disclosure of a claim. Its digest is then not one that the issuer signed. */
export function forge(credential: string, claim: string, value: Json): string {
  const parts = credential.split('~').map((part) => {
    const disclosure = part.includes('.') || part === '' ? null : fromJson(part)
    if (!Array.isArray(disclosure) || disclosure[1] !== claim) return part
    return toBase64url([disclosure[0] ?? null, claim, value])
  })
  return parts.join('~')
}

/** Returns a key proof of type `jwt`. @see [OpenID4VCI 1.0, F.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#jwt-proof-type) */
export function keyProof(key: HolderKey, issuer: string, nonce: string): string {
  return signJwt(key, { typ: 'openid4vci-proof+jwt', jwk: key.jwk }, { aud: issuer, iat: seconds(), nonce })
}

function signJwt(key: HolderKey, header: Record<string, Json>, payload: Json): string {
  const input = `${toBase64url({ alg: 'ES256', ...header })}.${toBase64url(payload)}`
  const signature = sign('sha256', Buffer.from(input), { key: key.private, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

function claimsOf(jwt: string): Json {
  return fromJson(jwt.split('.')[1] ?? '')
}

function fromJson(part: string): Json {
  return read(Buffer.from(part, 'base64url').toString())
}

function toBase64url(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** RFC 8414 section 3.1: the well-known part is inserted between host and path. */
function wellKnown(issuer: string, name: string): string {
  const { origin, pathname } = new URL(issuer)
  return `${origin}/.well-known/${name}${pathname}`
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}
