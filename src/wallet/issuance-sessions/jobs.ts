import { Fault } from '../../fault.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { deliveryErrorOf } from '../delivery-records/delivery.ts'
import { listTenantsWithDueSessions, sweepSessionRows } from './session-store.ts'

const STUCK_MS = 5 * 60_000
const KEPT_MS = 86_400_000

/** Ends sessions whose callback died, deletes the secrets of expired ones, and sessions of more than a day ago. */
export const sweepIssuanceSessions = tenantSweep(
  'tenants with issuance sessions that have expired',
  listTenantsWithDueSessions,
  (tx, now) =>
    sweepSessionRows(tx, {
      now,
      stuckBefore: new Date(now.getTime() - STUCK_MS),
      keptSince: new Date(now.getTime() - KEPT_MS),
      error: deliveryErrorOf(new Fault('upstream.timeout')),
    }),
)

/** Sweeps of issuance sessions. */
export const issuanceSessionSchedules: readonly Schedule[] = [
  every(300, 'wallet.sweep-issuance-sessions', sweepIssuanceSessions),
]
