import { Type } from 'typebox'
import { type Role, roles } from '../../caller.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'

const text = (description: string) => Type.String({ description })

// Object.keys loses the type of the keys.
const RoleName = Type.Enum(Object.keys(roles) as Role[])

/** A user in our API. Missing values are empty strings. */
const UserReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    username: text('Unique in the tenant, case-insensitive.'),
    email: text('Unique in the tenant, case-insensitive; empty if there is none.'),
    firstName: text('Empty if unknown.'),
    lastName: text('Empty if unknown.'),
    enabled: Type.Boolean({ description: 'Whether the user may sign in and receive credentials.' }),
    roles: Type.Array(RoleName, { description: 'Roles of the user alone; groups may give more.' }),
  },
  { $id: 'User', additionalProperties: false },
)

const name = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$', description })

const email = Type.String({
  format: 'email',
  maxLength: 320,
  description: 'Unique in the tenant, case-insensitive.',
})

const externalIdentifier = name(
  255,
  "The user's id in the organisation's own systems, unique in the tenant, compared exactly.",
)

const username = name(255, 'Unique in the tenant, case-insensitive.')

/** Body of a new user. */
export const UserBody = Type.Object(
  {
    username: Type.Optional(username),
    email: Type.Optional(email),
    firstName: Type.Optional(name(200, 'Given name.')),
    lastName: Type.Optional(name(200, 'Family name.')),
    externalIdentifier: Type.Optional(externalIdentifier),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    roles: Type.Optional(Type.Array(RoleName, { uniqueItems: true, maxItems: 20 })),
  },
  {
    $id: 'UserBody',
    additionalProperties: false,
    description: 'username or email is needed; the username is the e-mail address by default.',
    examples: [{ email: 'thandi@example.org', firstName: 'Thandi', lastName: 'Molefe', externalIdentifier: 'EXT-1' }],
  },
)

/** Body of a change: members that are not named stay as they are, null clears. */
export const UserChangeBody = Type.Object(
  {
    username: Type.Optional(username),
    email: Type.Optional(orNull(email)),
    firstName: Type.Optional(orNull(name(200, 'Given name.'))),
    lastName: Type.Optional(orNull(name(200, 'Family name.'))),
    externalIdentifier: Type.Optional(orNull(externalIdentifier)),
    enabled: Type.Optional(Type.Boolean({ description: 'A disabled user gets no token and no offers.' })),
    roles: Type.Optional(Type.Array(RoleName, { uniqueItems: true, maxItems: 20 })),
  },
  { $id: 'UserChangeBody', additionalProperties: false, examples: [{ enabled: false }] },
)

/** Body that sets an external identifier. */
const ExternalIdentifierBody = Type.Object(
  { externalIdentifier },
  { $id: 'ExternalIdentifierBody', additionalProperties: false, examples: [{ externalIdentifier: 'EXT-1' }] },
)

/** Query of a deletion. */
const UserDeletionQuery = Type.Object(
  {
    purge: Type.Optional(
      Type.Enum(['true', 'false'], {
        description: 'true: the wallet and its keys are destroyed at once, not after 30 days.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The external identifier of a user. */
const ExternalIdentifierReply = Type.Object(
  { externalIdentifier: text("The user's id in the organisation's own systems.") },
  { $id: 'ExternalIdentifierResult', additionalProperties: false },
)

const nullable = (format?: string) => Type.Union([Type.String(format === undefined ? {} : { format }), Type.Null()])

/** The `meta` of a user. */
const UserMeta = Type.Object(
  {
    externalIdentifier: nullable(),
    createdAt: time,
    updatedAt: time,
    deletedAt: nullable('date-time'),
    created: Type.Optional(Type.Boolean({ description: 'After POST: whether the user is new.' })),
    canSignIn: Type.Optional(
      Type.Boolean({
        description:
          'After GET: whether the user has a password, a passkey or an account at an identity provider. One who has ' +
          'none begins by an invitation, or at a provider.',
      }),
    ),
  },
  { $id: 'UserMeta' },
)

/** Query of the list of users. */
const UserListQuery = listQuery({
  filters: {
    email: Type.String({ maxLength: 320 }),
    username: Type.String({ maxLength: 255 }),
    enabled: Type.Enum(['true', 'false']),
    role: RoleName,
    hasRole: Type.Enum(['true'], {
      description: 'Users with a role besides `holder`, of their own or by a group: those who do more than keep cards.',
    }),
    deleted: Type.Enum(['true', 'false'], {
      description: 'Deleted users whose wallet is not yet destroyed, instead of the others.',
    }),
  },
  searches: ['name'],
  sorts: ['createdAt', 'username'],
})

const ofUsers = operationGroup({
  group: 'onboarding',
  path: '/users',
  reply: UserReply,
  scope: { read: 'users:read', write: 'users:write' },
})

/** Users of the tenant, and their external identifiers. */
export const users = {
  list: ofUsers.list('', {
    summary: 'Lists the users of the tenant.',
    query: UserListQuery,
  }),

  getByExternalIdentifier: ofUsers.get('/by-external-identifier/{externalIdentifier}', {
    operationId: 'getUserByExternalIdentifier',
    summary: 'Returns the user with this external identifier, compared exactly.',
    faults: ['request.rate_limited'],
  }),

  getExternalIdentifier: ofUsers.get('/{username}/external-identifier', {
    operationId: 'getExternalIdentifier',
    summary: 'Returns the external identifier of a user.',
    reply: ExternalIdentifierReply,
    faults: ['user.no_external_identifier', 'request.rate_limited'],
  }),

  create: ofUsers.post('', {
    summary: 'Creates a user. A user with this username or e-mail address is returned unchanged, with status 200.',
    body: UserBody,
    status: 201,
    otherStatuses: [200],
    meta: UserMeta,
    faults: ['state.conflict', 'role.above_caller'],
  }),

  get: ofUsers.get('/{username}', {
    summary: 'Returns a user; `meta` has the external identifier.',
    meta: UserMeta,
    faults: ['request.rate_limited'],
  }),

  change: ofUsers.patch('/{username}', {
    summary: 'Changes the members of a user that the body names; null clears one.',
    meta: UserMeta,
    body: UserChangeBody,
    faults: ['state.conflict', 'role.above_caller', 'owner.last'],
  }),

  setExternalIdentifier: ofUsers.put('/{username}/external-identifier', {
    operationId: 'replaceExternalIdentifier',
    summary: 'Sets the external identifier of a user.',
    body: ExternalIdentifierBody,
    reply: ExternalIdentifierReply,
    faults: ['state.conflict', 'role.above_caller'],
  }),

  delete: ofUsers.delete('/{username}', {
    summary:
      'Deletes a user. The wallet and its keys are destroyed after 30 days, or at once with `purge=true`; with it the path may also have the id of a user who is deleted already.',
    query: UserDeletionQuery,
    reply: undefined,
    faults: ['role.above_caller', 'owner.last'],
  }),

  restore: ofUsers.post('/{id}/restore', {
    summary: 'Restores a user who was deleted less than 30 days ago, with the wallet.',
    meta: UserMeta,
    faults: ['state.conflict', 'role.above_caller'],
  }),
} as const
