import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import type { TenantId, UserId } from '../../../caller.ts'
import { isJsonObject, type JsonObject } from '../../../crypto/json.ts'
import { findTenant, findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { record } from '../../../events/audit/record.ts'
import { Fault } from '../../../fault.ts'
import { cookieName, cookiesBeginning, endOldest, readCookie, writeCookie } from '../../../pages/cookies.ts'
import { findPath, keepPath } from '../../../pages/session/kept-path.ts'
import type { Platform } from '../../../platform.ts'
import { type IdentityProvider, providerRedirectUri } from '../../access/identity-provider.ts'
import { findProviderById, findProviderByName, listProviders } from '../../access/identity-provider-store.ts'
import { type Browser, completeSignIn, type SignedIn } from '../complete-sign-in.ts'
import { sealState, spendState, unsealState } from '../sealed-state.ts'
import { findSession } from '../session.ts'
import { anonymous, type UserRef, type Visit } from '../visit.ts'
import { listConnected } from './external-identity-store.ts'
import { failureDetail, failureReason } from './failure-reason.ts'
import { findOrCreatePerson, type PersonProblem, PersonRefused } from './find-person.ts'
import { holdClaims } from './held-claims.ts'
import { providerConfiguration } from './openid-configuration.ts'
import { lacksClaims, lacksNames, namesPerson, readExternalPerson } from './provider-claims.ts'

/** A provider to choose on the sign-in page. */
type ProviderChoice = { readonly name: string; readonly displayName: string }

/**
 * `state`: the browser did not begin this sign-in, or has completed it, or took more than ten minutes. `provider`: the
 * provider refused, or its answer is invalid. `unavailable`: it cannot be reached. `unknown`, `taken`, `unproven`: see
 * {@link PersonProblem}. `disabled`: the user may not sign in.
 */
export type ProviderProblem = 'state' | 'provider' | 'unavailable' | 'disabled' | PersonProblem

/** `cookies` are Set-Cookie headers. `continueTo` is what the sign-in began with. */
type ProviderOutcome =
  | (SignedIn & { readonly continueTo: string | null })
  | { readonly kind: 'refused'; readonly problem: ProviderProblem; readonly cookies: readonly string[] }

/** Where the browser of an address continues, and the cookies that it sent. */
type Continue = { readonly path: string; readonly ip: string; readonly cookieHeader?: string | undefined }

type Needs = Pick<
  Platform,
  'store' | 'clock' | 'memory' | 'urls' | 'sealing' | 'config' | 'fetch' | 'log' | 'rateLimiter'
>

const STATE_SECONDS = 600
const SKEW_MS = 30_000
/** Each sign-in has a cookie of its own, named after its state: two tabs that sign in do not end each other. */
const COOKIE = 'chirograph-state-'
/** Sealed: browsers drop a cookie of more than 4,096 characters, with its name. */
const COOKIE_CHARS_MAX = 3800
/** All of a browser together, some five of them: a quarter of what a request may have as headers. */
const ALL_CHARS_MAX = 4000

/** A provider on the account page. */
export type ConnectableProvider = ProviderChoice & { readonly isConnected: boolean }

/** Lists the providers at which a user can connect an account, or has one. */
export async function listConnectable(
  { store }: Pick<Needs, 'store'>,
  { tenantId, userId }: UserRef,
): Promise<readonly ConnectableProvider[]> {
  return store.inTenant(tenantId, async (tx) => {
    const connected = await listConnected(tx, userId)
    const found = await listProviders(tx)
    return found.flatMap(({ id, signIn, name, displayName }) =>
      signIn ? [{ name, displayName, isConnected: connected.includes(id) }] : [],
    )
  })
}

/** Lists the providers at which people of a tenant sign in. */
export async function listSignInProviders(
  needs: Pick<Needs, 'store' | 'clock' | 'memory'>,
  tenantSlug: string,
): Promise<readonly ProviderChoice[]> {
  const tenant = await findTenant(needs, tenantSlug)
  if (tenant === null) return []
  const found = await needs.store.single(tenant.id, listProviders)
  return found.flatMap(({ signIn, name, displayName }) => (signIn ? [{ name, displayName }] : []))
}

/**
 * Starts a sign-in at a provider of a tenant. State, nonce and code verifier (PKCE S256) are sealed in a cookie, so the
 * sign-in ends in the browser in which it began.
 *
 * @param about `holdsClaims`: what is waiting for this sign-in needs the claims of the person. `isForced`: the provider
 *   authenticates the person also if it has a session (OpenID Connect Core 3.1.2.1); the sign-in has the method `user`
 *   if the provider says that it did. `connectTo`: the signed-in user to whom the account at the provider is linked,
 *   whatever its claims say.
 * @param continueTo The path that is returned at the end, at most 8,192 characters, and the address of the browser. One
 *   that is too long for a cookie is kept on the server.
 * @returns the address to redirect to and Set-Cookie headers, the first for this sign-in; null if there is no such
 *   provider, or it cannot be reached.
 * @throws Fault `request.rate_limited`: too many long paths are kept for the address
 */
export async function beginProviderSignIn(
  needs: Needs,
  about: {
    readonly tenantSlug: string
    readonly provider: string
    readonly loginHint: string | null
    readonly holdsClaims?: boolean
    readonly isForced?: boolean
    readonly connectTo?: UserId
  },
  continueTo: Continue | null,
): Promise<{ readonly url: string; readonly cookies: readonly [string, ...string[]] } | null> {
  const tenant = await findTenant(needs, about.tenantSlug)
  const provider =
    tenant === null ? null : await needs.store.single(tenant.id, (tx) => findProviderByName(tx, about.provider))
  if (tenant === null || provider === null || !provider.signIn) return null
  const configuration = await providerConfiguration(needs, provider).catch((error: unknown) =>
    logged(needs, provider, error),
  )
  if (configuration === null) return null
  const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callbackOf(needs, tenant.slug, provider),
    // OpenID Connect Core 3.1.2.1: without openid it would be no request for an ID token
    scope: [...new Set(['openid', ...provider.scopes])].join(' '),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(about.loginHint === null ? {} : { login_hint: about.loginHint }),
    ...(about.isForced === true && { prompt: 'login', max_age: '0' }),
  })
  const { holdsClaims = false } = about
  const values = {
    state,
    nonce,
    verifier,
    tenantId: tenant.id,
    providerId: provider.id,
    holdsClaims,
    connectTo: about.connectTo ?? null,
    forcedAt: about.isForced === true ? needs.clock.now().getTime() : null,
  }
  const sealed = await sealedWith(needs, values, continueTo)
  const name = nameOf(state)
  const bound = { added: name.length + sealed.length, charsMax: ALL_CHARS_MAX }
  const others = endOldest(needs, COOKIE, continueTo?.cookieHeader, bound)
  return { url: url.href, cookies: [writeCookie(needs, name, sealed, STATE_SECONDS), ...others] }
}

