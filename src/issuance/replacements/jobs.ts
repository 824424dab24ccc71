import { every, type Schedule } from '../../jobs/schedule.ts'
import { settleReplacements } from './replace.ts'
import { listTenantsWithReplacements } from './replacement-store.ts'

const SECONDS = 30

/** The sweep that revokes a credential once another one has taken its place. */
export const replacementSchedules: readonly Schedule[] = [
  every(SECONDS, 'issuance.settle-replacements', async (platform, signal) => {
    const tenants = await platform.store.across('tenants with replacements', listTenantsWithReplacements)
    for (const tenantId of tenants) if (!signal.aborted) await settleReplacements(platform, tenantId, 'system')
  }),
]
