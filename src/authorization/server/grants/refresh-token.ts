import type { TenantId } from '../../../caller.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { Fault } from '../../../fault.ts'
import { readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { Platform } from '../../../platform.ts'
import type { Grant, GrantRequest, UserPolicy } from '../instance.ts'
import type { TokenAnswer } from '../token-request.ts'
import { endWith, entryOf, issueFor } from './authorization-code.ts'
import { endReusedFamily, findFamily, type Refresh, rotateRefreshToken } from './family-store.ts'
import { makeRefreshSecret, wasRefreshSecret } from './refresh-secret.ts'

/**
 * A replaced refresh token is accepted once more within this time: the answer with its successor may have been lost.
 * The successor that was not received ends then, so that its later use, by a thief, ends the family.
 */
const GRACE_SECONDS = 10

/** Refresh tokens that rotate. @see [RFC 6749, 6](https://www.rfc-editor.org/rfc/rfc6749#section-6) and [RFC 9700, 4.14](https://www.rfc-editor.org/rfc/rfc9700#section-4.14) */
export function refreshToken(users: UserPolicy): Grant {
  return { type: 'refresh_token', client: 'required', issue: (platform, request) => refresh(platform, users, request) }
}

/** @throws Fault `request.invalid`, `grant.invalid`, `scope.invalid` */
async function refresh(platform: Platform, users: UserPolicy, request: GrantRequest<Client>): Promise<TokenAnswer> {
  const { client, form, jkt, instanceKey, instance } = request
  if (!form.refresh_token) throw new Fault('request.invalid', { detail: 'refresh_token is missing.' })
  const presented = readBearerSecret(form.refresh_token)
  if (presented === null) throw new Fault('grant.invalid')
  const { tenantId, id } = presented
  const now = platform.clock.now()
  const next = isKept(client)
    ? { ...presented, text: form.refresh_token }
    : await makeRefreshSecret(platform.sealing, tenantId, id)
  const graceSince = new Date(now.getTime() - GRACE_SECONDS * 1000)
  const named = (form.scope ?? '').split(' ').filter((one) => one !== '')
  const { issuer } = instance
  const use = {
    ...presented,
    issuer,
    nextHash: next.hash,
    clientId: client.clientId,
    jkt,
    instanceKey,
    scopes: named,
    now,
    graceSince,
  }
  const issued = await issueFor(platform, users, request, tenantId, async (tx) => {
    const family = await rotateRefreshToken(tx, use)
    if (family === null) return null
    const about = { tenantId, familyId: id, client, jkt, nonce: null, refreshToken: next.text, isRefresh: true }
    return { ...family, scopes: named.length === 0 ? family.scopes : named, ...about }
  })
  if (issued !== null) return issued
  throw await refusalOf(platform, users, use, request)
}

/**
 * FAPI 2.0 Security Profile 5.3.2.1: no rotation where authentication and key of the client protect the token already.
 */
function isKept({ dpopRequired, isPublic }: Client): boolean {
  return dpopRequired && !isPublic
}

/**
 * Ends the family of a token that was replaced before, if its client presents it. A current token is refused for what
 * the request adds to it.
 */
async function refusalOf(
  platform: Platform,
  users: UserPolicy,
  use: Refresh & { readonly tenantId: TenantId },
  request: GrantRequest<Client>,
): Promise<Fault> {
  const { tenantId } = use
  if ((await findTenantOf(platform, tenantId)) === null) return new Fault('grant.invalid')
  if (await wasRefreshSecret(platform.sealing, request.form.refresh_token ?? '')) {
    const reused = entryOf('user.grant_reused', request)
    await endWith(platform, users, tenantId, (tx) => endReusedFamily(tx, use, reused))
  }
  const family = await platform.store.single(tenantId, (tx) => findFamily(tx, use, use.now))
  // RFC 6749 6: a scope that was not granted cannot be requested
  const isMore = family?.clientId === use.clientId && use.scopes.some((one) => !family.scopes.includes(one))
  return new Fault(isMore ? 'scope.invalid' : 'grant.invalid')
}
