import type { Scope, TenantId } from '../../caller.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'

/** An OAuth client of a tenant, with what authenticates it. */
export type Client = {
  readonly clientId: string
  readonly tenantId: TenantId
  readonly tenantSlug: string
  readonly scopes: readonly Scope[]
  /** scrypt string; null for a client without a secret. */
  readonly secretHash: string | null
  /** Public keys of its assertions; null for a client without any. */
  readonly keys: readonly PublicJwk[] | null
}
