import type { Platform } from '../../platform.ts'

/** What the checks of foreign issuers reach: the way out, and whether development allows http loopback addresses. */
export type TrustNeeds = Pick<Platform, 'fetch' | 'config' | 'memory'>
