import type { Role, TenantId, UserId } from '../../caller.ts'

/** An active user with a password. */
export type PasswordHolder = { readonly tenantId: TenantId; readonly userId: UserId; readonly passwordHash: string }

/** An active user, with what a sign-in shows and a password must not be made of. */
export type SignInUser = {
  readonly userId: UserId
  readonly username: string
  readonly email: string | null
  /** Whether the address was changed by a caller who may not act for the user, and the user has not confirmed it yet. */
  readonly emailIsNew: boolean
  /** Whether the last link that was used was told to the caller who invited: the address then says nothing about who uses the account. */
  readonly openedByToldLink: boolean
  readonly firstName: string | null
  readonly lastName: string | null
  readonly passwordHash: string | null
}

/** A user to create for a person of an external identity provider. `email` was verified by the provider. */
export type ExternalUser = {
  readonly username: string
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly externalIdentifier: string | null
  readonly roles: readonly Role[]
}
