import type { Scope, TenantId } from '../../caller.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'

/** Grant types that a client may be given. */
export const GRANT_TYPES = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:token-exchange',
] as const
/** The grant types of a client for which none are named. */
export const SERVICE_GRANT_TYPES = ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'] as const

/** An OAuth client of a tenant, with what authenticates it. */
export type Client = {
  readonly clientId: string
  readonly tenantId: TenantId
  readonly tenantSlug: string
  readonly name: string | null
  /** Scopes of its own and of its roles, each once. */
  readonly scopes: readonly Scope[]
  readonly grantTypes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly backchannelLogoutUri: string | null
  /** It authenticates with nothing but its code verifier. */
  readonly isPublic: boolean
  readonly asksConsent: boolean
  readonly dpopRequired: boolean
  readonly parRequired: boolean
  readonly jwksUri: string | null
  /** scrypt string; null for a client without a secret. */
  readonly secretHash: string | null
  /** Public keys of its assertions; null for a client without any. */
  readonly keys: readonly PublicJwk[] | null
}
