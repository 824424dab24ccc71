import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import type { User } from './user.ts'

const text = (description: string) => Type.String({ description })

/** A user as the look-up group shows it. What a person has not got is an empty string. */
export const UserReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    username: text('Unique in the tenant, without regard to case.'),
    email: text('Unique in the tenant, without regard to case; empty if there is none.'),
    firstName: text('Empty if unknown.'),
    lastName: text('Empty if unknown.'),
    enabled: Type.Boolean({ description: 'Whether the user may sign in and receive credentials.' }),
  },
  { $id: 'User', additionalProperties: false },
)

/** The answer of the look-up from username to external identifier. */
export const ExternalIdentifierReply = Type.Object(
  { externalIdentifier: text("The user's id in the organisation's own systems.") },
  { $id: 'ExternalIdentifierResult', additionalProperties: false },
)

/** What the list of users may be asked for. */
export const UserListQuery = listQuery({
  filters: {
    email: Type.String({ maxLength: 320 }),
    username: Type.String({ maxLength: 255 }),
    enabled: Type.Enum(['true', 'false']),
  },
  searches: ['name'],
  sorts: ['createdAt', 'username'],
})

/** From the directory to the reply. */
export function showUser({ id, username, email, firstName, lastName, enabled }: User) {
  return { id, username, email: email ?? '', firstName: firstName ?? '', lastName: lastName ?? '', enabled }
}
