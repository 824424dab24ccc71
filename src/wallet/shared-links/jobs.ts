import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { expireSharedLinks, listTenantsWithDueLinks } from './card-link-store.ts'

/** Ends the links whose time is over, and deletes their presentations. */
export const expireDueLinks = tenantSweep('tenants with links to expire', listTenantsWithDueLinks, expireSharedLinks)

/** Sweeps of links. */
export const sharedLinkSchedules: readonly Schedule[] = [every(300, 'wallet.expire-shared-links', expireDueLinks)]
