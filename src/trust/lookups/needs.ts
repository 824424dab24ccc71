import type { ForTenant, Platform } from '../../platform.ts'

/**
 * What checks of issuers need: outbound fetch, its caches, the tenant that is charged, and whether development allows
 * http loopback addresses.
 */
export type TrustNeeds = Pick<Platform, 'fetch' | 'config' | 'memory'> & ForTenant