function nameOf(state: string): string {
  return COOKIE + state.slice(0, 8)
}

/** The cookie of the sign-in that an answer belongs to; of one that names none, the last that this browser began. */
function cookieOf(needs: Needs, state: string | null, header: string | undefined): string | null {
  if (state !== null) return /^[\w-]{43}$/.test(state) ? nameOf(state) : null
  const last = cookiesBeginning(cookieName(needs, COOKIE), header).at(-1)
  return last === undefined ? null : COOKIE + last.rest
}

async function sealedWith(needs: Needs, values: JsonObject, continueTo: Continue | null): Promise<string> {
  const sealed = await sealState(needs, 'provider', { ...values, continueTo: continueTo?.path ?? null }, STATE_SECONDS)
  if (continueTo === null || sealed.length <= COOKIE_CHARS_MAX) return sealed
  const pathSecret = await keepPath(needs, continueTo.path, continueTo.ip, STATE_SECONDS)
  return sealState(needs, 'provider', { ...values, pathSecret }, STATE_SECONDS)
}

async function continueOf(needs: Needs, { continueTo, pathSecret }: JsonObject): Promise<string | null> {
  if (typeof pathSecret === 'string') return findPath(needs, pathSecret)
  return typeof continueTo === 'string' ? continueTo : null
}

