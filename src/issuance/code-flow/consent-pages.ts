import { readSince } from '../../authorization/server/endpoint/reauthentication.ts'
import type { ServerInstance } from '../../authorization/server/instance.ts'
import { readPendingRequest } from '../../authorization/server/request/consent-request.ts'
import { findSession, type Session } from '../../authorization/sign-in/session.ts'
import { equalInConstantTime } from '../../crypto/digest.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { findSignInUser } from '../../directory/users/sign-in-users.ts'
import { Fault } from '../../fault.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../../pages/page-endpoint.ts'
import type { Platform } from '../../platform.ts'
import { credentialConsentScreen } from './consent-screen.ts'
import { type CredentialConsent, consentToken, shownToken } from './consent-token.ts'
import { findTarget, type RequestedCredential, readRequested } from './requested-credential.ts'
import { isUnregistered } from './wallet-clients.ts'

type InstanceOf = (platform: Platform, tenant: Tenant) => ServerInstance
type Context = PageContext<{ readonly tenant: string }>
type Pending = {
  readonly consent: CredentialConsent
  readonly target: RequestedCredential
  readonly wallet: string
  readonly isUnregistered: boolean
  readonly redirectUri: string
}

/**
 * Declares the page on which a user sees which credential goes to which wallet, and agrees or declines. Each request is
 * asked.
 */
export function credentialConsentPages(instanceOf: InstanceOf): readonly Endpoint[] {
  const summary = 'Asks a user whether a credential may be issued to a wallet.'
  const common = {
    path: '/issuers/{tenant}/consent',
    summary,
    handle: (context: Context) => answer(context, instanceOf),
  } as const
  return [pageEndpoint({ ...common, method: 'GET' }), pageEndpoint({ ...common, method: 'POST' })]
}

async function answer(context: Context, instanceOf: InstanceOf): Promise<PageAnswer> {
  const { platform, params, query, headers, fields } = context
  const tenant = await getTenant(platform, params.tenant)
  const path = query.continue ?? ''
  // Another address is not followed.
  if (!path.startsWith(`/issuers/${tenant.slug}/authorize?`)) return { to: '/account' }
  const session = await findSession(platform, headers.cookie)
  // The authorization endpoint asks for the sign-in, and tells the wallet what is wrong with its request.
  if (session?.tenantId !== tenant.id) return { leaveFor: path }
  const pending = await findPending(platform, tenant, instanceOf(platform, tenant), path, session)
  if (pending === null) return { leaveFor: path }
  const posted = fields.get('answer')?.[0]
  if (posted === 'deny') return { leaveFor: `${path}&consent=denied` }
  // What was shown is what is agreed to: another wallet or credential is shown first.
  const shown = await shownToken(platform, tenant, pending.consent)
  if (posted === 'allow' && !pending.target.lacksClaims && equalInConstantTime(fields.get('shown')?.[0] ?? '', shown)) {
    return { leaveFor: `${path}&consent=${await consentToken(platform, tenant, pending.consent)}` }
  }
  const user = await platform.store.single(tenant.id, (tx) => findSignInUser(tx, session.userId))
  const action = `/issuers/${tenant.slug}/consent?${new URLSearchParams({ continue: path })}`
  const signIn = `/sign-in?${new URLSearchParams({ continue: path, again: '1', tenant: tenant.slug, claims: '1' })}`
  const props = { ...pending, action, shown, signIn, organisation: tenant.name, username: user?.username ?? '' }
  return { page: credentialConsentScreen(context, props) }
}

/** null: the request is not valid, or there is nothing to ask. */
async function findPending(
  platform: Platform,
  tenant: Tenant,
  instance: ServerInstance,
  path: string,
  session: Session,
): Promise<Pending | null> {
  const since = await readSince(platform, Object.fromEntries(new URL(path, instance.issuer).searchParams))
  if (since === null) return null
  try {
    const { client, parameters, redirectUri, request } = await readPendingRequest(platform, instance, path)
    const requested = await readRequested(platform, tenant, request, parameters)
    const target = await findTarget(platform, tenant, session, requested)
    const consent = { sessionId: session.sessionId, parameters, since, target }
    const wallet = client.name ?? client.clientId
    return { consent, target, wallet, isUnregistered: isUnregistered(client), redirectUri }
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}
