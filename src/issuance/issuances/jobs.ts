import type { TenantId } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import { credentialIdOf } from './credential-id.ts'
import { deleteOldNonces, forgetClaims, listTenantsToForget } from './forget-store.ts'

const ISSUANCES_PER_TURN = 100
/** Above the maximum of NONCE_TTL_SECONDS, with a margin for clock skew between processes. [SEC-80] */
const NONCES_KEPT_MS = 780_000

/** Sweeps of issuances: erase claims, expire unredeemed offers, delete old nonces. */
export const issuanceSchedules: readonly Schedule[] = [
  every(30, 'issuance.forget-claims', async (platform, signal) => {
    const { store, clock } = platform
    const tenants = await store.across('tenants with claims past their retention', (tx) =>
      listTenantsToForget(tx, clock.now()),
    )
    for (const tenantId of tenants) {
      let forgotten = ISSUANCES_PER_TURN
      while (forgotten === ISSUANCES_PER_TURN && !signal.aborted) forgotten = await forgetSome(platform, tenantId)
    }
  }),
  every(600, 'issuance.delete-nonces', async ({ store, clock }, signal) => {
    const before = new Date(clock.now().getTime() - NONCES_KEPT_MS)
    let found = true
    while (found && !signal.aborted)
      found = await store.across('expired nonces of all tenants', (tx) => deleteOldNonces(tx, before))
  }),
]

async function forgetSome({ store, clock }: Pick<Platform, 'store' | 'clock'>, tenantId: TenantId): Promise<number> {
  const now = clock.now()
  return store.inTenant(tenantId, async (tx) => {
    const forgotten = await forgetClaims(tx, now, ISSUANCES_PER_TURN)
    for (const { id, isExpired } of forgotten) {
      if (!isExpired) continue
      const subject = { kind: 'issuance', id } as const
      const detail = { credentialId: credentialIdOf(id) }
      await record(tx, { action: 'openid4vc.issuance.expired', subject, by: 'system', detail }, now)
    }
    return forgotten.length
  })
}
