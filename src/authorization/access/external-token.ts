import { type Scope, scopesOfRoles } from '../../caller.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import { isSignedByForeignKey } from '../../crypto/foreign-jws.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { type Jws, parseCompact } from '../../crypto/jws.ts'
import { findFacts } from '../../directory/accounts/account-facts.ts'
import { findUser } from '../../directory/users/find-user.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { closedReason } from '../acting/ways.ts'
import { providerActorId } from './identity-provider.ts'
import type { AccessTokenGrant } from './platform-token.ts'
import { claimOf, mappedRoles, oneTextOf } from './provider-claim.ts'
import { keysOfProvider } from './provider-keys.ts'
import { findTokenIssuers, type TokenIssuer } from './token-issuer-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'urls' | 'memory' | 'fetch' | 'rateLimiter'>

const TOKEN_CHARS_MAX = 16_384
const ISSUER_CHARS_MAX = 2000
const LEEWAY_SECONDS = 60
/** RFC 9068 2.1; many providers write JWT, as for any other. */
const TYPES = ['at+jwt', 'jwt']
/** Where a request comes from, for the audit trail and the limits. */
export type RequestSource = { readonly ip: string; readonly requestId: string }

/** Claims of ID tokens, which are never access tokens. OpenID Connect Core 2 and 3.3.2.11. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash'] as const

/**
 * Reads an access token of an external provider of a tenant, if it is one: null if its issuer is none whose tokens are
 * accepted. The tenant is that of the provider, whatever the token says. The caller is the user whom the token names;
 * it has the scopes of a wallet, and those of the roles that the provider states, or of the roles here if it is not
 * asked for any. A result is cached for a minute. The first use of a token in a process is recorded as an
 * impersonation.
 *
 * @param from Tokens of unknown issuers, each of which is looked up, are counted by the address.
 * @throws Fault `token.invalid`, `request.rate_limited`
 */
export async function readExternalToken(
  needs: Needs,
  token: string,
  from: RequestSource,
): Promise<AccessTokenGrant | null> {
  const grants = needs.memory.cache<AccessTokenGrant>('authorization.external_grants')
  const now = needs.clock.now()
  const digest = sha256Base64url(token)
  const cached = grants.get(digest, now)
  if (cached !== undefined) return cached
  // A token that the platform has verified is none of a provider, and need not be parsed at each request.
  if (needs.memory.cache<AccessTokenGrant>('authorization.grants').get(digest, now) !== undefined) return null
  const jws = parsed(token)
  const { iss } = jws?.payload ?? {}
  if (jws === null || typeof iss !== 'string' || iss === needs.urls.auth || !isPlausible(iss)) return null
  const found = await providersOf(needs, iss, from.ip)
  if (found.length === 0) return null
  const provider = forAudience(found, jws.payload.aud)
  const expiresAt = checkTimes(jws.payload, now)
  await checkSignature(needs, provider, jws)
  const grant = await grantOf(needs, provider, jws.payload, { digest, expiresAt, from })
  grants.set(digest, grant, now, expiresAt.getTime())
  return grant
}

/**
 * Returns the providers that accept tokens of an issuer. One that was known within the day is looked up whatever its
 * address did.
 */
async function providersOf(needs: Needs, issuer: string, ip: string): Promise<readonly TokenIssuer[]> {
  const { memory, clock, store, rateLimiter } = needs
  const now = clock.now()
  const issuers = memory.cache<Promise<readonly TokenIssuer[]>>('authorization.token_issuers')
  const known = memory.cache<true>('authorization.known_issuers')
  const isKnown = known.get(issuer, now) === true
  if (!isKnown) rateLimiter.admitAddress('authorization.unknown_issuers', ip, now)
  const found = await remembered(issuers, issuer, now, () =>
    store.across('providers that an access token may be of', (tx) => findTokenIssuers(tx, issuer)),
  )
  if (found.length > 0) known.set(issuer, true, now)
  else if (!isKnown) rateLimiter.countAddress('authorization.unknown_issuers', ip, now)
  return found
}

function parsed(token: string): Jws | null {
  try {
    return parseCompact(token, { charsMax: TOKEN_CHARS_MAX })
  } catch {
    // The platform's own reading of the token says what is wrong with it.
    return null
  }
}

