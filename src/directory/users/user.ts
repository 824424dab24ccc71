import type { UserId } from '../../caller.ts'

/** A person in the directory of a tenant. */
export type User = {
  readonly id: UserId
  readonly username: string
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  /** The name that an identity system shows, when it is not first and last name. */
  readonly shownName: string | null
  /** `work`, `home`, or what else an identity system says of the e-mail address. */
  readonly emailType: string | null
  /** The id of the person in the organisation's own systems. */
  readonly externalIdentifier: string | null
  /** A disabled user gets no token and no offers. */
  readonly enabled: boolean
  /** Names of the user's own roles; those of the groups come on top. */
  readonly roles: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Null unless the user was deleted and the wallet is not yet destroyed. */
  readonly deletedAt: Date | null
  /** Incremented with every change. */
  readonly version: number
}

/** Members of a user that a caller may set. Null clears; undefined leaves as it is. */
export type UserChange = {
  readonly username?: string | undefined
  readonly email?: string | null | undefined
  readonly firstName?: string | null | undefined
  readonly lastName?: string | null | undefined
  readonly shownName?: string | null | undefined
  readonly emailType?: string | null | undefined
  readonly externalIdentifier?: string | null | undefined
  readonly enabled?: boolean | undefined
  readonly roles?: readonly string[] | undefined
}

/** Keys that identify a user. `username` and `email` are compared case-insensitively. */
export type UserKey = 'id' | 'username' | 'email' | 'externalIdentifier'

/** Returns the form in which usernames, e-mail addresses and names are compared: NFC, lower case. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** Returns first and last name, or the username if both are missing. */
export function displayName({
  firstName,
  lastName,
  username,
}: Pick<User, 'firstName' | 'lastName' | 'username'>): string {
  const name = [firstName, lastName].filter((one) => one !== null && one !== '').join(' ')
  return name === '' ? username : name
}
