import { Type } from 'typebox'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'

const strict = { additionalProperties: false } as const

const count = (description: string) => Type.Integer({ minimum: 0, description })

const Removal = Type.Object(
  {
    removedAt: { ...time, description: 'When the tenant was closed.' },
    removedBy: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the client that removed it; null: the command line.',
    }),
    counts: Type.Object(
      {
        users: count('Users, deleted ones too.'),
        credentials: count('Credentials in their wallets.'),
        issuances: count('Issuances.'),
        auditEntries: count('Entries of the audit trail in the database.'),
      },
      { ...strict, description: 'What the tenant had when it was closed; of each at most 1,000,000 are counted.' },
    ),
    archivedAt: {
      ...orNull(time),
      description: 'When its audit trail was written to AUDIT_ARCHIVE; null also without that setting.',
    },
    rowsRemoved: count('Rows that are gone so far.'),
    endedAt: { ...orNull(time), description: 'When the last row was gone.' },
  },
  { ...strict, $id: 'TenantRemoval' },
)

/** A tenant as the operator of the platform sees it. */
export const TenantReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    slug: Type.String({
      description: 'Identifies the tenant in paths. That of a removed tenant is never given again.',
    }),
    name: Type.String(),
    state: Type.Enum(['active', 'disabled', 'removing', 'removed'], {
      description: '`removing`: it is closed, and what is stored for it is removed. `removed`: nothing is left.',
    }),
    createdAt: time,
    removal: Type.Union([Removal, Type.Null()], { description: 'null unless it is removed.' }),
  },
  { ...strict, $id: 'Tenant' },
)

/** Query of the list of tenants. */
const TenantListQuery = listQuery()
const ofTenants = operationGroup({
  group: 'onboarding',
  tag: 'tenants',
  path: '/tenants',
  scope: 'platform:admin',
  reply: TenantReply,
})

/** Tenants of the deployment, and their removal. */
export const tenants = {
  list: ofTenants.list('', {
    summary: 'Lists all tenants of the platform, removed ones too.',
    query: TenantListQuery,
  }),

  get: ofTenants.get('/{slug}', {
    summary: 'Reads a tenant of the platform, and how far its removal is.',
  }),

  delete: ofTenants.delete('/{slug}', {
    summary:
      'Removes a tenant with everything that is stored for it; this cannot be undone. It is closed at once, on all ' +
      'servers within five seconds; rows go in pieces afterwards. May be repeated.',
    status: 202,
    faults: ['state.conflict'],
  }),
} as const
