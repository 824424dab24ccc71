import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import type { User } from './user.ts'

const text = (description: string) => Type.String({ description })

/** A user in our API. Missing values are empty strings. */
export const UserReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    username: text('Unique in the tenant, case-insensitive.'),
    email: text('Unique in the tenant, case-insensitive; empty if there is none.'),
    firstName: text('Empty if unknown.'),
    lastName: text('Empty if unknown.'),
    enabled: Type.Boolean({ description: 'Whether the user may sign in and receive credentials.' }),
  },
  { $id: 'User', additionalProperties: false },
)

/** The external identifier of a user. */
export const ExternalIdentifierReply = Type.Object(
  { externalIdentifier: text("The user's id in the organisation's own systems.") },
  { $id: 'ExternalIdentifierResult', additionalProperties: false },
)

/** Query of the list of users. */
export const UserListQuery = listQuery({
  filters: {
    email: Type.String({ maxLength: 320 }),
    username: Type.String({ maxLength: 255 }),
    enabled: Type.Enum(['true', 'false']),
  },
  searches: ['name'],
  sorts: ['createdAt', 'username'],
})

/** Returns a user as our API shows it. */
export function showUser({ id, username, email, firstName, lastName, enabled }: User) {
  return { id, username, email: email ?? '', firstName: firstName ?? '', lastName: lastName ?? '', enabled }
}
