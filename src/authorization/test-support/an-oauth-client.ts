import { generateKeyPairSync } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { readPublicJwk } from '../../crypto/jwk.ts'
import type { ClientEntry } from '../../directory/bootstrap/bootstrap-file.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { SignedIn } from './sign-in.ts'

/** Lets the independent client talk to a server on loopback. */
export const plain = { [oauth.allowInsecureRequests]: true }
/** Secret of the clients in tests. */
export const clientSecret = 'the-secret-of-a-client-in-tests-0123456789'
/** Where browsers return to. Nothing listens there: tests read the address. */
export const redirectUri = 'https://rp.example/callback?kind=test'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
/** The private key of the clients that sign. */
export const clientPrivateKey = pair.privateKey
/** The keys of clients that sign. */
export const clientJwks = { keys: [{ ...readPublicJwk(pair.publicKey.export({ format: 'jwk' })) }] }

/** Returns the private key of the clients that sign, as the independent client wants it. */
export function clientKey(): Promise<CryptoKey> {
  const pkcs8 = new Uint8Array(pair.privateKey.export({ format: 'der', type: 'pkcs8' }))
  return crypto.subtle.importKey('pkcs8', pkcs8, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
}

const codes = ['authorization_code', 'refresh_token'] as const

/** The clients of a test: a web application with a secret, a native app, and one of the high-assurance profile. */
export function someClients() {
  const suffix = newId()
  const shared = {
    scopes: ['users:read' as const, 'issuance:write' as const],
    grantTypes: [...codes],
    redirectUris: [redirectUri, 'https://rp.example/plain', 'http://127.0.0.1/callback'],
    postLogoutRedirectUris: ['https://rp.example/bye?from=us'],
    backchannelLogoutUri: `https://rp.example/logout/${suffix}`,
    asksConsent: false,
  }
  const signing = { ...shared, jwks: clientJwks, dpopRequired: true, parRequired: true }
  const web = { ...shared, clientId: `web-${suffix}`, name: 'Web', clientSecret }
  const native = { ...shared, clientId: `native-${suffix}`, isPublic: true }
  const strict = { ...signing, clientId: `strict-${suffix}` }
  return { web, native, strict } satisfies Record<string, ClientEntry>
}

/** An authorization request with its secrets. */
export type Asked = { readonly verifier: string; readonly parameters: Record<string, string> }

/** Returns the parameters of an authorization request; those that are undefined are left out. */
export async function asking(clientId: string, change: Record<string, string | undefined> = {}): Promise<Asked> {
  const verifier = oauth.generateRandomCodeVerifier()
  const all = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email users:read offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: 'a state & more',
    nonce: 'a-nonce',
    ...change,
  }
  const present = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined)
  return { verifier, parameters: Object.fromEntries(present) }
}

/** Opens the authorization endpoint in a browser. Returns the response; nothing is followed. */
export function open(
  platform: Platform,
  parameters: Record<string, string> | string,
  browser: Pick<SignedIn, 'cookie'> | null,
): Promise<Response> {
  const query = typeof parameters === 'string' ? parameters : `/auth/authorize?${new URLSearchParams(parameters)}`
  const headers = browser === null ? {} : { cookie: browser.cookie }
  return fetch(`${platform.urls.publicUrl}${query}`, { headers, redirect: 'manual' })
}

/** Returns the address of a redirect; relative ones are of the server. */
export function targetOf(platform: Platform, response: Response): URL {
  return new URL(response.headers.get('location') ?? 'about:blank', platform.urls.publicUrl)
}
