import type { TenantId } from '../../../caller.ts'
import type { AuditAction } from '../../../contract/events/vocabulary.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import type { AuditEntry } from '../../../events/audit/entry.ts'
import { Fault } from '../../../fault.ts'
import { makeBearerSecret, readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { Platform } from '../../../platform.ts'
import { challengeOf } from '../../../protocols/oauth2/pkce.ts'
import type { TenantTx } from '../../../store/store.ts'
import type { Decision, EndedFamily, Grant, Granted, GrantRequest, SignIn, UserPolicy } from '../instance.ts'
import type { TokenAnswer } from '../token-request.ts'
import { type CodeGrant, insertCode, redeemCode } from './code-store.ts'
import { endReusedCode } from './family-store.ts'
import { makeRefreshSecret } from './refresh-secret.ts'

/** RFC 6749 4.1.2 and FAPI 2.0 Security Profile 5.3.2.1: at most 60 s. */
const CODE_TTL_SECONDS = 60
/** How long a refresh token can be renewed after the user signed in. */
const FAMILY_TTL_SECONDS = 30 * 86_400

/**
 * What a code depends on. `consent`: it is spent. `write`: runs in the transaction of the code; a fault stores nothing.
 */
type MadeFrom = Pick<Extract<Decision, { kind: 'grant' }>, 'consent' | 'write'>

/**
 * Makes a code for what a user granted. A fault stores nothing.
 *
 * @throws Fault `login.required` if the session of the user has ended meanwhile, `request.invalid` if the consent was
 *   used before
 */
export async function makeCode(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId, ...signIn }: SignIn,
  grant: Omit<CodeGrant, keyof SignIn>,
  { consent, write }: MadeFrom,
): Promise<string> {
  const now = clock.now()
  const secret = makeBearerSecret(tenantId)
  const expiresAt = new Date(now.getTime() + CODE_TTL_SECONDS * 1000)
  const code = { ...signIn, ...grant }
  const insert = async (tx: TenantTx) => {
    const outcome = await insertCode(tx, secret, code, consent ?? null, { now, expiresAt })
    if (outcome === 'consent_used') throw new Fault('request.invalid', { detail: 'The consent was used before.' })
    if (outcome === 'session_ended') throw new Fault('login.required')
  }
  // A consent is spent by a statement of its own.
  if (write === undefined && consent === undefined) await store.single(tenantId, insert)
  else {
    await store.inTenant(tenantId, async (tx) => {
      await write?.(tx)
      await insert(tx)
    })
  }
  return secret.text
}

/** The code flow of an authorization server. @see [RFC 6749, 4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3) */
export function authorizationCode(users: UserPolicy): Grant {
  return {
    type: 'authorization_code',
    client: 'required',
    issue: (platform, request) => redeem(platform, users, request),
  }
}

/** @throws Fault `request.invalid`, `grant.invalid`, and what the server refuses to store */
async function redeem(platform: Platform, users: UserPolicy, request: GrantRequest<Client>): Promise<TokenAnswer> {
  const { client, form, jkt, instanceKey, instance } = request
  if (!form.code) throw new Fault('request.invalid', { detail: 'code is missing.' })
  const code = readBearerSecret(form.code)
  // RFC 7636 4.6; RFC 9700 4.8.2: a verifier for a code without challenge is refused, as is a code alone that has one
  const challenge = form.code_verifier ? challengeOf(form.code_verifier) : null
  if (code === null || (form.code_verifier && challenge === null)) throw new Fault('grant.invalid')
  const { tenantId, id } = code
  const now = platform.clock.now()
  const needsOffline = users.refreshTokens === 'offline_access'
  const hasRefresh = client.grantTypes.includes('refresh_token') && (needsOffline || !client.isPublic || jkt !== null)
  if ((await findTenantOf(platform, tenantId)) === null) throw new Fault('grant.invalid')
  const refresh = await makeRefreshSecret(platform.sealing, tenantId, id)
  const redemption = {
    ...code,
    issuer: instance.issuer,
    clientId: client.clientId,
    redirectUri: form.redirect_uri ?? '',
    challenge,
    jkt,
    instanceKey,
    // RFC 9449 5: the refresh token of a public client is bound to its key; that of another to its authentication
    boundTo: client.isPublic ? jkt : null,
    refreshHash: hasRefresh ? refresh.hash : null,
    needsOffline,
    familyExpiresAt: new Date(now.getTime() + FAMILY_TTL_SECONDS * 1000),
  }
  const entry = entryOf('user.authorized', request)
  const issued = await issueFor(platform, users, request, tenantId, async (tx) => {
    const redeemed = await redeemCode(tx, redemption, entry, now)
    if (redeemed === null) return null
    const isRefreshed = hasRefresh && (!needsOffline || redeemed.scopes.includes('offline_access'))
    const refreshToken = isRefreshed ? refresh.text : null
    return { ...redeemed, tenantId, familyId: id, client, jkt, refreshToken, isRefresh: false }
  })
  if (issued !== null) return issued
  // RFC 6749 4.1.2: a second use ends what the first one brought
  const reused = entryOf('user.grant_reused', request)
  await endWith(platform, users, tenantId, (tx) =>
    endReusedCode(tx, { ...code, clientId: client.clientId, issuer: instance.issuer }, reused, now),
  )
  throw new Fault('grant.invalid')
}

/**
 * Takes what was granted out of the store, and issues its tokens.
 *
 * @param take One statement; null: nothing is granted.
 */
export async function issueFor(
  platform: Platform,
  { tokens }: UserPolicy,
  request: GrantRequest<Client>,
  tenantId: TenantId,
  take: (tx: TenantTx) => Promise<Granted | null>,
): Promise<TokenAnswer | null> {
  if (tokens.kind === 'self-contained') {
    const granted = await platform.store.single(tenantId, take)
    return granted === null ? null : tokens.issue(platform, granted)
  }
  const answer = await platform.store.inTenant(tenantId, async (tx) => {
    const granted = await take(tx)
    return granted === null ? null : tokens.store(platform, tx, granted, request)
  })
  return answer === null ? null : answer()
}

/** Ends a refresh token, and with it the access token that a row stands for. */
export async function endWith(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tokens }: UserPolicy,
  tenantId: TenantId,
  end: (tx: TenantTx) => Promise<EndedFamily | null>,
): Promise<void> {
  await store.inTenant(tenantId, async (tx) => {
    const ended = await end(tx)
    if (ended !== null && tokens.kind !== 'self-contained') await tokens.revoke(tx, ended, clock.now())
  })
}

/** Returns the entry about a grant that a client uses. The statement that writes it adds the user. */
export function entryOf(action: AuditAction, { client, ip, requestId }: GrantRequest<Client>): AuditEntry {
  const by = { kind: 'client', id: client.clientId, ip, requestId } as const
  const subject = { kind: 'user', id: null } as const
  return { action, subject, by, result: action === 'user.grant_reused' ? 'refused' : 'done' }
}
