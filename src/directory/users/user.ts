import type { UserId } from '../../caller.ts'

/** A person in the directory of a tenant. */
export type User = {
  readonly id: UserId
  readonly username: string
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  /** The id of the person in the organisation's own systems. */
  readonly externalIdentifier: string | null
  /** A disabled user gets no token and is offered nothing. */
  readonly enabled: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What a user may be looked up by. All but `id` and `externalIdentifier` compare without case. */
export type UserKey = 'id' | 'username' | 'email' | 'externalIdentifier'

/** The form in which user names, e-mail addresses and names are compared: NFC, lower case. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** First and last name, else the username. */
export function displayName({
  firstName,
  lastName,
  username,
}: Pick<User, 'firstName' | 'lastName' | 'username'>): string {
  const name = [firstName, lastName].filter((one) => one !== null && one !== '').join(' ')
  return name === '' ? username : name
}
