import type { Platform } from '../../platform.ts'

/** What checks of issuers need: outbound fetch, its caches, and whether development allows http loopback addresses. */
export type TrustNeeds = Pick<Platform, 'fetch' | 'config' | 'memory'>
