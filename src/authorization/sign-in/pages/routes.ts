import { holds } from '../../../caller.ts'
import { invitations } from '../../../contract/directory/invitations.ts'
import { firstLanguage } from '../../../directory/tenants/face-of.ts'
import { grantableRoles } from '../../../directory/users/authority.ts'
import { getUser } from '../../../directory/users/find-user.ts'
import { Fault } from '../../../fault.ts'
import { answer, type Route, serve } from '../../../http/routes/route.ts'
import type { ClosedReason } from '../../acting/ways.ts'
import { inviteUser } from '../links/invite-user.ts'
import { linkMail } from '../screens/mails.ts'

// Object.keys loses the type of the keys.
const inviteRoute = serve(invitations.create, async ({ platform, caller, params, body }) => {
  const language = body.language ?? (await firstLanguage(platform, caller.tenantId))
  const { id: userId } = await platform.store.single(caller.tenantId, (tx) => getUser(tx, 'username', params.username))
  const { tenantId } = caller
  const inviter = {
    by: caller,
    roles: grantableRoles(caller),
    mayImpersonate: holds(caller, 'users:impersonate'),
  }
  const invited = await inviteUser(platform, { tenantId, userId }, inviter, linkMail(language, 'welcome'))
  if (invited.kind === 'closed') throw refusalOf(invited.reason)
  const expiresAt = invited.expiresAt.toISOString()
  return answer(invited.kind === 'link' ? { mailed: false, link: invited.url, expiresAt } : { mailed: true, expiresAt })
})

/** What an organisation does for the sign-in of its people, in our API. */
export const signInRoutes: readonly Route[] = [inviteRoute]

function refusalOf(reason: ClosedReason | 'limited'): Fault {
  switch (reason) {
    case 'limited':
      return new Fault('request.rate_limited', { meta: { retryAfterSeconds: 3600 } })
    case 'role_gained':
      return new Fault('role.above_caller', { detail: 'The user has a role that gives more than you may do.' })
    case 'in_use':
    case 'can_sign_in':
      return new Fault('state.invalid', {
        detail:
          'The user can sign in already, or the wallet holds something, and there is no mail server or no e-mail ' +
          'address for a link. Only a caller with users:impersonate is told a link, if the user never signed in.',
      })
    case 'new_address':
      return new Fault('state.invalid', {
        detail:
          'The e-mail address of the user was changed, and links are mailed to it once the user has confirmed it on ' +
          'the account page.',
      })
    default:
      return new Fault('state.invalid', { detail: 'The user is disabled.' })
  }
}