/**
 * Completes a sign-in at a provider: verifies state, issuer, code and ID token (signature, audience, nonce), finds or
 * creates the user, and starts a session. Single use: of two concurrent requests one signs in.
 *
 * @param path Path and query of the request, as the provider's redirect made it.
 * @see [OpenID Connect Core 1.0, 3.1.3](https://openid.net/specs/openid-connect-core-1_0.html#TokenEndpoint)
 */
export async function finishProviderSignIn(needs: Needs, path: string, browser: Browser): Promise<ProviderOutcome> {
  const url = new URL(path, needs.urls.publicUrl)
  const name = cookieOf(needs, url.searchParams.get('state'), browser.cookieHeader)
  const cookies = name === null ? [] : [writeCookie(needs, name, '', 0)]
  const refused = (problem: ProviderProblem) => ({ kind: 'refused', problem, cookies }) as const
  const sealed = name === null ? null : readCookie(needs, name, browser.cookieHeader)
  const opened = await unsealState(needs, 'provider', sealed ?? '')
  if (opened === null) return refused('state')
  const { state, nonce, verifier, providerId } = opened.values
  const holdsClaims = opened.values.holdsClaims === true
  // The seal proves that beginProviderSignIn wrote the id.
  const tenant = await findTenantOf(needs, opened.values.tenantId as TenantId)
  const provider =
    tenant === null ? null : await needs.store.single(tenant.id, (tx) => findProviderById(tx, String(providerId)))
  if (tenant === null || provider === null || !provider.signIn) return refused('state')
  const connectTo = await connectedUser(needs, opened.values, browser)
  if (connectTo === 'ended') return refused('state')
  if (url.origin + url.pathname !== callbackOf(needs, tenant.slug, provider)) return refused('state')
  // RFC 6749 4.1.2.1 requires the state of errors too. One without it signs nobody in, and its reason is worth knowing.
  const isBareError = !url.searchParams.has('state') && url.searchParams.has('error')
  if (isBareError) url.searchParams.set('state', String(state))
  if (url.searchParams.get('state') !== state || !(await spendState(needs, opened))) return refused('state')
  const checks = { expectedState: String(state), expectedNonce: String(nonce), pkceCodeVerifier: String(verifier) }
  try {
    const configuration = await providerConfiguration(needs, provider)
    const claims = await claimsFrom(needs, configuration, provider, url, checks, holdsClaims)
    const person = readExternalPerson(provider, claims.idToken, claims.userInfo)
    const now = needs.clock.now()
    const find = () =>
      needs.store.inTenant(tenant.id, (tx) => findOrCreatePerson(tx, provider, person, browser.visit, now, connectTo))
    // The same person who signs in twice at once is created and linked by one; the other finds the link.
    const userId = await find().catch((error: unknown) => {
      if (error instanceof PersonRefused && error.problem === 'taken') return find()
      throw error
    })
    const methods = isFreshAt(claims.idToken, opened.values.forcedAt) ? ['fed', 'user'] : ['fed']
    const done = await completeSignIn(needs, { tenantId: tenant.id, userId }, methods, browser)
    if (done === null) return refused('disabled')
    if (holdsClaims) {
      const stated = { ...claims.userInfo, ...claims.idToken }
      await holdClaims(needs, done.session, { provider: provider.name, claims: stated })
    }
    return { ...done, cookies: [...done.cookies, ...cookies], continueTo: await continueOf(needs, opened.values) }
  } catch (error) {
    if (error instanceof PersonRefused) {
      await recordRefused(needs, provider, error, browser.visit)
      return refused(error.problem)
    }
    logged(needs, provider, error)
    await recordRefused(needs, provider, { reason: failureReason(error), userId: null }, browser.visit)
    return refused(isUnavailable(error) ? 'unavailable' : 'provider')
  }
}

/**
 * The user to whom the account is to be linked, if the sign-in began on the account page; `ended`: that user is no
 * longer signed in here.
 */
