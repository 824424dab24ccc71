import { type Caller, isScope, type TenantId, type UserId } from '../../caller.ts'
import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { signCompact } from '../../crypto/jws.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { platformTenantId } from '../../store/store.ts'
import { isWrittenUuid } from '../../uuid.ts'

/** Lifetime of an access token. Short, because neither its user nor its client is looked up until it expires. */
export const PLATFORM_TOKEN_TTL_SECONDS = 300
/** Media type of access tokens, as `typ` has it. @see [RFC 9068, 2.1](https://www.rfc-editor.org/rfc/rfc9068#section-2.1) */
export const TOKEN_TYP = 'at+jwt'

/** What a token grants, apart from the request that carries it. */
export type AccessTokenGrant = Pick<Caller, 'actor' | 'userId' | 'clientId' | 'actingClientId' | 'scopes'> & {
  readonly tenantId: TenantId
  readonly expiresAt: Date
  /** The claim itself: it also has the scopes of OpenID Connect, which are none of our API. */
  readonly scope: string
  /** Thumbprint of the DPoP key that must be proven with the token; null: a bearer token. */
  readonly jkt: string | null
}

/** What a token is issued for. `userId` null: the client itself. */
type AccessTokenClaims = {
  readonly tenantId: TenantId
  readonly clientId: string
  readonly userId: UserId | null
  /** Whether the client acts on behalf of the user (RFC 8693 `act`). */
  readonly isActing: boolean
  /** Scopes of our API and of OpenID Connect. */
  readonly scopes: readonly string[]
  /** Thumbprint of the DPoP key that the token is bound to; not bound by default. */
  readonly jkt?: string | null
}

type Needs = Pick<Platform, 'keys' | 'clock' | 'urls'>

/** Signs an access token for this platform's API. @see [RFC 9068, 2.2](https://www.rfc-editor.org/rfc/rfc9068#section-2.2) */
export async function signAccessToken({ keys, clock, urls }: Needs, grant: AccessTokenClaims): Promise<string> {
  const { tenantId, clientId, userId, isActing, scopes, jkt = null } = grant
  const key = await keys.current(platformTenantId, 'access-token')
  const iat = Math.floor(clock.now().getTime() / 1000)
  const claims = {
    iss: urls.auth,
    aud: urls.publicUrl,
    sub: userId ?? clientId,
    client_id: clientId,
    tenant: tenantId,
    scope: scopes.join(' '),
    iat,
    exp: iat + PLATFORM_TOKEN_TTL_SECONDS,
    jti: newId(),
    ...(isActing ? { act: { sub: clientId } } : {}),
    // RFC 9449 6.1
    ...(jkt === null ? {} : { cnf: { jkt } }),
  }
  return signCompact({ typ: TOKEN_TYP, kid: key.kid }, claims, key)
}

/**
 * Validates the claims of a token whose signature and type have been verified.
 *
 * @throws Fault `token.invalid`
 * @see [RFC 9068, 4](https://www.rfc-editor.org/rfc/rfc9068#section-4)
 */
export function verifyAccessToken(claims: JsonObject, urls: Platform['urls'], now: Date): AccessTokenGrant {
  const { iss, aud, sub, client_id: clientId, tenant, scope, exp, act, cnf } = claims
  // RFC 9068 4: the issuer must match exactly
  if (iss !== urls.auth) throw refused('It is from another issuer.')
  // RFC 9068 4: a token for another audience is refused; this platform never issues a list
  if (aud !== urls.publicUrl) throw refused('It is for another audience.')
  if (typeof exp !== 'number' || exp * 1000 <= now.getTime())
    throw refused(`It has expired: tokens are valid for ${PLATFORM_TOKEN_TTL_SECONDS} s.`)
  if (typeof sub !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string' || !isWrittenUuid(tenant)) {
    throw refused('A claim is missing.')
  }
  // A client id never has the form of a user id, so the subject is unambiguous.
  const userId = sub === clientId ? null : sub
  if (userId !== null && !isWrittenUuid(userId)) throw refused('Its subject is neither a user nor the client.')
  return {
    // The signature proves that this platform wrote these ids.
    tenantId: tenant as TenantId,
    userId: userId as UserId | null,
    actor: { kind: userId === null ? 'client' : 'user', id: sub },
    clientId,
    actingClientId: actingClient(act),
    scopes: new Set(scope.split(' ').filter(isScope)),
    expiresAt: new Date(exp * 1000),
    scope,
    jkt: thumbprintIn(cnf),
  }
}

function actingClient(act: unknown): string | null {
  if (act === undefined) return null
  if (isJsonObject(act) && typeof act.sub === 'string') return act.sub
  throw refused('A claim is malformed.')
}

function thumbprintIn(cnf: unknown): string | null {
  if (cnf === undefined) return null
  if (isJsonObject(cnf) && typeof cnf.jkt === 'string') return cnf.jkt
  // RFC 7800 3: a token that is bound by a method that we do not know must not pass as a bearer token
  throw refused('A claim is malformed.')
}

function refused(detail: string): Fault {
  return new Fault('token.invalid', { detail: `The access token is not valid here. ${detail}` })
}
