import { type Static, type TSchema, Type } from 'typebox'
import { operationGroup } from '../operation-group.ts'
import { settingMembers } from './settings.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*$',
  description: 'Name of the organisation.',
})

const strict = { additionalProperties: false } as const

type OrNull<M extends Record<string, TSchema>> = { [K in keyof M]: Type.TUnion<[M[K], Type.TNull]> }

/** Each member or null. `about`: what null means. */
function eachOrNull<M extends Record<string, TSchema>>(members: M, about: string): OrNull<M> {
  const entries = Object.entries(members).map(([key, one]) => {
    const { description = '' } = one as { readonly description?: string }
    return [key, Type.Union([one, Type.Null()], { description: `${description} ${about}`.trim() })]
  })
  // The keys are those of the members.
  return Object.fromEntries(entries) as OrNull<M>
}

/** 64 KiB in base64. */
const LOGO_CHARS_MAX = 88_000

/** What is written: a logo also as a picture, which the server keeps. */
const writtenMembers = {
  ...settingMembers,
  logoUri: Type.String({
    maxLength: LOGO_CHARS_MAX,
    pattern: '^(https://|http://(localhost|127\\.0\\.0\\.1)[:/]|data:image/(png|jpeg|svg\\+xml)[;,])',
    description:
      'The logo that wallets show beside the name: an address, or a PNG, JPEG or SVG of at most 64 KiB as `data:` URI. ' +
      'The server keeps such a picture, and the setting is its address here.',
  }),
} as const

/** The body that changes the organisation. Absent members stay as they are. */
export const OrganisationChangeBody = Type.Object(
  {
    name: Type.Optional(name),
    ...Type.Partial(Type.Object(eachOrNull(writtenMembers, 'Null: the default.'))).properties,
  },
  {
    ...strict,
    $id: 'OrganisationChangeBody',
    examples: [{ accentColor: '#1f4e79', timeZone: 'Africa/Johannesburg', issuerPolicy: 'trusted' }],
  },
)

/** The organisation as our API shows it. */
export const OrganisationReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    slug: Type.String({ description: 'Identifies the organisation in paths and in URLs for wallets.' }),
    name,
    ...eachOrNull(settingMembers, 'The default where it is not set; null: none, or that of the server.'),
    fixedMembers: Type.Array(Type.String(), {
      description: 'Members that the bootstrap file names. They are changed there only.',
    }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { ...strict, $id: 'Organisation' },
)

export type OrganisationReply = Static<typeof OrganisationReply>
const ofOrganisation = operationGroup({
  group: 'onboarding',
  tag: 'organisation',
  path: '/organisation',
  reply: OrganisationReply,
  replyHeaders: ['ETag'],
  scope: { read: 'trust:read', write: 'trust:write' },
})

/** The organisation of the caller, and its settings. */
export const organisation = {
  get: ofOrganisation.get('', {
    summary: 'Returns the organisation of the caller with its settings.',
  }),

  change: ofOrganisation.patch('', {
    summary:
      'Changes the members of the organisation that the body names; null sets the default. All but the policies need `tenant:admin`. Every server uses the change within five seconds.',
    body: OrganisationChangeBody,
    ifMatch: true,
    faults: ['scope.missing', 'state.conflict', 'resource.changed'],
  }),
} as const