async function connectedUser(
  needs: Needs,
  { connectTo }: JsonObject,
  browser: Browser,
): Promise<UserId | null | 'ended'> {
  if (typeof connectTo !== 'string') return null
  const session = await findSession(needs, browser.cookieHeader)
  return session?.userId === connectTo ? session.userId : 'ended'
}

/** Records why a person was not signed in, in the audit trail and in the log. */
async function recordRefused(
  { store, clock, log }: Needs,
  { tenantId, id: identityProviderId }: IdentityProvider,
  { reason, userId }: Pick<PersonRefused, 'reason' | 'userId'>,
  visit: Visit,
): Promise<void> {
  log.warn({ tenantId, identityProviderId, reason }, 'a sign-in at an identity provider was refused')
  const entry = {
    action: 'user.authenticated',
    subject: { kind: 'user', id: userId },
    by: anonymous(visit),
    result: 'refused',
    detail: { reason, identityProviderId },
  } as const
  await store.inTenant(tenantId, (tx) => record(tx, entry, clock.now()))
}

/**
 * Whether the person authenticated at the provider after it was asked for that. Its clock may be behind by half a
 * minute.
 */
function isFreshAt({ auth_time: seconds }: JsonObject, forcedAt: unknown): boolean {
  return typeof forcedAt === 'number' && typeof seconds === 'number' && seconds * 1000 >= forcedAt - SKEW_MS
}

/** `userInfo` null: the UserInfo endpoint failed, and may say more another time. */
type StatedClaims = { readonly idToken: JsonObject; readonly userInfo: JsonObject | null }

/** @param isAll Whether all claims are needed: then nothing that fails is passed over. */
async function claimsFrom(
  needs: Needs,
  configuration: Configuration,
  provider: IdentityProvider,
  url: URL,
  checks: { expectedState: string; expectedNonce: string; pkceCodeVerifier: string },
  isAll: boolean,
): Promise<StatedClaims> {
  const tokens = await authorizationCodeGrant(configuration, url, { ...checks, idTokenExpected: true })
  const idToken: unknown = tokens.claims()
  if (!isJsonObject(idToken)) throw new Error('the provider sent no ID token')
  const isNeeded = isAll || lacksClaims(provider, idToken)
  const isAsked = isNeeded || lacksNames(provider, idToken)
  if (!isAsked || configuration.serverMetadata().userinfo_endpoint === undefined) return { idToken, userInfo: {} }
  try {
    const userInfo: unknown = await fetchUserInfo(configuration, tokens.access_token, String(idToken.sub))
    return { idToken, userInfo: isJsonObject(userInfo) ? userInfo : {} }
  } catch (error) {
    // OpenID Connect Core 5.3.2: claims of another subject mean that the tokens were substituted.
    if (isAll || isOfAnotherSubject(error)) throw error
    logged(needs, provider, error)
    const isEnough = !isNeeded || (isRefusal(error) && namesPerson(provider, idToken))
    return { idToken, userInfo: isEnough ? {} : null }
  }
}

function isOfAnotherSubject(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
}

/** Whether an endpoint answered that it gives nothing, as that of AD FS for access tokens of another audience. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  const response = error instanceof WWWAuthenticateChallengeError ? error.response : cause
  if (!(response instanceof Response)) return false
  const { status } = response
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

function callbackOf({ urls }: Pick<Needs, 'urls'>, tenantSlug: string, { name }: IdentityProvider): string {
  return providerRedirectUri(urls.publicUrl, tenantSlug, name)
}

/** Logs the reason and the kind of an error only: causes of openid-client hold parts of responses. */
function logged({ log }: Needs, { tenantId, id }: IdentityProvider, error: unknown): null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const name = error instanceof Error ? error.name : typeof error
  const why = { reason: failureReason(error), detail: failureDetail(error), error: name, code }
  log.warn({ tenantId, identityProviderId: id, ...why }, 'a sign-in at an identity provider failed')
  return null
}

function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Fault) return cause.code.startsWith('upstream.')
  }
  return false
}
