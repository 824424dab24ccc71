import type { Scope, TenantId } from '../../caller.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'

/** A program that acts for a tenant, with what proves that it is itself. */
export type Client = {
  readonly clientId: string
  readonly tenantId: TenantId
  readonly tenantSlug: string
  readonly scopes: readonly Scope[]
  /** scrypt string; null for a client without a secret. */
  readonly secretHash: string | null
  /** Keys of its assertions; null for a client without any. */
  readonly keys: readonly PublicJwk[] | null
}
