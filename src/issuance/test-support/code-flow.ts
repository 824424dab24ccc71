import { asking } from '../../authorization/test-support/an-oauth-client.ts'
import { type SignedIn, signIn } from '../../authorization/test-support/sign-in.ts'
import { sha256 } from '../../crypto/digest.ts'
import { signCompact } from '../../crypto/jws.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import type { UserEntry } from '../../directory/bootstrap/bootstrap-file.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import { newId } from '../../store/row-id.ts'
import { type Body, type Issuer, type Reply, someClaims } from './issuer.ts'

/** A change of the parameters of an authorization request; undefined leaves one out. */
export type Change = Record<string, string | undefined>

/** Where the wallet of these tests gets its code. */
export const walletRedirect = 'com.example.wallet:/callback'

/** Creates users of the tenant and signs the first in. */
export async function aUser(
  issuer: Issuer,
  users: readonly UserEntry[] = [{ username: `u${newId()}` }],
): Promise<SignedIn & { readonly username: string }> {
  const { platform, tenant } = issuer
  await applyBootstrap(platform, { tenants: [{ slug: tenant.slug, name: 'Acme College', users: [...users] }] })
  const username = users[0]?.username ?? ''
  return { ...(await signIn(platform, tenant.id, { username })), username }
}

/** Changes settings and clients of the tenant. */
export async function configure(issuer: Issuer, entry: object): Promise<void> {
  const { platform, tenant } = issuer
  await applyBootstrap(platform, { tenants: [{ slug: tenant.slug, name: 'Acme College', ...entry }] })
  forgetTenants(platform)
}

/** An issuance that is prepared for a user, from a template. */
export async function prepared(
  issuer: Issuer,
  template: Body,
  { username }: { readonly username: string },
  more: object = {},
): Promise<Body> {
  const body = {
    credentialTemplateId: template.id,
    attributes: someClaims,
    grants: ['authorization_code'],
    recipient: { identifierType: 'username', value: username },
    ...more,
  }
  const made = await issuer.api('POST', '/credentials/issuance', body)
  if (made.status !== 200) throw new Error(JSON.stringify(made.body))
  return made.body.data
}

/** The offer behind a link. */
export async function offerOf(issuer: Issuer, issuance: Body): Promise<Body> {
  return (await issuer.open(new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? '')).body
}

/** An authorization request of a wallet, with its verifier. */
export async function aRequest(template: Body, change: Change = {}) {
  const defaults = { scope: template.code, redirect_uri: walletRedirect, nonce: undefined }
  return asking(`wallet-${newId()}`, { ...defaults, ...change })
}

/** Opens an address of the issuer in a browser. */
export function visit(issuer: Issuer, path: string, browser: Pick<SignedIn, 'cookie'> | null): Promise<Reply> {
  return issuer.open(path, { headers: browser === null ? {} : { cookie: browser.cookie } })
}

/** Opens the authorization endpoint. */
export function authorizeAt(
  issuer: Issuer,
  parameters: Record<string, string>,
  browser: Pick<SignedIn, 'cookie'> | null,
): Promise<Reply> {
  return visit(issuer, `/issuers/${issuer.tenant.slug}/authorize?${new URLSearchParams(parameters)}`, browser)
}

/** Where a response sends the browser. */
export function targetOf({ headers }: Reply): URL {
  return new URL(headers.location ?? headers.refresh?.replace('0;url=', '') ?? 'about:blank', 'http://localhost:8080')
}

/**
 * Answers the consent page that a response leads to.
 *
 * @returns the page, and the response of the authorization endpoint
 */
export async function answerConsent(
  issuer: Issuer,
  response: Reply,
  browser: SignedIn,
  answer: 'allow' | 'deny' = 'allow',
) {
  const { pathname, search } = targetOf(response)
  const page = await visit(issuer, pathname + search, browser)
  const posted = await postConsent(issuer, page, browser, answer)
  const next = targetOf(posted)
  return { page, posted, response: await visit(issuer, next.pathname + next.search, browser) }
}

/** Posts the form of a consent page. */
export function postConsent(
  issuer: Issuer,
  page: Reply,
  browser: Pick<SignedIn, 'cookie'>,
  answer: 'allow' | 'deny' = 'allow',
): Promise<Reply> {
  const html = String(page.body)
  const action = decoded(/<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? '')
  const inputs = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const hidden = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, decoded(value)]))
  return issuer.open(action, {
    form: { ...hidden, answer },
    headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' },
  })
}

function decoded(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replaceAll('&amp;', '&')
}

/** A code that a user granted, as a token request redeems it. */
export async function aCode(
  issuer: Issuer,
  template: Body,
  browser: SignedIn,
  change: Change = {},
): Promise<Record<string, string>> {
  const { parameters, verifier } = await aRequest(template, change)
  const { response } = await answerConsent(issuer, await authorizeAt(issuer, parameters, browser), browser)
  const code = targetOf(response).searchParams.get('code')
  if (code === null) throw new Error(`no code: ${targetOf(response)} ${response.body}`)
  const { client_id: clientId = '', redirect_uri: redirect = '' } = parameters
  return {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: redirect,
  }
}

/** A token request. */
export function tokenAt(
  issuer: Issuer,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return issuer.open(`/issuers/${issuer.tenant.slug}/token`, { form, headers })
}

/** A DPoP proof of the wallet. */
export function aProof(
  issuer: Issuer,
  key: SigningKey,
  endpoint: string,
  {
    nonce,
    accessToken,
    ...more
  }: { nonce?: string; accessToken?: string; jti?: string } & Record<string, unknown> = {},
): Promise<string> {
  const claims = {
    jti: newId(),
    htm: 'POST',
    htu: `${issuer.platform.urls.issuer(issuer.tenant.slug)}/${endpoint}`,
    iat: Math.floor(issuer.clock.at.getTime() / 1000),
    ...(nonce !== undefined && { nonce }),
    ...(accessToken !== undefined && { ath: sha256(accessToken).toString('base64url') }),
    ...more,
  }
  return signCompact({ typ: 'dpop+jwt', jwk: key.publicJwk }, claims, key)
}