function isPlausible(issuer: string): boolean {
  return issuer.length <= ISSUER_CHARS_MAX && !issuer.includes('\0')
}

/** Issuer and audience together name one provider. RFC 9068 4: the audience must be among those of the token. */
function forAudience(providers: readonly TokenIssuer[], aud: unknown): TokenIssuer {
  const named = providers.filter(({ audience }) => (Array.isArray(aud) ? aud.includes(audience) : aud === audience))
  const [provider] = named
  if (provider === undefined || named.length > 1) throw refused('for another audience, or for several')
  return provider
}

function checkTimes(claims: JsonObject, now: Date): Date {
  const { exp, nbf, cnf } = claims
  const seconds = now.getTime() / 1000
  if (typeof exp !== 'number' || !Number.isFinite(exp) || exp + LEEWAY_SECONDS <= seconds) throw refused('expired')
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf - LEEWAY_SECONDS > seconds)) throw refused('not valid yet')
  if (ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name))) throw refused('an ID token')
  // A token that is bound to a key must not be usable without it, and the key of another server's token is not proven
  // here.
  if (cnf !== undefined) throw refused('bound to a key')
  return new Date(Math.min((exp + LEEWAY_SECONDS) * 1000, now.getTime() + 86_400_000))
}

async function checkSignature(needs: Needs, provider: TokenIssuer, jws: Jws): Promise<void> {
  const keys = await keysOfProvider(needs, provider, jws.header.kid)
  if (!keys.some((key) => isSignedByForeignKey(jws, key, TYPES))) throw refused('not signed by a key of its issuer')
}

async function grantOf(
  needs: Needs,
  provider: TokenIssuer,
  claims: JsonObject,
  { digest, expiresAt, from }: { readonly digest: string; readonly expiresAt: Date; readonly from: RequestSource },
): Promise<AccessTokenGrant> {
  const { tenantId } = provider
  const { externalIdentifier, username } = provider.claims
  const value = oneTextOf(claimOf(claims, externalIdentifier ?? username))
  if (value === null || value === '' || value.includes('\0')) throw refused('without a claim that names a user')
  const key = externalIdentifier === null ? 'username' : 'externalIdentifier'
  const way = externalIdentifier === null ? 'token_of_username' : 'token_of_identifier'
  const recorded = needs.memory.cache<true>('authorization.recorded_tokens')
  const now = needs.clock.now()
  const clientId = providerActorId(provider)
  const { userId, roles, reason } = await needs.store.inTenant(tenantId, async (tx) => {
    const user = await findUser(tx, key, value)
    const facts = user === null ? null : await findFacts(tx, user.id)
    if (user === null || facts === null) return { userId: null, roles: [], reason: 'inactive' }
    const closed = closedReason(way, facts, provider)
    if (recorded.get(digest, now) === undefined) {
      const by = { kind: 'client', id: clientId, ...from } as const
      const entry = { action: 'user.impersonated', subject: { kind: 'user', id: user.id }, by } as const
      const detail = { way, ...(closed !== null && { reason: closed }) }
      await record(tx, { ...entry, result: closed === null ? 'done' : 'refused', detail }, now)
    }
    return { userId: user.id, roles: facts.roles, reason: closed }
  })
  recorded.set(digest, true, now, expiresAt.getTime())
  if (userId === null || reason !== null) throw refused(`of a user whose account it does not open: ${reason}`)
  // A provider that is asked for roles and states none gives none to the token; those of the user stay.
  const stated = provider.claims.roles === null ? roles : (mappedRoles(provider, claims) ?? [])
  const scopes: readonly Scope[] = ['wallet:read', 'wallet:write', ...scopesOfRoles(stated)]
  return {
    tenantId,
    userId,
    actor: { kind: 'user', id: userId },
    clientId,
    actingClientId: null,
    scopes: new Set(scopes),
    scope: '',
    jkt: null,
    expiresAt,
  }
}

function refused(notes: string): Fault {
  return new Fault('token.invalid', {
    detail: 'The access token is not valid here.',
    notes: `an external token ${notes}`,
  })
}
