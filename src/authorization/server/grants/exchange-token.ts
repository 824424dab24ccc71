import type { Scope, UserId } from '../../../caller.ts'
import { findFacts } from '../../../directory/accounts/account-facts.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { findUser } from '../../../directory/users/find-user.ts'
import { admitLookUp } from '../../../directory/users/look-up-user.ts'
import { record } from '../../../events/audit/record.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { PLATFORM_TOKEN_TTL_SECONDS, signAccessToken } from '../../access/platform-token.ts'
import { readToken } from '../../access/read-token.ts'
import { closedReason } from '../../acting/ways.ts'
import type { Grant, GrantRequest } from '../instance.ts'
import type { TokenAnswer, TokenForm } from '../token-request.ts'
import { grantScopes } from './grant-scopes.ts'

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const walletScopes: readonly Scope[] = ['wallet:read', 'wallet:write']

/** Token exchange: a client acts for a user of its tenant. */
export const tokenExchange: Grant = {
  type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  client: 'required',
  issue: exchangeToken,
}

/**
 * Exchanges a client's own access token for one of the wallet of a user of its tenant, with the client in `act`. Every
 * attempt is recorded in the audit trail, refused ones too.
 *
 * @throws Fault `request.invalid`, `client.unauthorized`, `scope.invalid`, `request.rate_limited`
 * @see [RFC 8693, 2](https://www.rfc-editor.org/rfc/rfc8693#section-2)
 */
async function exchangeToken(platform: Platform, request: GrantRequest<Client>): Promise<TokenAnswer> {
  const { form, client, jkt } = request
  if (!client.scopes.includes('users:impersonate')) {
    throw new Fault('client.unauthorized', { detail: 'Token exchange needs the scope users:impersonate.' })
  }
  checkForm(form)
  await checkSubjectToken(platform, client, form.subject_token ?? '')
  const scopes = grantScopes(form.scope, walletScopes)
  const userId = await findImpersonated(platform, request)
  const { tenantId, clientId } = client
  const token = await signAccessToken(platform, { tenantId, clientId, userId, isActing: true, scopes, jkt })
  return {
    access_token: token,
    issued_token_type: ACCESS_TOKEN,
    token_type: jkt === null ? 'Bearer' : 'DPoP',
    expires_in: PLATFORM_TOKEN_TTL_SECONDS,
    scope: scopes.join(' '),
  }
}

function checkForm(form: TokenForm): void {
  if (!form.subject_token || form.subject_token_type !== ACCESS_TOKEN) {
    throw new Fault('request.invalid', { detail: `subject_token is needed, of subject_token_type ${ACCESS_TOKEN}.` })
  }
  if (form.requested_token_type && form.requested_token_type !== ACCESS_TOKEN) {
    throw new Fault('request.invalid', { detail: 'Only access tokens are issued.' })
  }
  if (form.actor_token) throw new Fault('request.invalid', { detail: 'actor_token is not supported.' })
  if (!form.requested_subject) {
    throw new Fault('request.invalid', { detail: 'requested_subject is needed: the username.' })
  }
}

/** The subject token must be the client's own, valid, and carry the scope. */
async function checkSubjectToken(platform: Platform, client: Client, token: string): Promise<void> {
  // RFC 8693 2.2.2: an unacceptable subject_token is invalid_request
  const grant = await readToken(platform, token).catch((cause: unknown) => {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('request.invalid', { detail: `The subject_token is refused. ${cause.detail ?? ''}`.trim(), cause })
  })
  if (grant.userId !== null || grant.clientId !== client.clientId || grant.tenantId !== client.tenantId) {
    throw new Fault('request.invalid', { detail: 'The subject_token is not a token of this client.' })
  }
  if (!grant.scopes.has('users:impersonate')) {
    throw new Fault('request.invalid', { detail: 'The subject_token lacks the scope users:impersonate.' })
  }
}

async function findImpersonated(
  platform: Platform,
  { client: { tenantId, clientId }, form, ip, requestId }: GrantRequest<Client>,
): Promise<UserId> {
  const { countUnknown } = admitLookUp(platform, { tenantId, actor: { kind: 'client', id: clientId } })
  const user = await platform.store.inTenant(tenantId, async (tx) => {
    const found = await findUser(tx, 'username', form.requested_subject ?? '')
    const facts = found === null ? null : await findFacts(tx, found.id)
    const reason = facts === null ? 'inactive' : closedReason('token_exchange', facts)
    const entry = {
      action: 'user.impersonated',
      subject: { kind: 'user', id: found?.id ?? null },
      by: { kind: 'client', id: clientId, ip, requestId },
      result: reason === null ? 'done' : 'refused',
      detail: { way: 'token_exchange', ...(reason !== null && { reason }) },
    } as const
    await record(tx, entry, platform.clock.now())
    return { id: found?.id ?? null, reason }
  })
  if (user.reason === 'new_username') {
    const detail =
      'The username of this user was changed by a caller without users:impersonate, and the user has not ' +
      'confirmed it ' +
      'on the account page.'
    throw new Fault('request.invalid', { detail })
  }
  // The same refusal for both, so that it does not disclose whether a disabled user exists.
  if (user.id === null || user.reason !== null) {
    await countUnknown()
    throw new Fault('request.invalid', {
      detail: 'requested_subject is not the username of an enabled user of the tenant.',
    })
  }
  return user.id
}
