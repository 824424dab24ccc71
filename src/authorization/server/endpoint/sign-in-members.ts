import type { Client } from '../../../directory/clients/client.ts'
import { usernamesOf } from '../../../directory/users/find-user.ts'
import type { Platform } from '../../../platform.ts'
import type { AuthorizationRequest, Parameters } from '../../../protocols/oauth2/authorization-request.ts'
import { platformTenantId } from '../../../store/store.ts'
import type { Session } from '../../sign-in/session.ts'

/** An authorization request whose user has to authenticate. */
type SignInNeed = {
  readonly client: Pick<Client, 'tenantId' | 'tenantSlug'>
  readonly request: AuthorizationRequest
  readonly parameters: Parameters
  /** The session of the browser, if its user can use the client. */
  readonly session: Session | null
  /** Whether the browser has a session, perhaps of another tenant. */
  readonly isSignedIn: boolean
  /** The user whom an `id_token_hint` names; null: none is named. */
  readonly hintedUser: string | null
}

/**
 * Returns the members with which the address of the sign-in page names its organisation and its person. Both come from
 * the session of the browser or from what the client named, which is repeated without a look-up: the page tells nobody
 * whether a user exists.
 *
 * @see [OpenID Connect Core, 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest): `login_hint`, `prompt`
 */
export async function signInMembers(
  platform: Pick<Platform, 'store'>,
  need: SignInNeed,
): Promise<Readonly<Record<string, string>>> {
  const { prompts, loginHint } = need.request
  const known = knownSession(need)
  const hint = loginHint ?? (known === null ? null : await usernameOf(platform, known))
  return {
    ...((need.isSignedIn || prompts.includes('select_account')) && { again: '1' }),
    ...tenantOf(need, known),
    ...(hint !== null && { hint }),
    ...(prompts.includes('login') && { login: '1' }),
  }
}

/** The session whose person authenticates again; null if there is none, or the request is for another person. */
function knownSession({ session, request, hintedUser }: SignInNeed): Session | null {
  const isOther = hintedUser !== null && hintedUser !== session?.userId
  return isOther || request.prompts.includes('select_account') ? null : session
}

/**
 * The organisation at whose sign-in the browser arrives. One that is only suggested decides nothing: the page lets the
 * user choose another.
 */
function tenantOf({ client, request, parameters, isSignedIn }: SignInNeed, known: Session | null) {
  // A client of a tenant has the users of that tenant only.
  if (client.tenantId !== platformTenantId) return { tenant: client.tenantSlug }
  // The person of a session signs in with what the own organisation has.
  if (known !== null && request.prompts.includes('login')) return { tenant: known.tenantSlug }
  const suggested = known?.tenantSlug ?? (isSignedIn ? undefined : parameters.tenant_hint)
  return suggested === undefined ? {} : { tenant: suggested, suggested: '1' }
}

async function usernameOf({ store }: Pick<Platform, 'store'>, { tenantId, userId }: Session): Promise<string | null> {
  const found = await store.single(tenantId, (tx) => usernamesOf(tx, [userId]))
  return found.get(userId) ?? null
}
