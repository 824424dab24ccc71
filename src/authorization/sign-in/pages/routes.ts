import { Type } from 'typebox'
import { routeGroup } from '../../../api/route-group.ts'
import { holds } from '../../../caller.ts'
import { firstLanguage } from '../../../directory/tenants/face-of.ts'
import { grantableRoles } from '../../../directory/users/authority.ts'
import { getUser } from '../../../directory/users/find-user.ts'
import { Fault } from '../../../fault.ts'
import { answer, type Route } from '../../../http/routes/route.ts'
import { type Language, languages } from '../../../pages/language.ts'
import type { ClosedReason } from '../../acting/ways.ts'
import { inviteUser } from '../links/invite-user.ts'
import { linkMail } from '../screens/mails.ts'

const Invitation = Type.Object(
  {
    mailed: Type.Boolean({ description: 'Whether the link was mailed to the user.' }),
    link: Type.Optional(
      Type.String({
        description: 'The link, told here only: there is no mail server, or the user has no e-mail address.',
      }),
    ),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Invitation', additionalProperties: false },
)
// Object.keys loses the type of the keys.
const InvitationBody = Type.Object(
  {
    language: Type.Optional(
      Type.Enum(Object.keys(languages) as Language[], {
        description: 'The language of the mail; by default the first one of the organisation.',
      }),
    ),
  },
  { $id: 'InvitationBody', additionalProperties: false, examples: [{ language: 'en' }] },
)

const users = routeGroup({ group: 'onboarding', tag: 'users', path: '/users', scope: 'users:write', reply: Invitation })

const inviteRoute = users.post('/{username}/invitation', {
  operationId: 'inviteUser',
  summary: 'Invites a user to sign in: makes a link that works once within 7 days, and ends an earlier one.',
  body: InvitationBody,
  status: 201,
  faults: ['role.above_caller', 'state.invalid', 'request.rate_limited'],
  handle: async ({ platform, caller, params, body }) => {
    const language = body.language ?? (await firstLanguage(platform, caller.tenantId))
    const { id: userId } = await platform.store.single(caller.tenantId, (tx) =>
      getUser(tx, 'username', params.username),
    )
    const { tenantId } = caller
    const inviter = {
      by: caller,
      roles: grantableRoles(caller),
      mayImpersonate: holds(caller, 'users:impersonate'),
    }
    const invited = await inviteUser(platform, { tenantId, userId }, inviter, linkMail(language, 'welcome'))
    if (invited.kind === 'closed') throw refusalOf(invited.reason)
    const expiresAt = invited.expiresAt.toISOString()
    return answer(
      invited.kind === 'link' ? { mailed: false, link: invited.url, expiresAt } : { mailed: true, expiresAt },
    )
  },
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
