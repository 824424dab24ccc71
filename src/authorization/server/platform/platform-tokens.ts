import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { PLATFORM_TOKEN_TTL_SECONDS, signAccessToken } from '../../access/platform-token.ts'
import { readToken } from '../../access/read-token.ts'
import { userScopes } from '../grants/grant-scopes.ts'
import type { Granted, ReadToken } from '../instance.ts'
import { signIdToken } from '../openid/id-token.ts'
import type { TokenAnswer } from '../token-request.ts'

/**
 * Issues the platform's tokens for what a user granted: a JWT for our API, and an ID token if the client signs the user
 * in.
 */
export async function issuePlatformTokens(platform: Platform, granted: Granted): Promise<TokenAnswer> {
  const { tenantId, userId, client, jkt, refreshToken: refresh } = granted
  const { clientId } = client
  // Roles may have been taken away since.
  const scopes = granted.isRefresh ? await userScopes(platform, granted, client, granted.scopes) : granted.scopes
  if (scopes === null || scopes.length === 0) throw new Fault('grant.invalid')
  const claims = { tenantId, clientId, userId, isActing: false, scopes, jkt }
  const accessToken = await signAccessToken(platform, claims)
  const isOpenid = granted.scopes.includes('openid') && !granted.isRefresh
  return {
    access_token: accessToken,
    token_type: jkt === null ? 'Bearer' : 'DPoP',
    expires_in: PLATFORM_TOKEN_TTL_SECONDS,
    scope: scopes.join(' '),
    ...(refresh !== null && { refresh_token: refresh }),
    ...(isOpenid && {
      id_token: await signIdToken(platform, granted, accessToken),
    }),
  }
}

/** Reads an access token of the platform; null if it is none, or has expired. */
export async function readPlatformToken(platform: Platform, token: string): Promise<ReadToken | null> {
  const grant = await readToken(platform, token).catch((error: unknown) => {
    if (error instanceof Fault) return null
    throw error
  })
  if (grant === null) return null
  const { tenantId, actor, clientId, scope, jkt, expiresAt, actingClientId } = grant
  const claims = {
    aud: platform.urls.publicUrl,
    sub: actor.id,
    client_id: clientId,
    tenant: tenantId,
    scope,
    exp: expiresAt.getTime() / 1000,
    token_type: jkt === null ? 'Bearer' : 'DPoP',
    ...(jkt === null ? {} : { cnf: { jkt } }),
    ...(actingClientId === null ? {} : { act: { sub: actingClientId } }),
  }
  return { tenantId, claims }
}
