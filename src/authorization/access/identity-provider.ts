import type { Role, TenantId } from '../../caller.ts'

/**
 * Names of the claims that describe a person; one that begins with `/` is a JSON pointer. null: the claim is not used.
 */
type ClaimNames = {
  readonly username: string
  readonly email: string
  readonly roles: string | null
  readonly externalIdentifier: string | null
}

/** An external OpenID provider of a tenant. */
export type IdentityProvider = {
  readonly id: string
  readonly tenantId: TenantId
  /** Part of the redirect URI; unique in the tenant. */
  readonly name: string
  readonly displayName: string
  readonly issuer: string
  readonly clientId: string
  /** null: a public client, which authenticates with its code verifier only. */
  readonly sealedClientSecret: Buffer | null
  readonly scopes: readonly string[]
  readonly claims: ClaimNames
  /** Roles at the provider, and what they are here. */
  readonly roles: Readonly<Record<string, readonly Role[]>>
  /** Whether a person who is unknown becomes a user. */
  readonly createsUsers: boolean
  /** Whether people sign in at it. */
  readonly signIn: boolean
  /** Whether its access tokens are accepted at the API, with this audience. */
  readonly acceptTokens: boolean
  readonly audience: string | null
  /** Whether it decides which user an account or an access token of it is, also of users whose accounts are in use. */
  readonly namesPeople: boolean
  readonly updatedAt: Date
}

/** Claims where a provider names no others: those of OpenID Connect. */
export const STANDARD_CLAIMS: ClaimNames = {
  username: 'preferred_username',
  email: 'email',
  roles: null,
  externalIdentifier: null,
}

/**
 * Returns the id of a provider as an actor of the kind client. It contains a space, which the id of a client never
 * does.
 */
export function providerActorId({ id }: Pick<IdentityProvider, 'id'>): string {
  return `identity_provider ${id}`
}

/**
 * Returns the redirect URI of our client at a provider: each provider has its own, so that the answer of one is never
 * taken for that of another.
 */
export function providerRedirectUri(publicUrl: string, tenantSlug: string, name: string): string {
  return `${publicUrl}/sign-in/external/${tenantSlug}/${name}`
}

/** Where the client secret of a provider is sealed. */
export function providerSecretPlace({ tenantId, id }: Pick<IdentityProvider, 'tenantId' | 'id'>) {
  return { tenantId, table: 'identity_provider', column: 'sealed_client_secret', row: id }
}
