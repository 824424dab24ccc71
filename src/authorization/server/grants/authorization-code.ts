import type { Client } from '../../../directory/clients/client.ts'
import type { AuditEntry } from '../../../events/audit/entry.ts'
import type { AuditAction } from '../../../events/audit/vocabulary.ts'
import { Fault } from '../../../fault.ts'
import { makeBearerSecret, readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { Platform } from '../../../platform.ts'
import { challengeOf } from '../../../protocols/oauth2/pkce.ts'
import type { Grant, GrantRequest, SignIn, UserPolicy } from '../instance.ts'
import type { TokenAnswer } from '../token-request.ts'
import { type CodeGrant, endReusedCode, insertCode, redeemCode } from './code-store.ts'

/** RFC 6749 4.1.2 and FAPI 2.0 Security Profile 5.3.2.1: at most 60 s. */
const CODE_TTL_SECONDS = 60
/** How long a refresh token can be renewed after the user signed in. */
const FAMILY_TTL_SECONDS = 30 * 86_400

/** Makes a code for what a user granted; null if the session of the user has ended meanwhile. */
export async function makeCode(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId, ...signIn }: SignIn,
  grant: Omit<CodeGrant, keyof SignIn>,
): Promise<string | null> {
  const now = clock.now()
  const secret = makeBearerSecret(tenantId)
  const expiresAt = new Date(now.getTime() + CODE_TTL_SECONDS * 1000)
  const code = { ...signIn, ...grant }
  const isInserted = await store.single(tenantId, (tx) => insertCode(tx, secret, code, { now, expiresAt }))
  return isInserted ? secret.text : null
}

/** The code flow of an authorization server. @see [RFC 6749, 4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3) */
export function authorizationCode(users: UserPolicy): Grant {
  return {
    type: 'authorization_code',
    client: 'required',
    issue: (platform, request) => redeem(platform, users, request),
  }
}

/** @throws Fault `request.invalid`, `grant.invalid` */
async function redeem(platform: Platform, users: UserPolicy, request: GrantRequest<Client>): Promise<TokenAnswer> {
  const { client, form, jkt, instance } = request
  if (!form.code) throw new Fault('request.invalid', { detail: 'code is missing.' })
  const code = readBearerSecret(form.code)
  // RFC 7636 4.6
  const challenge = challengeOf(form.code_verifier ?? '')
  if (code === null || challenge === null) throw new Fault('grant.invalid')
  const { tenantId, id } = code
  const now = platform.clock.now()
  const hasRefresh = client.grantTypes.includes('refresh_token')
  const refresh = makeBearerSecret(tenantId, id)
  const redemption = {
    ...code,
    issuer: instance.issuer,
    ...{ clientId: client.clientId, redirectUri: form.redirect_uri ?? '', challenge, jkt },
    // RFC 9449 5: the refresh token of a public client is bound to its key; that of another to its authentication
    boundTo: client.isPublic ? jkt : null,
    refreshHash: hasRefresh ? refresh.hash : null,
    familyExpiresAt: new Date(now.getTime() + FAMILY_TTL_SECONDS * 1000),
  }
  const granted = entryOf('user.authorized', request)
  const redeemed = await platform.store.single(tenantId, (tx) => redeemCode(tx, redemption, granted, now))
  if (redeemed === null) {
    // RFC 6749 4.1.2: a second use ends what the first one brought
    const reused = entryOf('user.grant_reused', request)
    await platform.store.single(tenantId, (tx) => endReusedCode(tx, code, reused, now))
    throw new Fault('grant.invalid')
  }
  const isOffline = hasRefresh && redeemed.scopes.includes('offline_access')
  const refreshToken = isOffline ? refresh.text : null
  return users.issue(platform, { ...redeemed, tenantId, client, jkt, refreshToken, isRefresh: false })
}

/** Returns the entry about a grant that a client uses. The statement that writes it adds the user. */
export function entryOf(action: AuditAction, { client, ip, requestId }: GrantRequest<Client>): AuditEntry {
  const by = { kind: 'client', id: client.clientId, ip, requestId } as const
  const subject = { kind: 'user', id: null } as const
  return { action, subject, by, result: action === 'user.grant_reused' ? 'refused' : 'done' }
}
