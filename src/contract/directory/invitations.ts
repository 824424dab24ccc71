import { Type } from 'typebox'
import { allLanguages } from '../languages.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'

const Invitation = Type.Object(
  {
    mailed: Type.Boolean({ description: 'Whether the link was mailed to the user.' }),
    link: Type.Optional(
      Type.String({
        description: 'The link, told here only: there is no mail server, or the user has no e-mail address.',
      }),
    ),
    expiresAt: time,
  },
  { $id: 'Invitation', additionalProperties: false },
)

// Object.keys loses the type of the keys.
const InvitationBody = Type.Object(
  {
    language: Type.Optional(
      Type.Enum(allLanguages, {
        description: 'The language of the mail; by default the first one of the organisation.',
      }),
    ),
  },
  { $id: 'InvitationBody', additionalProperties: false, examples: [{ language: 'en' }] },
)
// Object.keys loses the type of the keys.
const ofInvitations = operationGroup({
  group: 'onboarding',
  tag: 'users',
  path: '/users',
  scope: 'users:write',
  reply: Invitation,
})

/** Links by which users begin. */
export const invitations = {
  create: ofInvitations.post('/{username}/invitation', {
    operationId: 'inviteUser',
    summary: 'Invites a user to sign in: makes a link that works once within 7 days, and ends an earlier one.',
    body: InvitationBody,
    status: 201,
    faults: ['role.above_caller', 'state.invalid', 'request.rate_limited'],
  }),
} as const
