import { every, type Schedule } from '../../jobs/schedule.ts'
import { settleReplacements } from './replace.ts'
import { listTenantsWithReplacements } from './replacement-store.ts'

const SECONDS = 30
/** Turns of one tenant in a sweep: a thousand replacements, so that others do not wait for a large batch. */
const TURNS_MAX = 10

/** The sweep that revokes a credential once another one has taken its place. */
export const replacementSchedules: readonly Schedule[] = [
  every(SECONDS, 'issuance.settle-replacements', async (platform, signal) => {
    const tenants = await platform.store.across('tenants with replacements', listTenantsWithReplacements)
    for (const tenantId of tenants) {
      let after: string | null = null
      for (let turn = 0; turn < TURNS_MAX && !signal.aborted; turn += 1) {
        after = await settleReplacements(platform, tenantId, 'system', { after })
        if (after === null) break
      }
    }
  }),
]
