import type { Role, TenantId, UserId } from '../../caller.ts'

/** An active user with a password. */
export type PasswordHolder = { readonly tenantId: TenantId; readonly userId: UserId; readonly passwordHash: string }

/** An active user, with what a sign-in shows and a password must not be made of. */
export type SignInUser = {
  readonly userId: UserId
  readonly username: string
  readonly email: string | null
  readonly externalIdentifier: string | null
  /** Whether the value was changed by a caller who may not act for the user, and the user has not confirmed it yet. */
  readonly emailIsNew: boolean
  readonly usernameIsNew: boolean
  readonly externalIdentifierIsNew: boolean
  /** Whether the user received a link at the address, or a provider has verified it. */
  readonly emailIsVerified: boolean
  readonly firstName: string | null
  readonly lastName: string | null
  readonly passwordHash: string | null
}

/** The names by which an account is found, as the user was shown them. */
export type ShownNames = Pick<SignInUser, 'email' | 'username' | 'externalIdentifier'>

/** A user to create for a person of an external identity provider. `email` was verified by the provider. */
export type ExternalUser = {
  readonly username: string
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly externalIdentifier: string | null
  readonly roles: readonly Role[]
}
