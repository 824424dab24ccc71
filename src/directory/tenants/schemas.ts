import { type Static, type TSchema, Type } from 'typebox'
import type { Config } from '../../config.ts'
import { effectiveSettings, type OrganisationRecord } from './organisation.ts'
import { type SettingName, settingMembers } from './settings-schema.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*$',
  description: 'Name of the organisation.',
})
const strict = { additionalProperties: false } as const

type OrNull<M extends Record<string, TSchema>> = { [K in keyof M]: Type.TUnion<[M[K], Type.TNull]> }

/** Each member or null. `about`: what null means. */
function orNull<M extends Record<string, TSchema>>(members: M, about: string): OrNull<M> {
  const entries = Object.entries(members).map(([key, one]) => {
    const { description = '' } = one as { readonly description?: string }
    return [key, Type.Union([one, Type.Null()], { description: `${description} ${about}`.trim() })]
  })
  // The keys are those of the members.
  return Object.fromEntries(entries) as OrNull<M>
}

/** The body that changes the organisation. Absent members stay as they are. */
export const OrganisationChangeBody = Type.Object(
  {
    name: Type.Optional(name),
    ...Type.Partial(Type.Object(orNull(settingMembers, 'Null: the default.'))).properties,
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
    ...orNull(settingMembers, 'The default where it is not set; null: none, or that of the server.'),
    fixedMembers: Type.Array(Type.String(), {
      description: 'Members that the bootstrap file names. They are changed there only.',
    }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { ...strict, $id: 'Organisation' },
)
type OrganisationReply = Static<typeof OrganisationReply>

/** Returns an organisation as our API shows it. */
export function showOrganisation(record: OrganisationRecord, config: Pick<Config, 'isDevelopment'>): OrganisationReply {
  const { id, slug, name, fileMembers, updatedAt } = record
  // Settings are written through their schema only.
  const settings = effectiveSettings(record, config) as Pick<OrganisationReply, SettingName>
  return { id, slug, name, ...settings, fixedMembers: [...fileMembers], updatedAt: updatedAt.toISOString() }
}
