import { Type } from 'typebox'
import { routeGroup } from '../../../api/route-group.ts'
import type { Caller } from '../../../caller.ts'
import { firstLanguage } from '../../../directory/tenants/face-of.ts'
import { grantableRoles } from '../../../directory/users/authority.ts'
import { findRoles } from '../../../directory/users/find-roles.ts'
import { getUser } from '../../../directory/users/find-user.ts'
import { Fault } from '../../../fault.ts'
import { answer, type Route } from '../../../http/routes/route.ts'
import { type Language, languages } from '../../../pages/language.ts'
import type { Platform } from '../../../platform.ts'
import { inviteUser } from '../links/invite-user.ts'
import { linkMail } from '../screens/mails.ts'
import type { UserRef } from '../visit.ts'

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
    const user = await invitable(platform, caller, params.username)
    const invited = await inviteUser(platform, user, caller, linkMail(language, 'welcome'))
    if (invited.kind === 'unknown') throw new Fault('state.invalid', { detail: 'The user is disabled.' })
    if (invited.kind === 'signs_in') {
      const detail = 'The user can sign in already, and there is no mail server or no e-mail address for a new link.'
      throw new Fault('state.invalid', { detail })
    }
    if (invited.kind === 'new_address') {
      const detail =
        'The e-mail address of the user was changed, and links are mailed to it once the user has confirmed it on the account page.'
      throw new Fault('state.invalid', { detail })
    }
    if (invited.kind === 'limited') throw new Fault('request.rate_limited', { meta: { retryAfterSeconds: 3600 } })
    const expiresAt = invited.expiresAt.toISOString()
    return answer(
      invited.kind === 'link' ? { mailed: false, link: invited.url, expiresAt } : { mailed: true, expiresAt },
    )
  },
})

/** What an organisation does for the sign-in of its people, in our API. */
export const signInRoutes: readonly Route[] = [inviteRoute]

/** The link signs in as the user, so a caller may have it only for users who have no roles beyond its own. */
async function invitable({ store }: Pick<Platform, 'store'>, caller: Caller, username: string): Promise<UserRef> {
  return store.inTenant(caller.tenantId, async (tx) => {
    const { id } = await getUser(tx, 'username', username)
    const roles = await findRoles(tx, id)
    if (roles === null) throw new Fault('state.invalid', { detail: 'The user is disabled.' })
    const allowed = grantableRoles(caller)
    if (roles.every((role) => allowed.includes(role))) return { tenantId: caller.tenantId, userId: id }
    throw new Fault('role.above_caller', { detail: 'The user has a role that gives more than you may do.' })
  })
}
